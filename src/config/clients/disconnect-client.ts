import { rmSync } from "node:fs";
import { hashText, stableJson } from "../../lib/json/stable-json.ts";
import { mergeLines } from "../../lib/text/lines.ts";
import type { ClientDisconnection, ClientScope, DisconnectOptions } from "../../model/config/setup.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Json, Path } from "../../model/json.ts";
import { decode, parseData, readBytes, readData, removeFromText } from "../edit/edit-file.ts";
import { readServerEntries, removeServerEntry } from "../edit/server-entries.ts";
import { valueAt } from "../edit/text-format.ts";
import { followLinks, withLock, writeAtomically } from "../edit/write-file.ts";
import {
  type ClientFile,
  dataIn,
  entriesAt,
  entryAt,
  isForFolder,
  placesIn,
  targetFile,
  type Where,
  withEntry,
  withoutEntry,
} from "./client-files.ts";
import { type ClientName, clientOf, knownClient } from "./clients.ts";
import { mainPlace, requireFile, withGateway } from "./connect-client.ts";
import {
  backupPath,
  type ConnectionRecord,
  type MovedServer,
  readBackup,
  readRecord,
  removeBackup,
  removeRecord,
} from "./connection-record.ts";
import { gatewayConfig, ownName } from "./own-entry.ts";

export async function disconnectClient(
  name: string,
  where: Where,
  { scope, remove = false }: DisconnectOptions = {},
): Promise<ClientDisconnection> {
  const client = knownClient(name);
  const connected = connectedFiles(client, where);
  const file = scope === undefined ? connected[0] : requireFile(client, where, scope);
  if (file === undefined || !connected.some(({ path }) => path === file.path)) throw notConnected(client, where, scope);
  const others = connected.filter(({ path }) => path !== file.path).map(({ path }) => path);
  const back = await withLock(file.path, () => giveBack(file));
  const { stays, removed } = await settle(back.moved, remove);
  return {
    client,
    title: clientOf(client).title,
    scope: file.scope,
    path: file.path,
    outcome: back.outcome,
    returned: back.moved.map((moved) => moved.name).filter((moved) => !back.missing.some((one) => one.name === moved)),
    missing: back.missing,
    backup: back.backup,
    stays,
    removed,
    alsoConnected: others,
  };
}

/** The project's file before the user's: it is the one that belongs to this directory. */
function connectedFiles(client: ClientName, where: Where): ClientFile[] {
  const scopes: ClientScope[] = ["project", "user"];
  const files = scopes.flatMap((scope) => targetFile(client, where, scope) ?? []);
  const unique = files.filter(({ path }, at) => files.findIndex((file) => file.path === path) === at);
  return unique.filter((file) => {
    const data = readData(file.path);
    return entryAt(data, mainPlace(file, data), ownName) !== undefined || readRecord(file.path) !== null;
  });
}

function notConnected(client: ClientName, where: Where, scope: ClientScope = "user"): PlaneError {
  const { path } = requireFile(client, where, scope);
  const kept = readBackup(path) === null ? "" : ` A backup of that file is in ${backupPath(path)}.`;
  return new PlaneError(
    "NOT_FOUND",
    `${clientOf(client).title} is not connected: there is no '${ownName}' in ${path}.${kept}`,
    { data: { client, file: path } },
  );
}

type GivenBack = Pick<ClientDisconnection, "outcome" | "missing" | "backup"> & { moved: MovedServer[] };

function giveBack(file: ClientFile): GivenBack {
  const bytes = readBytes(file.path);
  const record = readRecord(file.path);
  const backup = readBackup(file.path);
  const moved = record?.moved ?? [];
  const isWhole = record !== null && record.existed === (backup !== null) && hasAll(file, backup, moved);
  const isUntouched = bytes === null || hashText(bytes) === record?.written;
  if (record !== null && isWhole && isUntouched) {
    restore(file, backup);
    removeRecord(file.path);
    removeBackup(file.path);
    return { outcome: backup === null ? "deleted" : "restored", missing: [], backup: null, moved };
  }
  const text = bytes === null ? null : decode(file.path, bytes);
  const original = backup === null ? null : decode(file.path, backup);
  const merged = merge(file, text ?? "", original, record);
  const outcome = place(file, merged.text, record);
  const missing = missingServers(file, merged.text, original, moved);
  removeRecord(file.path);
  // What the backup alone has must not go with it.
  const isKept = original !== null && (missing.length > 0 || (!merged.isByLines && hasComments(file, original)));
  if (!isKept) removeBackup(file.path);
  return { outcome, missing, backup: isKept ? backupPath(file.path) : null, moved };
}

/** Is every server that was moved in the backup too? One that was added later is not. */
function hasAll(file: ClientFile, backup: Buffer | null, moved: readonly MovedServer[]): boolean {
  const data = backup === null ? undefined : parseData(file.path, backup);
  return moved.every((server) => entryAt(data, server.place, server.name) !== undefined);
}

function restore(file: ClientFile, bytes: Buffer | null): void {
  if (bytes === null) rmSync(followLinks(file.path), { force: true });
  else writeAtomically(file.path, bytes);
}

