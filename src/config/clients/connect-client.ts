import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { stableJson } from "../../lib/stable-json.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import type { ClientConnection } from "../../model/setup.ts";
import {
  decode,
  parseData,
  readBytes,
  readData,
  removeFromFile,
  setInFile,
  setInText,
} from "../edit/edit-file.ts";
import { valueAt } from "../edit/value-at.ts";
import { followLinks, writeAtomically } from "../edit/write-atomically.ts";
import { type Backup, readBackup, removeBackup, writeBackup } from "./backup.ts";
import { type ClientName, clientOf, type Where } from "./clients.ts";
import { ownName } from "./is-ourselves.ts";
import { knownClient } from "./known-client.ts";

/** Writes our gateway into the client's own configuration and keeps a copy of what was there. */
export function connectClient(name: string, where: Where, gateway: JsonObject): ClientConnection {
  const client = knownClient(name);
  const server = clientOf(client).entryFor(gateway);
  if (server === null) {
    throw new PlaneError(
      "USAGE",
      `${clientOf(client).title} cannot use a server by its url, only by a command.`,
    );
  }
  const { file, path } = targetOf(client, where);
  const bytes = readBytes(file);
  const present = valueAt(bytes === null ? undefined : parseData(file, bytes), path);
  const earlier = readBackup(file);
  if (stableJson(present) === stableJson(server)) {
    return { client, path: file, backup: copyOf(earlier), server };
  }
  const isSecond = bytes !== null && earlier !== null && present !== undefined;
  const isOurs = isSecond && isUntouched(file, path, { bytes, present, backup: earlier });
  const edited = textWith(file, path, isOurs ? earlier.bytes : bytes, server);
  mkdirSync(dirname(file), { recursive: true });
  // Without our entry an earlier backup is from a connection that somebody ended by hand.
  const backup = isSecond ? earlier : writeBackup(file, bytes);
  writeAtomically(file, edited);
  return { client, path: file, backup: copyOf(backup), server };
}

/** Brings back what was there, or takes out our entry alone when somebody edited the file since. */
export function disconnectClient(name: string, where: Where): ClientConnection {
  const client = knownClient(name);
  const { file, path } = targetOf(client, where);
  const bytes = readBytes(file);
  const present = valueAt(bytes === null ? undefined : parseData(file, bytes), path);
  const backup = readBackup(file);
  if (backup === null && present === undefined) {
    throw new PlaneError(
      "NOT_FOUND",
      `${clientOf(client).title} is not connected: there is no '${ownName}' in ${file}.`,
      { data: { client, file } },
    );
  }
  if (bytes !== null && present !== undefined) {
    if (backup && isUntouched(file, path, { bytes, present, backup })) restore(file, backup);
    else takeOut(file, path, backup);
  }
  removeBackup(file);
  return { client, path: file, backup: null, server: null };
}

function targetOf(client: ClientName, where: Where): { file: string; path: Path } {
  const files = clientOf(client)
    .files(where)
    .filter(({ scope }) => scope === "user");
  const target = files.find(({ path }) => readBytes(path) !== null) ?? files.at(-1);
  const [place] = target?.places ?? [];
  if (target === undefined || place === undefined) throw new Error(`no user file for ${client}`);
  return { file: target.path, path: [...place, ownName] };
}

function copyOf(backup: Backup | null): string | null {
  return backup === null || backup.bytes === null ? null : backup.path;
}

/** Is the file, byte by byte, what we made of the backup? */
function isUntouched(
  file: string,
  path: Path,
  { bytes, present, backup }: { bytes: Buffer; present: unknown; backup: Backup },
): boolean {
  return Buffer.from(textWith(file, path, backup.bytes, present as Json)).equals(bytes);
}

function textWith(file: string, path: Path, bytes: Buffer | null, server: Json): string {
  return setInText(file, bytes === null ? "" : decode(file, bytes), path, server);
}

function restore(file: string, { bytes }: Backup): void {
  if (bytes === null) rmSync(followLinks(file), { force: true });
  else writeAtomically(file, bytes);
}

function takeOut(file: string, path: Path, backup: Backup | null): void {
  const before = backup?.bytes ? parseData(file, backup.bytes) : undefined;
  const previous = valueAt(before, path);
  if (previous !== undefined) return setInFile(file, path, previous as Json);
  removeFromFile(file, path);
  if (backup === null) return;
  // The maps around our entry were made for it when they were not in the backup.
  for (let length = path.length - 1; length > 0; length--) {
    const place = path.slice(0, length);
    const rest = valueAt(readData(file), place);
    const isEmpty = isObject(rest) && Object.keys(rest).length === 0;
    if (isEmpty && valueAt(before, place) === undefined) removeFromFile(file, place);
  }
  if (backup.bytes === null && /^\s*(\{\s*\}\s*)?$/.test(String(readBytes(file)))) restore(file, backup);
}
