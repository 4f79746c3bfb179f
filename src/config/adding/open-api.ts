import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { parseYaml } from "../text/parse-yaml.ts";

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]);

export function parseDocument(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { document } = parseYaml(what, text);
    if (document !== null) return document.data;
    throw new PlaneError("USAGE", `${what} is neither JSON nor YAML.`);
  }
}

/** An OpenAPI document by its content; null for anything else. */
export function readOpenApi(data: unknown, from: URL | null) {
  if (!isObject(data)) return null;
  const version = data.openapi ?? data.swagger;
  if ((typeof version !== "string" && typeof version !== "number") || !isObject(data.paths)) return null;
  const info: UnknownObject = isObject(data.info) ? data.info : {};
  const operations = Object.values(data.paths).flatMap((path) =>
    isObject(path) ? Object.keys(path).filter((key) => methods.has(key)) : [],
  ).length;
  const security = Array.isArray(data.security) ? data.security : [];
  const notes =
    security.length > 0
      ? ["The API asks for credentials; set 'auth' or 'headers' of the entry if calls are refused."]
      : [];
  return {
    title: typeof info.title === "string" && info.title !== "" ? info.title : "api",
    operations,
    needsBaseUrl: from === null && !hasAddress(data),
    notes,
  };
}

function hasAddress({ servers, host }: UnknownObject): boolean {
  const [first] = Array.isArray(servers) ? servers : [];
  const isWhole = isObject(first) && typeof first.url === "string" && /^https?:\/\//i.test(first.url);
  return isWhole || typeof host === "string";
}
