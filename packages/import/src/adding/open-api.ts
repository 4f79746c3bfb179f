import { parseYaml } from "@toolplane/core/config/editing";
import { PlaneError } from "@toolplane/core/model/errors";
import {
  asWord,
  type Foreign,
  fieldOf,
  fieldsOf,
  foreignTextOf,
  isForeignObject,
  itemsOf,
  matches,
  spelled,
} from "@toolplane/core/model/foreign";

const methods = /^(?:get|put|post|delete|options|head|patch|trace|query)$/;

/** A file of JSON or YAML, whatever it describes. */
export function parseFetchedDocument(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { document } = parseYaml(what, text);
    if (document !== null) return document.data;
    throw new PlaneError("USAGE", `${what} is neither JSON nor YAML.`);
  }
}

const credentialsNote =
  "The API asks for credentials; set 'auth' or 'headers' of the entry if calls are refused.";

/** An OpenAPI document by its content; null for anything else. */
export function readOpenApi(data: Foreign, from: URL | null) {
  const version = spelled(fieldOf(data, "openapi")) ?? spelled(fieldOf(data, "swagger"));
  const paths = fieldOf(data, "paths");
  if (version === undefined || !isForeignObject(paths)) return null;
  const operations = fieldsOf(paths).flatMap(([, path]) =>
    fieldsOf(path).filter(([key]) => matches(key, methods)),
  );
  const hasSecurity = itemsOf(fieldOf(data, "security")).length > 0;
  const title = foreignTextOf(fieldOf(fieldOf(data, "info"), "title"));
  return {
    title: title === undefined ? "api" : asWord(title),
    operations: operations.length,
    needsBaseUrl: from === null && !hasAddress(data),
    notes: hasSecurity ? [credentialsNote] : [],
  };
}

function hasAddress(data: Foreign): boolean {
  const [server] = itemsOf(fieldOf(data, "servers"));
  const url = server && foreignTextOf(fieldOf(server, "url"));
  return (
    (url !== undefined && matches(url, /^https?:\/\//i)) ||
    foreignTextOf(fieldOf(data, "host")) !== undefined
  );
}
