import { existsSync, renameSync, rmSync } from "node:fs";
import { readBytes, writeAtomically } from "@toolplane/core/config/editing";
import { isObject, type Json, type JsonObject, type Path } from "@toolplane/core/model/json";

export type MovedServer = {
  name: string;
  place: Path;
  entry: Json;
  /** The configuration that has it now, under that name and in that form. */
  into: string;
  as: string;
  definition: JsonObject;
  /** False when the configuration had it before. */
  isAdded: boolean;
};

export type ConnectionRecord = {
  version: 1;
  client: string;
  existed: boolean;
  server: JsonObject;
  moved: MovedServer[];
  written: string;
};

function recordPath(file: string): string {
  return `${file}.toolplane-connection.json`;
}

export function backupPath(file: string): string {
  return `${file}.toolplane-backup`;
}

export function readConnectionRecord(file: string): ConnectionRecord | null {
  const bytes = readBytes(recordPath(file));
  if (bytes === null) return null;
  try {
    const record: unknown = JSON.parse(String(bytes));
    const isOurs = isObject(record) && record.version === 1 && Array.isArray(record.moved);
    if (!isOurs) return null;
    return record as ConnectionRecord;
  } catch {
    return null;
  }
}

export function writeRecord(file: string, record: ConnectionRecord): void {
  writeAtomically(recordPath(file), `${JSON.stringify(record, null, 2)}\n`);
}

export function removeRecord(file: string): void {
  rmSync(recordPath(file), { force: true });
}

export function readBackup(file: string): Buffer | null {
  return readBytes(backupPath(file));
}

/** An older backup stays under a name of its own. */
export function writeBackup(file: string, bytes: Buffer | null): void {
  retireBackup(file, bytes);
  if (bytes !== null) writeAtomically(backupPath(file), bytes);
}

export function removeBackup(file: string): void {
  rmSync(backupPath(file), { force: true });
}

function retireBackup(file: string, bytes: Buffer | null): void {
  const older = readBackup(file);
  if (older === null || (bytes !== null && older.equals(bytes))) return;
  let count = 1;
  while (existsSync(`${backupPath(file)}-${count}`)) count++;
  renameSync(backupPath(file), `${backupPath(file)}-${count}`);
}
