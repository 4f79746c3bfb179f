import {
  type Environment,
  ownName,
  readServerEntries,
  removeServerEntry,
  withLock,
} from "@toolplane/core/config/editing";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import type {
  ClientDisconnection,
  ClientScope,
  DisconnectOptions,
} from "@toolplane/core/model/config/setup";
import { PlaneError } from "@toolplane/core/model/errors";
import { forgetSecrets } from "../adding/keep-secrets.ts";
import { ClientFile } from "./client-file.ts";
import { type ClientPlace, requireFile, targetFile, type Where } from "./client-files.ts";
import { ClientText } from "./client-text.ts";
import { type ClientName, clientOf, knownClient } from "./clients.ts";
import {
  backupPath,
  type MovedServer,
  readBackup,
  readConnectionRecord,
} from "./connection-record.ts";

export async function disconnectClient(
  name: string,
  where: Where,
  { scope, remove = false }: DisconnectOptions = {},
): Promise<ClientDisconnection> {
  const client = knownClient(name);
  const connected = connectedFiles(client, where);
  const file = scope === undefined ? connected[0] : requireFile(client, where, scope);
  if (file === undefined || !connected.some(({ path }) => path === file.path))
    throw notConnected(client, where, scope);
  const otherPaths = connected.filter(({ path }) => path !== file.path).map(({ path }) => path);
  const restored = await withLock(file.path, () => new ClientFile(file).restore());
  const { stays, removed } = await settleMoved(restored.moved, remove, where.environment);
  return {
    client,
    title: clientOf(client).title,
    scope: file.scope,
    path: file.path,
    outcome: restored.outcome,
    returned: restored.moved
      .map((moved) => moved.name)
      .filter((moved) => !restored.missing.some((server) => server.name === moved)),
    missing: restored.missing,
    backup: restored.backup,
    stays,
    removed,
    alsoConnected: otherPaths,
  };
}

/** The project's file before the user's: it is the one that belongs to this directory. */
function connectedFiles(client: ClientName, where: Where): ClientPlace[] {
  const scopes: ClientScope[] = ["project", "user"];
  const files = scopes.flatMap((scope) => targetFile(client, where, scope) ?? []);
  const unique = files.filter(
    ({ path }, index) => files.findIndex((file) => file.path === path) === index,
  );
  return unique.filter(
    (file) =>
      ClientText.read(file).find(ownName) !== undefined || readConnectionRecord(file.path) !== null,
  );
}

function notConnected(client: ClientName, where: Where, scope: ClientScope = "user"): PlaneError {
  const { path } = requireFile(client, where, scope);
  const backupNote =
    readBackup(path) === null ? "" : ` A backup of that file is in ${backupPath(path)}.`;
  return new PlaneError(
    "NOT_FOUND",
    `${clientOf(client).title} is not connected: there is no '${ownName}' in ${path}.${backupNote}`,
    { data: { client, file: path } },
  );
}

/** The servers stay in our configuration unless they are to go; one that was edited there since stays anyway. */
async function settleMoved(
  moved: readonly MovedServer[],
  remove: boolean,
  environment: Environment,
): Promise<Pick<ClientDisconnection, "stays" | "removed">> {
  const settled: Pick<ClientDisconnection, "stays" | "removed"> = { stays: [], removed: [] };
  for (const { as, into, definition, isAdded } of moved) {
    const present = tryEntries(into).find(({ name }) => name === as);
    if (present === undefined) continue;
    const isOurs = isAdded && stableJson(present.entry) === stableJson(definition);
    if (remove && isOurs) {
      await removeServerEntry(into, as);
      forgetSecrets(definition, environment);
    }
    const servers = remove && isOurs ? settled.removed : settled.stays;
    servers.push({ name: as, path: into });
  }
  return settled;
}

function tryEntries(path: string): ReturnType<typeof readServerEntries> {
  try {
    return readServerEntries(path);
  } catch {
    return [];
  }
}
