import { isObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import { type Field, fieldsOf } from "./field.ts";
import type { Reading } from "./reading.ts";
import { inferAuthType } from "./server-auth.ts";
import { fieldReaders } from "./server-fields.ts";

/** Elsewhere null says no more than leaving the key out. */
const mayBeNull: readonly string[] = ["persona", "compliance_level", "allow_tools", "deny_tools"];

/** A server as it stands in a file. What is no object is passed on for the validation to refuse. */
export function readServer(reading: Reading, name: string, entry: unknown, source: Path): void {
  if (isObject(entry)) return readServerFields(reading, name, fieldsOf(entry, source), source);
  const path = ["servers", name];
  reading.define(path, source, () => reading.set(path, entry, source));
}

/** A server put together from fields, which may come from several places. */
export function readServerFields(
  reading: Reading,
  name: string,
  given: readonly Field[],
  source: Path,
): void {
  const path = ["servers", name];
  const fields = given.filter(({ key, value }) => value !== null || mayBeNull.includes(key));
  const server = { reading, name, path, fields };
  reading.define(path, source, () => {
    for (const field of given) {
      const read = fieldReaders.get(field.key);
      if (!read) reading.warnUnknownKey(field.source, fieldReaders.keys());
      else if (fields.includes(field)) read(field, server);
    }
    inferAuthType(server);
  });
}

/** Does this look like a server beyond doubt, whatever it is called? */
export function isServer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { command, url } = value;
  return typeof command === "string" || Array.isArray(command) || typeof url === "string";
}
