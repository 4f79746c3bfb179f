import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  addedFormats,
  isKeyLike,
  isOurselves,
  maskSecrets,
  readData,
  valueAt,
} from "../../../../src/config/editing.ts";
import { isFile } from "../../../../src/lib/files.ts";
import { stableJson } from "../../../../src/lib/json/stable-json.ts";
import type {
  ClientScope,
  ImportReport,
  NeededVariable,
  TranslatedReference,
} from "../../../../src/model/config/setup.ts";
import { PlaneError, toPlaneError } from "../../../../src/model/errors.ts";
import { isObject, type JsonObject } from "../../../../src/model/json.ts";
import { type ClientPlace, clientFiles, type Where } from "./client-files.ts";
import { type ClientEntry, ClientText } from "./client-text.ts";
import { type ClientName, clientNames, knownClient } from "./clients.ts";
import { hasSupergateway, readForeignData, readSupergateway } from "./foreign-configs.ts";
import { type Translated, translateEntry } from "./translate-entry.ts";

export type ClientServer = { name: string; client: string; scope: ClientScope; definition: JsonObject };

export type ClientServers = Pick<ImportReport, "found" | "skipped" | "renamed" | "translated" | "variables"> & {
  servers: ClientServer[];
};

/** Of all clients, or of those that are named; with `files`, a name may also be a file, or a command line of supergateway. */
export function findClientServers(asked: readonly string[], where: Where, files = false): ClientServers {
  const isPlace = (name: string) => files && !isClient(name) && (isFile(fileOf(name, where)) || hasSupergateway(name));
  const names = asked.filter((name) => !isPlace(name));
  const gone = names.find((name) => files && /[\\/]|\.\w+$/.test(name));
  if (gone !== undefined)
    throw new PlaneError("USAGE", `There is no file '${gone}'. Check the path.`, { data: { file: gone } });
  const chosen = asked.length === 0 ? clientNames() : [...new Set(names.map(knownClient))];
  const result: ClientServers = {
    found: [],
    servers: [],
    skipped: [],
    renamed: [],
    translated: [],
    variables: [],
  };
  const seen = new Set<string>();
  for (const client of chosen) {
    for (const file of clientFiles(client, where)) {
      if (!seen.has(file.path)) addFile(result, client, file, where);
      seen.add(file.path);
    }
  }
  for (const named of asked.filter(isPlace)) addForeign(result, named, where);
  return result;
}

export const isClient = (name: string) => clientNames().some((client) => client === name);
const fileOf = (name: string, { home, directory }: Where) =>
  resolve(
    directory,
    name.replace(/^~(?=[\\/])/, () => home),
  );

/** What a person named is theirs, wherever it stands. */
function addForeign(result: ClientServers, named: string, where: Where): void {
  const path = fileOf(named, where);
  const isHere = isFile(path);
  const text = isHere ? readFileSync(path, "utf8") : named;
  const isData = isHere && /\.(jsonc?|ya?ml|toml|json5)$/i.test(path);
  const data = isData ? readData(path) : undefined;
  const found = isData ? readForeignData(data, path) : hasSupergateway(text) ? readSupergateway(text) : null;
  if (found === null) throw nothingKnown(named);
  const { source: client, servers, skipped } = found;
  result.found.push({ client, path: isHere ? path : "the command line", servers: servers.map(({ name }) => name) });
  result.skipped.push(...skipped);
  const source = { client, where, workspace: where.directory, inputs: inputsOf(data) };
  for (const { name, entry, extra, needs = [] } of servers) {
    const translated = translateEntry(entry, source, extra);
    if ("reason" in translated) {
      result.skipped.push({ name, reason: `${client}: ${translated.reason}` });
      continue;
    }
    for (const need of needs) translated.needed.set(need.name, { ...need, description: null });
    addServer(result, { name, client, scope: "user", definition: translated.definition }, translated, where);
  }
}

function nothingKnown(file: string): PlaneError {
  const added = addedFormats().map(({ name }) => `${name}, `);
  const known = `mcpServers, servers, mcp_servers (LiteLLM), registry (Docker), ${added.join("")}or command lines of supergateway`;
  return new PlaneError("USAGE", `'${file}' has no servers in a form that is known: ${known}.`, { data: { file } });
}

export function inputsOf(data: unknown): unknown[] {
  return [["inputs"], ["mcp", "inputs"]].flatMap((place) => {
    const inputs = valueAt(data, place);
    return Array.isArray(inputs) ? (inputs as unknown[]) : [];
  });
}

export function addTranslated(
  report: { translated: TranslatedReference[]; variables: NeededVariable[] },
  server: string,
  { changes, needed }: Translated,
  { environment }: Where,
): void {
  for (const [from, to] of changes) report.translated.push({ server, from, to });
  for (const variable of needed.values()) {
    const known = report.variables.find(({ name }) => name === variable.name);
    if (known) known.servers.push(server);
    else
      report.variables.push({
        ...variable,
        servers: [server],
        isSet: environment[variable.name] !== undefined,
      });
  }
}

export function freeNameFor(name: string, client: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  let candidate = `${name}-${client}`;
  for (let count = 2; isTaken(candidate); count++) candidate = `${name}-${client}-${count}`;
  return candidate;
}

function addFile(result: ClientServers, client: ClientName, file: ClientPlace, where: Where): void {
  let text: ClientText;
  let entries: ClientEntry[];
  try {
    text = ClientText.read(file);
    entries = text.entries();
  } catch (thrown) {
    result.skipped.push({ name: client, reason: toPlaneError(thrown).message });
    return;
  }
  if (entries.length === 0) return;
  result.found.push({ client, path: file.path, servers: [...new Set(entries.map(({ name }) => name))] });
  const source = { client, where, workspace: where.directory, inputs: inputsOf(text.data) };
  for (const { name, entry } of entries) {
    const translated = translateEntry(entry, source);
    if ("reason" in translated) result.skipped.push({ name, reason: `${client}: ${translated.reason}` });
    else addServer(result, { name, client, scope: file.scope, definition: translated.definition }, translated, where);
  }
}

function addServer(result: ClientServers, server: ClientServer, translated: Translated, where: Where): void {
  const { name, client, definition } = server;
  if (isOurselves(name, definition)) {
    result.skipped.push({ name, reason: `${client}: it is Toolplane itself` });
    return;
  }
  const originalName = (other: ClientServer) =>
    result.renamed.find((change) => change.name === other.name)?.from ?? other.name;
  const namesakes = result.servers.filter((other) => originalName(other) === name);
  if (namesakes.some((other) => stableJson(other.definition) === stableJson(definition))) return;
  const free = freeNameFor(name, client, (taken) => result.servers.some((other) => other.name === taken));
  result.servers.push({ ...server, name: free });
  if (free !== name) result.renamed.push({ name: free, client, from: name });
  addTranslated(result, free, translated, where);
}

/** What would have to be masked is a secret in clear. */
export function holdsSecret(definition: JsonObject): boolean {
  // Whatever stands in them is masked for display, though most of it is no secret.
  const { env, headers, ...rest } = definition;
  const given: JsonObject = { ...(isObject(env) && env), ...(isObject(headers) && headers) };
  const isMadeUp = (value: unknown) => typeof value === "string" && value.length >= 16 && isKeyLike(value);
  const isMasked = (part: JsonObject) => stableJson(maskSecrets(part)) !== stableJson(part);
  return isMasked({ servers: { it: rest } }) || isMasked(given) || Object.values(given).some(isMadeUp);
}
