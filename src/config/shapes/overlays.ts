import { isObject } from "../../model/json.ts";
import { toBoolean, toNumber } from "./coerce.ts";
import { type Field, fieldsOf } from "./field.ts";
import type { Reading } from "./reading.ts";
import type { Shape } from "./shape.ts";
import { argumentsOf } from "./tool-arguments.ts";
import { overlayTree } from "./trees.ts";

/** `overlays`: what is said here about tools that servers list, by their names. */
export const overlays: Shape = {
  keys: ["overlays"],
  read(reading, { overlays: given }) {
    if ((given ?? null) === null) return;
    if (!isObject(given)) return reading.fail(["overlays"], "must be an object of overlays by tool");
    for (const [name, entry] of Object.entries(given)) {
      const source = ["overlays", name];
      if (!isObject(entry)) reading.fail(source, "an overlay must be an object");
      else reading.define(source, source, () => readFields(reading, fieldsOf(entry, source)));
    }
  },
};

function readFields(reading: Reading, fields: readonly Field[]): void {
  for (const { key, value, source } of fields.filter((field) => field.value !== null)) {
    if (!Object.hasOwn(overlayTree, key)) reading.warnUnknownKey(source, Object.keys(overlayTree));
    else reading.set(source, readOverlayField(reading, { key, value, source }), source);
  }
}

const translations: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["version", (value: unknown) => (typeof value === "number" ? String(value) : value)],
  ["default_timeout", toNumber],
  ["cost_per_call", toNumber],
  ["rate_limit_per_minute", toNumber],
  ["allow_parallel", toBoolean],
  ["requires_consent", toBoolean],
  ["idempotency_key", toBoolean],
]);

/** One key of an overlay in the normal form. */
export function readOverlayField(reading: Reading, { key, value, source }: Field): unknown {
  if (key === "arguments") return argumentsOf(reading, value, source) ?? [];
  return translations.get(key)?.(value) ?? value;
}
