import { isObject, type JsonObject } from "../../model/json.ts";
import type { ToolMetadata } from "../../model/tool.ts";

type Flags = Readonly<Record<string, unknown>>;
type Needed = NonNullable<ToolMetadata["requires_flags"]>;

/** What a call needs that does not say what it wants to do. */
const withoutOperation = ["read", "execute"];

/**
 * The flags that are missing for what the arguments want to do. Without arguments: those that are missing
 * for everything the tool can do.
 */
export function missingFlags(needed: Needed | undefined, flags: Flags, args?: JsonObject): string[] {
  if (needed === undefined) return [];
  const missing = (operations: readonly string[]) =>
    flagsFor(needed, operations).filter((flag) => !isOn(flags, flag));
  if (args === undefined) {
    const each = [withoutOperation, ...Object.keys(needed).map((operation) => [operation])].map(missing);
    return each.some((lacking) => lacking.length === 0) ? [] : [...new Set(each.flat())];
  }
  const { operation } = args;
  if (operation === undefined || operation === null) return missing(withoutOperation);
  // What is no text may mean anything to the server.
  if (typeof operation !== "string") return missing(Object.keys(needed));
  return missing(isNamed(needed, operation) ? [operation] : withoutOperation);
}

function flagsFor(needed: Needed, operations: readonly string[]): string[] {
  const wanted = new Set(operations.map(plain));
  const flags = Object.entries(needed).filter(([operation]) => wanted.has(plain(operation)));
  return [...new Set(flags.flatMap(([, list]) => list))];
}

function isNamed(needed: Needed, operation: string): boolean {
  return Object.keys(needed).some((known) => plain(known) === plain(operation));
}

/** Servers that are lenient about spelling must not make us blind. */
function plain(operation: string): string {
  return operation.normalize("NFKC").trim().toLowerCase();
}

/** Dots lead into objects, and may belong to a name. */
function isOn(flags: Flags, path: string): boolean {
  if (Object.hasOwn(flags, path)) return flags[path] === true;
  for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (isObject(inner) && isOn(inner, path.slice(dot + 1))) return true;
  }
  return false;
}
