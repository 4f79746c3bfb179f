import { resolve } from "node:path";
import { addedFormats, isOurselves, readData, valueAt } from "@toolplane/core/config/editing";
import { isFile } from "@toolplane/core/lib/files";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import { readRegularText } from "@toolplane/core/lib/regular-file";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { redact } from "@toolplane/core/lib/text/redact";
import { shellQuote } from "@toolplane/core/lib/text/shell";
import type {
  ClientScope,
  ImportReport,
  NeededVariable,
  TranslatedReference,
} from "@toolplane/core/model/config/setup";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import {
  isObject,
  type JsonObject,
  listOrEmpty,
  type UnknownObject,
} from "@toolplane/core/model/json";
import { type ClientPlace, clientFiles, type Where } from "./client-files.ts";
import { type ClientEntry, ClientText } from "./client-text.ts";
import { type ClientName, clientNames, knownClient } from "./clients.ts";
import {
  type ForeignConfig,
  hasSupergateway,
  readForeignData,
  readSupergateway,
} from "./foreign-configs.ts";
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
  requested: readonly string[],
  where: Where,
  files = false,
): ClientServers {
  const isForeignSource = (name: string) =>
    files && !isClient(name) && (isFile(fileOf(name, where)) || hasSupergateway(name));
  const names = requested.filter((name) => !isForeignSource(name));
  const missingFile = names.find((name) => files && /[\\/]|\.\w+$/.test(name));
  if (missingFile !== undefined)
    throw new PlaneError("USAGE", `There is no file '${missingFile}'. Check the path.`, {
      data: { file: missingFile },
    });
  const clients = requested.length === 0 ? clientNames() : [...new Set(names.map(knownClient))];
  const report: ClientServers = {
    found: [],
    servers: [],
    skipped: [],
    renamed: [],
    translated: [],
    variables: [],
  };
  const seenPaths = new Set<string>();
  for (const client of clients) {
    for (const file of clientFiles(client, where)) {
      if (!seenPaths.has(file.path)) addFile(report, client, file, where);
      seenPaths.add(file.path);
    }
  }
  for (const sourceName of requested.filter(isForeignSource)) addForeign(report, sourceName, where);
  return report;
}

export const isClient = (name: string) => clientNames().some((client) => client === name);
const fileOf = (name: string, { home, directory }: Where) =>
  resolve(
    directory,
    name.replace(/^~(?=[\\/])/, () => home),
  );

/** What a person named is theirs, wherever it stands. */
function addForeign(report: ClientServers, sourceName: string, where: Where): void {
  const path = fileOf(sourceName, where);
  const isHere = isFile(path);
  const text = isHere ? readRegularText(path) : sourceName;
  const isData = isHere && /\.(jsonc?|ya?ml|toml|json5)$/i.test(path);
  const data = isData ? readData(path) : undefined;
  const config = isData ? readForeignData(data, path) : readCommandLines(text);
  if (config === null) throw nothingKnown(sourceName);
  const { source: client, servers, skipped } = config;
  report.found.push({
    client,
    path: isHere ? path : "the command line",
    servers: servers.map(({ name }) => name),
  });
  report.skipped.push(...skipped);
  const source = { client, where, workspace: where.directory, inputs: inputsOf(data) };
  for (const { name, entry, extra, needs = [] } of servers) {
    const translated = translateEntry(entry, source, extra);
    if ("reason" in translated) {
      report.skipped.push({ name, reason: `${client}: ${translated.reason}` });
      continue;
    }
    for (const need of needs) translated.needed.set(need.name, { ...need, description: null });
    addServer(
      report,
      { name, client, scope: "user", definition: translated.definition },
      translated,
      where,
    );
  }
}

function readCommandLines(text: string): ForeignConfig | null {
  if (!hasSupergateway(text)) return null;
  return readSupergateway(text);
}

function nothingKnown(file: string): PlaneError {
  const added = addedFormats().map(({ name }) => `${name}, `);
  const knownForms = `mcpServers, servers, mcp_servers (LiteLLM), registry (Docker), ${added.join("")}or command lines of supergateway`;
  return new PlaneError(
    "USAGE",
    `'${file}' has no servers in a form that is known: ${knownForms}.`,
    {
      data: { file },
    },
  );
}

