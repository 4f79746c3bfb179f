import { hash } from "../../lib/stable-json.ts";
import type { JsonObject, UnknownObject } from "../../model/json.ts";
import type { PinHead } from "../../model/pin.ts";

const quickHashes = new WeakMap<object, string | null>();

/** What a server says of a tool, without what it may say anew each time. */
export function definitionOf(entry: UnknownObject): JsonObject {
  const { title, description, inputSchema, input_schema, parameters, outputSchema, annotations } = entry;
  const schema = inputSchema ?? input_schema ?? parameters;
  return { title, description, inputSchema: schema, outputSchema, annotations } as JsonObject;
}

/** Of the definition as it was written: another order of keys is another one. Null when it cannot be written. */
export function quickHashOf(entry: UnknownObject): string | null {
  const known = quickHashes.get(entry);
  if (known !== undefined) return known;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const text = written(() => JSON.stringify(definitionOf(entry)));
  const made = text === null ? null : createHash("sha256").update(text).digest("base64url");
  quickHashes.set(entry, made);
  return made;
}

/** Of what the definition says. */
export function hashOf(entry: UnknownObject): string | null {
  return written(() => hash(definitionOf(entry)));
}

/** Mostly the quick one is the same, and the other is never made. */
export function isPinned(head: PinHead, entry: UnknownObject): boolean {
  if (head.hash === null) return false;
  const quick = quickHashOf(entry);
  return quick !== null && (head.quickHash === quick || head.hash === hashOf(entry));
}

/** Whoever nests a definition too deep to be written must not stop us from looking at the others. */
function written<T>(write: () => T): T | null {
  try {
    return write();
  } catch {
    return null;
  }
}
