import { toBoolean, toNumber } from "./coerce.ts";
import type { Field } from "./field.ts";
import type { Reading } from "./reading.ts";
import { argumentsOf } from "./tool-arguments.ts";

const translations: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["version", (value: unknown) => (typeof value === "number" ? String(value) : value)],
  ["default_timeout", toNumber],
  ["cost_per_call", toNumber],
  ["rate_limit_per_minute", toNumber],
  ["allow_parallel", toBoolean],
  ["requires_consent", toBoolean],
  ["idempotency_key", toBoolean],
  ["capabilities", toList],
  ["persona_allowlist", toList],
  ["group", toList],
  ["applicable-states", toList],
  ["workspaces", toList],
]);

/** What is said about a tool, by its author or by whoever uses it, in the normal form. */
export function readRemark(reading: Reading, { key, value, source }: Field): unknown {
  if (key === "arguments") return argumentsOf(reading, value, source) ?? [];
  return translations.get(key)?.(value) ?? value;
}

function toList(value: unknown): unknown {
  return typeof value === "string" ? [value] : value;
}
