import {
  addServerEntry,
  gatewayConfigFiles,
  isOurselves,
  ownName,
  readServerEntries,
  withLock,
} from "@toolplane/core/config/editing";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import type { SecretPlace } from "@toolplane/core/model/config/adding";
import type { ClientConnection, ClientScope } from "@toolplane/core/model/config/setup";
import { PlaneError } from "@toolplane/core/model/errors";
import type { Json, JsonObject } from "@toolplane/core/model/json";
import { concealSecrets } from "../adding/conceal.ts";
import { revealKept } from "../adding/keep-secrets.ts";
import { ClientFile } from "./client-file.ts";
import { type ClientPlace, requireFile, type Where } from "./client-files.ts";
import { withoutSecrets } from "./client-secrets.ts";
import { otherServers } from "./client-status.ts";
import { type ClientEntry, type ClientText, isForFolder } from "./client-text.ts";
import { type ClientName, clientOf, knownClient } from "./clients.ts";
import { backupPath, type MovedServer, readBackup } from "./connection-record.ts";
import { addTranslated, freeNameFor, inputsOf, isSameServer, launchOf } from "./import-clients.ts";
import { gatewayEntry, translateEntry } from "./translate-entry.ts";

export type ConnectRequest = {
  scope: ClientScope;
  keep: boolean;
  dryRun: boolean;
  /** The configuration that takes the servers, and all that the plane reads. */
  into: string;
  files: readonly string[];
  workspace: string | null;
  /** `into` counts in every project. */
  isForAll: boolean;
  secrets?: SecretPlace;
  gateway(files: readonly string[]): JsonObject;
};

export async function connectClient(
  name: string,
  where: Where,
  request: ConnectRequest,
): Promise<ClientConnection> {
  const client = knownClient(name);
  const file = requireFile(client, where, request.scope);
  if (file.path === request.into)
    throw new PlaneError(
      "USAGE",
      `${file.path} is the client's own file. Name another one with --to FILE.`,
    );
  const work = () => connect(client, file, where, request);
  if (request.dryRun) return work();
  return withLock(file.path, work);
}

async function connect(
  client: ClientName,
  target: ClientPlace,
  where: Where,
  request: ConnectRequest,
): Promise<ClientConnection> {
  const file = new ClientFile(target);
  const report = emptyReport(client, target, request);
  const moved = request.keep
    ? keepServers(file.text, report)
    : await moveServers(client, file.text, where, request, report);
  // The plane must not read the file that starts it.
  const files = filesWithNew(request, moved).filter((path) => path !== target.path);
  report.config = files;
  report.server = requireEntry(client, request.gateway(files), target);
  report.elsewhere = otherServers(client, target, where);
  const presentEntry = file.text.find(ownName);
  const previousConfig = gatewayConfigFiles(presentEntry);
  if (previousConfig !== null && previousConfig.join("\n") !== files.join("\n"))
    report.replaces = previousConfig;
  report.leftBehind = (file.record?.moved ?? [])
    .filter(({ into }) => !files.includes(into))
    .map(({ as, into }) => ({ name: as, path: into }));
  report.isChanged = moved.length > 0 || stableJson(presentEntry) !== stableJson(report.server);
  if (report.isChanged && !request.dryRun)
    await file.put(client, report.server, moved, () => addMoved(moved));
  if (readBackup(target.path) !== null && !request.dryRun) report.backup = backupPath(target.path);
  return report;
}

async function addMoved(moved: readonly MovedServer[]): Promise<void> {
  for (const { into, as, definition, isAdded } of moved)
    if (isAdded) await addServerEntry(into, as, definition);
}

function ownServers(text: ClientText): ClientEntry[] {
  return text
    .entries(text.places.filter((section) => !isForFolder(section)))
    .filter(({ name }) => name !== ownName);
}

function keepServers(text: ClientText, report: ClientConnection): MovedServer[] {
  report.kept = ownServers(text).map(({ name }) => ({
    name,
    reason: "--keep leaves it in the client",
  }));
  return [];
}

async function moveServers(
  client: ClientName,
  text: ClientText,
  where: Where,
  { into, files, workspace, isForAll, dryRun, secrets = "file" }: ConnectRequest,
  report: ClientConnection,
): Promise<MovedServer[]> {
  const source = { client, where, workspace, keepsFolder: isForAll, inputs: inputsOf(text.data) };
  const { environment } = where;
  const written = [...new Set([...files, into])]
    .filter((path) => path !== text.file.path)
    .flatMap((path) => readServerEntries(path).map((server) => ({ ...server, path })));
  // With their secrets in place, so that one that another client brought is the same one.
  const knownServers: typeof written = [];
  for (const server of written)
    knownServers.push({ ...server, entry: await revealKept(server.entry, environment) });
  const serversBefore = [...knownServers];
  const moved: MovedServer[] = [];
  for (const { name, entry, section } of ownServers(text)) {
    const translated = translateEntry(entry, source);
    const reason = "reason" in translated ? translated.reason : null;
    if ("reason" in translated || isOurselves(name, translated.definition)) {
      report.kept.push({ name, reason: reason ?? "it is Toolplane itself" });
      continue;
    }
    const { definition } = translated;
    const isSame = (server: { entry: unknown }) => isSameServer(server.entry, definition);
    // Two names for one server in the same client are meant to be two.
    const duplicate =
      knownServers.find(
        (server) => (server.name === name || server.name.startsWith(`${name}-`)) && isSame(server),
      ) ??
      serversBefore.find((server) => isSame(server) && !moved.some(({ as }) => as === server.name));
    const writtenName =
      duplicate?.name ??
      freeNameFor(name, client, (candidate) =>
        knownServers.some((server) => server.name === candidate),
      );
    if (!duplicate) knownServers.push({ name: writtenName, entry: definition, path: into });
    addTranslated(report, writtenName, translated, where);
    const ownDefinition = duplicate
      ? concealSecrets(writtenName, definition, environment, "client").entry
      : await withoutSecrets(writtenName, definition, report, { secrets, dryRun, environment });
    moved.push({
      name,
      place: section,
      entry: asJson(entry),
      into: duplicate?.path ?? into,
      as: writtenName,
      definition: ownDefinition,
      isAdded: !duplicate,
    });
  }
  report.moved = moved.map(({ name, as, isAdded, definition }) => ({
    name,
    as,
    isNew: isAdded,
    launch: launchOf(definition),
  }));
  if (moved.length > 0) report.into = into;
  return moved;
}

/** TOML has numbers and dates that JSON has not. */
function asJson(entry: unknown): Json {
  const text = JSON.stringify(entry, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );
  return JSON.parse(text) as Json;
}

function filesWithNew({ into, files }: ConnectRequest, moved: readonly MovedServer[]): string[] {
  const isNew = moved.some(({ isAdded }) => isAdded) && !files.includes(into);
  return isNew ? [...files, into] : [...files];
}

function requireEntry(client: ClientName, server: JsonObject, { isList }: ClientPlace): JsonObject {
  const entry = gatewayEntry(client, server, isList);
  if (entry !== null) return entry;
  throw new PlaneError(
    "USAGE",
    `${clientOf(client).title} cannot use a server by its url, only by a command.`,
  );
}

function emptyReport(
  client: ClientName,
  file: ClientPlace,
  { dryRun }: ConnectRequest,
): ClientConnection {
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
    secrets: [],
    holdSecrets: [],
    elsewhere: [],
    replaces: null,
    leftBehind: [],
    isForEveryProject: false,
  };
}