function place(file: ClientFile, text: string, record: ConnectionRecord | null): "merged" | "deleted" {
  if (record?.existed === false && /^\s*(\{\s*\}\s*)?$/.test(text)) {
    restore(file, null);
    return "deleted";
  }
  writeAtomically(file.path, text);
  return "merged";
}

/** What we did to the original is undone in the text of today: line by line where that works, else by value. */
function merge(
  file: ClientFile,
  text: string,
  original: string | null,
  record: ConnectionRecord | null,
): { text: string; isByLines: boolean } {
  const byValue = mergeValues(file, text, original, record?.moved ?? []);
  if (record === null || original === null) return { text: byValue, isByLines: false };
  const ours = withGateway(file, original, record.server, record.moved);
  const byLines = mergeLines(ours, text, original);
  const isRight = byLines !== null && meansTheSame(file, byLines, byValue);
  return isRight ? { text: byLines, isByLines: true } : { text: byValue, isByLines: false };
}

function mergeValues(file: ClientFile, text: string, original: string | null, moved: readonly MovedServer[]): string {
  const before = dataIn(file, original);
  const result = moved.reduce((now, { name, place: from, entry }) => {
    const isThere = entryAt(dataIn(file, now), from, name) !== undefined;
    return isThere ? now : withEntry(file, now, from, name, entry);
  }, text);
  const data = dataIn(file, result);
  const own = mainPlace(file, data);
  if (entryAt(data, own, ownName) === undefined) return result;
  const previous = entryAt(before, own, ownName);
  if (previous !== undefined && gatewayConfig(previous) === null)
    return withEntry(file, result, own, ownName, previous as Json);
  return withoutEmpty(file, withoutEntry(file, result, own, ownName), own, before);
}

/** The maps around our entry were made for it when the original has none. */
function withoutEmpty(file: ClientFile, text: string, own: Path, before: unknown): string {
  let result = text;
  if (before === undefined && readRecord(file.path) === null) return result;
  for (let length = own.length; length > 0; length--) {
    const around = own.slice(0, length);
    const rest = valueAt(dataIn(file, result), around);
    const isEmpty = typeof rest === "object" && rest !== null && Object.keys(rest).length === 0;
    if (isEmpty && valueAt(before, around) === undefined) result = removeFromText(file.path, result, around) ?? result;
  }
  return result;
}

/** Lists of servers are compared by name: each way of merging puts them in an order of its own. */
function meansTheSame(file: ClientFile, one: string, other: string): boolean {
  const meaning = (text: string) => {
    const data = dataIn(file, text);
    const places = placesIn(file, data).filter((at) => Array.isArray(valueAt(data, at)));
    const byName = places.map((at) => entriesAt(data, at).sort((a, b) => (a.name < b.name ? -1 : 1)));
    const rest = places.reduce((less, at) => removeFromText(file.path, less, at) ?? less, text);
    return stableJson([byName, dataIn(file, rest) ?? null]);
  };
  try {
    return meaning(one) === meaning(other);
  } catch {
    return false;
  }
}

function missingServers(
  file: ClientFile,
  text: string,
  original: string | null,
  moved: readonly MovedServer[],
): ClientDisconnection["missing"] {
  const now = dataIn(file, text);
  const before = dataIn(file, original);
  const places = placesIn(file, before).filter((at) => !isForFolder(at));
  const gone = places
    .flatMap((at) => entriesAt(before, at))
    .filter(({ name, place: at }) => name !== ownName && entryAt(now, at, name) === undefined)
    .map(({ name }) => ({ name, reason: "it was taken out while the client was connected" }));
  const taken = moved
    .filter(({ name, place: at, entry }) => stableJson(entryAt(now, at, name)) !== stableJson(entry))
    .map(({ name }) => ({ name, reason: "another server has its name now" }));
  return [...gone, ...taken];
}

/** Values that were put back have lost the comments among them. */
function hasComments(file: ClientFile, text: string): boolean {
  if (/\.(toml|ya?ml)$/i.test(file.path)) return text.includes("#");
  try {
    JSON.parse(text.replace(/^\ufeff/, "") || "null");
    return false;
  } catch {
    return true;
  }
}

/** The servers stay in our configuration unless they are to go; one that was edited there since stays anyway. */
async function settle(
  moved: readonly MovedServer[],
  remove: boolean,
): Promise<Pick<ClientDisconnection, "stays" | "removed">> {
  const result: Pick<ClientDisconnection, "stays" | "removed"> = { stays: [], removed: [] };
  for (const { as, into, definition, isAdded } of moved) {
    const present = tryEntries(into).find(({ name }) => name === as);
    if (present === undefined) continue;
    const isOurs = isAdded && stableJson(present.entry) === stableJson(definition);
    if (remove && isOurs) await removeServerEntry(into, as);
    result[remove && isOurs ? "removed" : "stays"].push({ name: as, path: into });
  }
  return result;
}

function tryEntries(path: string): ReturnType<typeof readServerEntries> {
  try {
    return readServerEntries(path);
  } catch {
    return [];
  }
}
