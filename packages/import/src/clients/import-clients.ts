import { resolve } from "node:path";
import { addedFormats, isOurselves, readData, valueAt } from "../../../../src/config/editing.ts";
import { isFile } from "../../../../src/lib/files.ts";
import { stableJson } from "../../../../src/lib/json/stable-json.ts";
import { readRegularText } from "../../../../src/lib/regular-file.ts";
import { plainText } from "../../../../src/lib/text/plain-text.ts";
import { redact } from "../../../../src/lib/text/redact.ts";
import { shellQuote } from "../../../../src/lib/text/shell.ts";
import type {
  ClientScope,
  ImportReport,
  NeededVariable,
  TranslatedReference,
} from "../../../../src/model/config/setup.ts";
import { PlaneError, toPlaneError } from "../../../../src/model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../../../src/model/json.ts";
import { type ClientPlace, clientFiles, type Where } from "./client-files.ts";
import { type ClientEntry, ClientText } from "./client-text.ts";
import { type ClientName, clientNames, knownClient } from "./clients.ts";
import { hasSupergateway, readForeignData, readSupergateway } from "./foreign-configs.ts";
import { type Translated, translateEntry } from "./translate-entry.ts";

export type ClientServer = {
  name: string;
  client: string;
  scope: ClientScope;
  definition: JsonObject;
};

export type ClientServers = Pick<
  ImportReport,
  "found" | "skipped" | "renamed" | "translated" | "variables"
> & {
  servers: ClientServer[];
};

/** Of all clients, or of those that are named; with `files`, a name may also be a file, or a command line of supergateway. */
export function findClientServers(
  asked: readonly string[],
  where: Where,
  files = false,
): ClientServers {
  const isPlace = (name: string) =>
    files && !isClient(name) && (isFile(fileOf(name, where)) || hasSupergateway(name));
  const names = asked.filter((name) => !isPlace(name));
  const gone = names.find((name) => files && /[\\/]|\.\w+$/.test(name));
  if (gone !== undefined)
    throw new PlaneError("USAGE", `There is no file '${gone}'. Check the path.`, {
      data: { file: gone },
    });
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
  const text = isHere ? readRegularText(path) : named;
  const isData = isHere && /\.(jsonc?|ya?ml|toml|json5)$/i.test(path);
  const data = isData ? readData(path) : undefined;
  const found = isData
    ? readForeignData(data, path)
    : hasSupergateway(text)
      ? readSupergateway(text)
      : null;
  if (found === null) throw nothingKnown(named);
  const { source: client, servers, skipped } = found;
  result.found.push({
    client,
    path: isHere ? path : "the command line",
    servers: servers.map(({ name }) => name),
  });
  result.skipped.push(...skipped);
  const source = { client, where, workspace: where.directory, inputs: inputsOf(data) };
  for (const { name, entry, extra, needs = [] } of servers) {
    const translated = translateEntry(entry, source, extra);
    if ("reason" in translated) {
      result.skipped.push({ name, reason: `${client}: ${translated.reason}` });
      continue;
    }
    for (const need of needs) translated.needed.set(need.name, { ...need, description: null });
    addServer(
      result,
      { name, client, scope: "user", definition: translated.definition },
      translated,
      where,
    );
  }
}

function nothingKnown(file: string): PlaneError {
  const added = addedFormats().map(({ name }) => `${name}, `);
  const known = `mcpServers, servers, mcp_servers (LiteLLM), registry (Docker), ${added.join("")}or command lines of supergateway`;
  return new PlaneError("USAGE", `'${file}' has no servers in a form that is known: ${known}.`, {
    data: { file },
  });
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

/** What it starts or reaches, for a person to read. */
export function launchOf({ command, args, url, enabled }: JsonObject): string {
  const words = [
    command ?? url ?? "",
    ...(command !== undefined && Array.isArray(args) ? args : []),
  ];
  const line = plainText(redact(words.map((word) => shellQuote(String(word))).join(" ")));
  return enabled === false ? `${line} (once it is switched on)` : line;
}

/** The same program or address, whatever clients add that changes nothing. */
export function isSameServer(one: unknown, other: unknown): boolean {
  return (
    isObject(one) && isObject(other) && stableJson(essenceOf(one)) === stableJson(essenceOf(other))
  );
}

function essenceOf({ type: _, transport, ...entry }: UnknownObject): UnknownObject {
  const isGiven = (value: unknown) => value !== undefined && Object.keys(Object(value)).length > 0;
  const isFlag = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  const args: unknown[] = Array.isArray(entry.args) ? entry.args : [];
  // A server has no person who could answer the question of npx whether it may fetch.
  const words =
    entry.command === "npx" ? args.filter((word) => word !== "-y" && word !== "--yes") : args;
  const isUsual = entry.command !== undefined || transport === "http";
  const whole = { ...entry, args: words, ...(isUsual ? {} : { transport }) };
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => isFlag(value) || isGiven(value)),
  );
}

export function freeNameFor(
  name: string,
  client: string,
  isTaken: (name: string) => boolean,
): string {
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
  result.found.push({
    client,
    path: file.path,
    servers: [...new Set(entries.map(({ name }) => name))],
  });
  const source = { client, where, workspace: where.directory, inputs: inputsOf(text.data) };
  for (const { name, entry } of entries) {
    const translated = translateEntry(entry, source);
    if ("reason" in translated)
      result.skipped.push({ name, reason: `${client}: ${translated.reason}` });
    else
      addServer(
        result,
        { name, client, scope: file.scope, definition: translated.definition },
        translated,
        where,
      );
  }
}

function addServer(
  result: ClientServers,
  server: ClientServer,
  translated: Translated,
  where: Where,
): void {
  const { name, client, definition } = server;
  if (isOurselves(name, definition)) {
    result.skipped.push({ name, reason: `${client}: it is Toolplane itself` });
    return;
  }
  const originalName = (other: ClientServer) =>
    result.renamed.find((change) => change.name === other.name)?.from ?? other.name;
  // Two names for one server in the same client are meant to be two.
  const rivals = result.servers.filter(
    (other) => originalName(other) === name || other.client !== client,
  );
  const same = rivals.find((other) => isSameServer(other.definition, definition));
  if (same !== undefined) {
    if (same.client !== client)
      result.skipped.push({
        name,
        reason: `${client}: it is the same server as '${same.name}' of ${same.client}`,
      });
    return;
  }
  const free = freeNameFor(name, client, (taken) =>
    result.servers.some((other) => other.name === taken),
  );
  result.servers.push({ ...server, name: free });
  if (free !== name) result.renamed.push({ name: free, client, from: name });
  addTranslated(result, free, translated, where);
}
