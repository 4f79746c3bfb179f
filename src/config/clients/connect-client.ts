import { hashText, stableJson } from "../../lib/json/stable-json.ts";
import type { ClientConnection, ClientScope } from "../../model/config/setup.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Json, JsonObject, Path } from "../../model/json.ts";
import { decode, parseData, readBytes } from "../edit/edit-file.ts";
import { addServerEntry, readServerEntries } from "../edit/server-entries.ts";
import { withLock, writeAtomically } from "../edit/write-file.ts";
import {
  type ClientFile,
  dataIn,
  type Entry,
  entriesAt,
  entryAt,
  isForFolder,
  otherServers,
  placesIn,
  targetFile,
  type Where,
  withEntry,
  withoutEntry,
} from "./client-files.ts";
import { type ClientName, clientOf, knownClient } from "./clients.ts";
import { backupPath, type MovedServer, readBackup, readRecord, writeBackup, writeRecord } from "./connection-record.ts";
import { addTranslated, freeName, holdsSecret, inputsOf } from "./import-clients.ts";
import { gatewayConfig, isOurselves, ownName } from "./own-entry.ts";
import { gatewayEntry, translateEntry } from "./translate-entry.ts";

export type ConnectRequest = {
  scope: ClientScope;
  keep: boolean;
  dryRun: boolean;
  /** The configuration that takes the servers, and all that the plane reads. */
  into: string;
  files: readonly string[];
  workspace: string | null;
  gateway(files: readonly string[]): JsonObject;
};

export async function connectClient(name: string, where: Where, request: ConnectRequest): Promise<ClientConnection> {
  const client = knownClient(name);
  const file = requireFile(client, where, request.scope);
  if (file.path === request.into)
    throw new PlaneError("USAGE", `${file.path} is the client's own file. Name another one with --to FILE.`);
  const work = () => connect(client, file, where, request);
  return request.dryRun ? work() : withLock(file.path, work);
}

async function connect(
  client: ClientName,
  file: ClientFile,
  where: Where,
  request: ConnectRequest,
): Promise<ClientConnection> {
  const bytes = readBytes(file.path);
  const data = bytes === null ? undefined : parseData(file.path, bytes);
  const report = emptyReport(client, file, request);
  const moved = request.keep ? keepAll(file, data, report) : moveAll(client, file, data, where, request, report);
  // The plane must not read the file that starts it.
  const files = withNew(request, moved).filter((path) => path !== file.path);
  report.config = files;
  report.server = requireEntry(client, request.gateway(files), file);
  report.elsewhere = otherServers(client, file, where);
  const place = mainPlace(file, data);
  const present = entryAt(data, place, ownName);
  const before = gatewayConfig(present);
  if (before !== null && before.join("\n") !== files.join("\n")) report.replaces = before;
  report.leftBehind = (readRecord(file.path)?.moved ?? [])
    .filter(({ into }) => !files.includes(into))
    .map(({ as, into }) => ({ name: as, path: into }));
  report.isChanged = moved.length > 0 || stableJson(present) !== stableJson(report.server);
  if (report.isChanged && !request.dryRun) await write(client, file, bytes, { report, moved, place });
  report.backup = readBackup(file.path) === null || request.dryRun ? null : backupPath(file.path);
  return report;
}

type Change = { report: ClientConnection; moved: MovedServer[]; place: Path };

async function write(client: ClientName, file: ClientFile, bytes: Buffer | null, change: Change): Promise<void> {
  const { server } = change.report;
  const text = bytes === null ? null : decode(file.path, bytes);
  const earlier = earlierConnection(file, bytes, change.place);
  const original = earlier ? earlier.original : withoutGateway(file, text, change.place);
  const moved = [...(earlier?.record.moved ?? []), ...change.moved];
  const made = withGateway(file, original, server, moved);
  const edited = !earlier || earlier.isUntouched ? made : withGateway(file, text, server, moved);
  if (!earlier) writeBackup(file.path, original === null ? null : Buffer.from(original));
  const existed = earlier ? earlier.record.existed : bytes !== null;
  const written = hashText(made);
  writeRecord(file.path, { version: 1, client, existed, server, moved, written });
  for (const { into, as, definition, isAdded } of change.moved) if (isAdded) await addServerEntry(into, as, definition);
  writeAtomically(file.path, edited);
}

/** The connection that this one goes on with; without our entry the earlier one was ended by hand. */
function earlierConnection(file: ClientFile, bytes: Buffer | null, place: Path) {
  const record = readRecord(file.path);
  if (record === null || bytes === null) return null;
  if (entryAt(parseData(file.path, bytes), place, ownName) === undefined) return null;
  const backup = readBackup(file.path);
  if (record.existed && backup === null) return null;
  const original = backup === null ? null : decode(file.path, backup);
  return { record, original, isUntouched: hashText(bytes) === record.written };
}

