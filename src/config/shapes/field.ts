import type { Path, UnknownObject } from "../../model/json.ts";
import type { Reading } from "./reading.ts";

/** One key of an entry with the place it was written at. */
export type Field = { key: string; value: unknown; source: Path };

/** A server that is being read. */
export type Server = { reading: Reading; name: string; path: Path; fields: readonly Field[] };

export type ReadField = (field: Field, server: Server) => void;

export function fieldsOf(entry: UnknownObject, source: Path): Field[] {
  return Object.entries(entry).map(([key, value]) => ({ key, value, source: [...source, key] }));
}

/** Where a key stands; around it where it is not written. */
export function placeOf(key: string, entry: UnknownObject, source: Path): Path {
  return Object.hasOwn(entry, key) ? [...source, key] : source;
}

export function fieldValue(key: string, fields: readonly Field[]): unknown {
  return fields.find((field) => field.key === key)?.value;
}

/** A key of another system that we have no use for; where it asks for nothing, nothing is said. */
export function warnWithoutEffect({ key, value, source }: Field, reading: Reading): void {
  const asksNothing = value === null || value === false || value === "" || isEmptyList(value);
  if (!asksNothing) reading.warn(source, `'${key}' has no effect here`);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
