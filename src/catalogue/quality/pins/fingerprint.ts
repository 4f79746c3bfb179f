import { hash } from "../../../lib/json/stable-json.ts";
import type { PinHead } from "../../../model/catalogue/pin.ts";
import type { JsonObject, UnknownObject } from "../../../model/json.ts";

const quickHashes = new WeakMap<object, string | null>();

/** Marks hashes of whole definitions; those of before left out what the protocol does not name. */
const wholeMark = "2:";

/** What a server says of a tool, without what it may say anew each time. */
export function definitionOf(entry: UnknownObject): JsonObject {
  const { name: _, input_schema, parameters, _meta, icons, ...others } = entry;
  return { ...namedIn(entry), ...others, ...schemaIn(entry) } as JsonObject;
}

/** The part of it that was pinned before. */
function namedIn(entry: UnknownObject): JsonObject {
  const { title, description, outputSchema, annotations } = entry;
  return { title, description, ...schemaIn(entry), outputSchema, annotations } as JsonObject;
}

function schemaIn({ inputSchema, input_schema, parameters }: UnknownObject): UnknownObject {
  return { inputSchema: inputSchema ?? input_schema ?? parameters };
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
  return written(() => `${wholeMark}${hash(definitionOf(entry))}`);
}

/** Mostly the quick one is the same, and the other is never made. */
export function isPinned(head: PinHead, entry: UnknownObject): boolean {
  if (head.hash === null) return false;
  if (!head.hash.startsWith(wholeMark)) return head.hash === written(() => hash(namedIn(entry)));
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