/** An entry of ours that has no record is no part of what the file was. */
function withoutGateway(file: ClientFile, text: string | null, place: Path): string | null {
  const isOurs = gatewayConfig(entryAt(dataIn(file, text), place, ownName)) !== null;
  return text !== null && isOurs ? withoutEntry(file, text, place, ownName) : text;
}

export function withGateway(
  file: ClientFile,
  text: string | null,
  server: JsonObject,
  moved: readonly MovedServer[],
): string {
  const own = withEntry(file, text, mainPlace(file, dataIn(file, text)), ownName, server);
  return moved.reduce((rest, { name, place }) => withoutEntry(file, rest, place, name), own);
}

export function mainPlace(file: ClientFile, data: unknown): Path {
  const [place] = placesIn(file, data);
  if (place === undefined) throw new Error(`no place for servers in ${file.path}`);
  return place;
}

function ownServers(file: ClientFile, data: unknown): Entry[] {
  return placesIn(file, data)
    .filter((place) => !isForFolder(place))
    .flatMap((place) => entriesAt(data, place))
    .filter(({ name }) => name !== ownName);
}

function keepAll(file: ClientFile, data: unknown, report: ClientConnection): MovedServer[] {
  report.kept = ownServers(file, data).map(({ name }) => ({ name, reason: "--keep leaves it in the client" }));
  return [];
}

function moveAll(
  client: ClientName,
  file: ClientFile,
  data: unknown,
  where: Where,
  { into, files, workspace }: ConnectRequest,
  report: ClientConnection,
): MovedServer[] {
  const source = { client, where, workspace, inputs: inputsOf(data) };
  const known = [...new Set([...files, into])]
    .filter((path) => path !== file.path)
    .flatMap((path) => readServerEntries(path).map((server) => ({ ...server, path })));
  const moved: MovedServer[] = [];
  for (const { name, entry, place } of ownServers(file, data)) {
    const translated = translateEntry(entry, source);
    const reason = "reason" in translated ? translated.reason : null;
    if ("reason" in translated || isOurselves(name, translated.definition)) {
      report.kept.push({ name, reason: reason ?? "it is Toolplane itself" });
      continue;
    }
    const { definition } = translated;
    const same = known.find(
      (server) =>
        (server.name === name || server.name.startsWith(`${name}-${client}`)) &&
        stableJson(server.entry) === stableJson(definition),
    );
    const as = same?.name ?? freeName(name, client, (taken) => known.some((server) => server.name === taken));
    if (!same) known.push({ name: as, entry: definition, path: into });
    moved.push({ name, place, entry: plain(entry), into: same?.path ?? into, as, definition, isAdded: !same });
    addTranslated(report, as, translated, where);
  }
  report.moved = moved.map(({ name, as, isAdded }) => ({ name, as, isNew: isAdded }));
  report.holdSecrets = moved.filter(({ definition }) => holdsSecret(definition)).map(({ as }) => as);
  report.into = moved.length === 0 ? null : into;
  return moved;
}

/** TOML has numbers and dates that JSON has not. */
function plain(entry: unknown): Json {
  const text = JSON.stringify(entry, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
  return JSON.parse(text) as Json;
}

function withNew({ into, files }: ConnectRequest, moved: readonly MovedServer[]): string[] {
  const isNew = moved.some(({ isAdded }) => isAdded) && !files.includes(into);
  return isNew ? [...files, into] : [...files];
}

export function requireFile(client: ClientName, where: Where, scope: ClientScope): ClientFile {
  const file = targetFile(client, where, scope);
  if (file !== null) return file;
  throw new PlaneError(
    "USAGE",
    `${clientOf(client).title} has no file for one project. Leave out --project to use its file for all projects.`,
    { data: { client } },
  );
}

function requireEntry(client: ClientName, server: JsonObject, { isList }: ClientFile): JsonObject {
  const entry = gatewayEntry(client, server, isList);
  if (entry !== null) return entry;
  throw new PlaneError("USAGE", `${clientOf(client).title} cannot use a server by its url, only by a command.`);
}

function emptyReport(client: ClientName, file: ClientFile, { dryRun }: ConnectRequest): ClientConnection {
  return {
    client,
    title: clientOf(client).title,
    scope: file.scope,
    path: file.path,
    isDryRun: dryRun,
    isChanged: false,
    backup: null,
    server: {},
    config: [],
    into: null,
    moved: [],
    kept: [],
    translated: [],
    variables: [],
    holdSecrets: [],
    elsewhere: [],
    replaces: null,
    leftBehind: [],
    isForEveryProject: false,
  };
}
