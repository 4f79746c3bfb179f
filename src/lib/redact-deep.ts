import { isRawJSON } from "./exact-numbers.ts";
import { createLru } from "./lru.ts";
import { redact } from "./redact.ts";

/** What is said again and again need not be looked at again and again. */
const maxRemembered = 1_000;
const maxRememberedLength = 200;
const remembered = createLru<string>(maxRemembered);

/** Names of things we made up ourselves. */
const oursByKey = new Map<string, boolean>();
const ours = /^(?:id|at|type|kind|status|code|face)$|(?:Id|At|Hash)$/;

/** Every text without what looks like a secret; the value itself where there is none. */
export function redactDeep<T>(value: T): T {
  return walk(value) as T;
}

function walk(value: unknown): unknown {
  if (typeof value === "string") return redactOnce(value);
  if (typeof value !== "object" || value === null || isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.some((inner) => walk(inner) !== inner) ? value.map(walk) : value;
  // Most of what is looked at holds no secret, and copying it costs more than looking.
  let changed: Record<string, unknown> | undefined;
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    const shown = typeof inner === "string" && isOurs(key) ? inner : walk(inner);
    if (shown === inner) continue;
    changed ??= { ...value };
    changed[key] = shown;
  }
  return changed ?? value;
}

function isOurs(key: string): boolean {
  const known = oursByKey.get(key) ?? ours.test(key);
  if (oursByKey.size < maxRemembered) oursByKey.set(key, known);
  return known;
}

function redactOnce(text: string): string {
  if (text.length > maxRememberedLength) return redact(text);
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const shown = redact(text);
  remembered.set(text, shown);
  return shown;
}
