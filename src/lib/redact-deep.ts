import { redact } from "./redact.ts";

/** What is said again and again need not be looked at again and again. */
const mostRemembered = 1_000;
const longestRemembered = 200;
const remembered = new Map<string, string>();

/** Names of things we made up ourselves. */
const ours = /^(?:id|at|type|kind|status|code|face)$|(?:Id|At|Hash)$/;

/** A copy in which every text is without what looks like a secret. */
export function redactDeep<T>(value: T): T {
  return walk(value) as T;
}

function walk(value: unknown): unknown {
  if (typeof value === "string") return redactOnce(value);
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === "string" && ours.test(key) ? inner : walk(inner),
    ]),
  );
}

function redactOnce(text: string): string {
  if (text.length > longestRemembered) return redact(text);
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= mostRemembered) remembered.clear();
  const shown = redact(text);
  remembered.set(text, shown);
  return shown;
}