export function inputsOf(data: unknown): unknown[] {
  return [["inputs"], ["mcp", "inputs"]].flatMap((path) => {
    const inputs = valueAt(data, path);
    if (!Array.isArray(inputs)) return [];
    return inputs as unknown[];
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
    const knownVariable = report.variables.find(({ name }) => name === variable.name);
    if (knownVariable) knownVariable.servers.push(server);
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
  const launchWords = [command ?? url ?? "", ...(command === undefined ? [] : listOrEmpty(args))];
  const line = plainText(
    redact(launchWords.map((argument) => shellQuote(String(argument))).join(" ")),
  );
  if (enabled === false) return `${line} (once it is switched on)`;
  return line;
}

/** The same program or address, whatever clients add that changes nothing. */
export function isSameServer(first: unknown, second: unknown): boolean {
  return (
    isObject(first) &&
    isObject(second) &&
    stableJson(essenceOf(first)) === stableJson(essenceOf(second))
  );
}

function essenceOf({ type: _, transport, ...entry }: UnknownObject): UnknownObject {
  const isGiven = (field: unknown) => field !== undefined && Object.keys(Object(field)).length > 0;
  const isFlag = (field: unknown) => ["string", "number", "boolean"].includes(typeof field);
  const args = listOrEmpty(entry.args);
  // A server has no person who could answer the question of npx whether it may fetch.
  const isAssent = (argument: unknown) =>
    entry.command === "npx" && (argument === "-y" || argument === "--yes");
  const launchArgs = args.filter((argument) => !isAssent(argument));
  const isDefaultTransport = entry.command !== undefined || transport === "http";
  const essence: UnknownObject = { ...entry, args: launchArgs };
  if (!isDefaultTransport) essence.transport = transport;
  return Object.fromEntries(
    Object.entries(essence).filter(([, field]) => isFlag(field) || isGiven(field)),
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

function addFile(report: ClientServers, client: ClientName, file: ClientPlace, where: Where): void {
  let text: ClientText;
  let entries: ClientEntry[];
  try {
    text = ClientText.read(file);
    entries = text.entries();
  } catch (thrown) {
    report.skipped.push({ name: client, reason: toPlaneError(thrown).message });
    return;
  }
  if (entries.length === 0) return;
  report.found.push({
    client,
    path: file.path,
    servers: [...new Set(entries.map(({ name }) => name))],
  });
  const source = { client, where, workspace: where.directory, inputs: inputsOf(text.data) };
  for (const { name, entry } of entries) {
    const translated = translateEntry(entry, source);
    if ("reason" in translated)
      report.skipped.push({ name, reason: `${client}: ${translated.reason}` });
    else
      addServer(
        report,
        { name, client, scope: file.scope, definition: translated.definition },
        translated,
        where,
      );
  }
}

function addServer(
  report: ClientServers,
  server: ClientServer,
  translated: Translated,
  where: Where,
): void {
  const { name, client, definition } = server;
  if (isOurselves(name, definition)) {
    report.skipped.push({ name, reason: `${client}: it is Toolplane itself` });
    return;
  }
  const originalName = (present: ClientServer) =>
    report.renamed.find((change) => change.name === present.name)?.from ?? present.name;
  // Two names for one server in the same client are meant to be two.
  const rivals = report.servers.filter(
    (rival) => originalName(rival) === name || rival.client !== client,
  );
  const duplicate = rivals.find((rival) => isSameServer(rival.definition, definition));
  if (duplicate !== undefined) {
    if (duplicate.client !== client)
      report.skipped.push({
        name,
        reason: `${client}: it is the same server as '${duplicate.name}' of ${duplicate.client}`,
      });
    return;
  }
  const uniqueName = freeNameFor(name, client, (candidate) =>
    report.servers.some((present) => present.name === candidate),
  );
  report.servers.push({ ...server, name: uniqueName });
  if (uniqueName !== name) report.renamed.push({ name: uniqueName, client, from: name });
  addTranslated(report, uniqueName, translated, where);
}
