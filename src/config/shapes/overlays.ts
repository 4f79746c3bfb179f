import { isObject } from "../../model/json.ts";
import { type Field, fieldsOf } from "./field.ts";
import type { Reading } from "./reading.ts";
import type { Shape } from "./shape.ts";
import { readRemark } from "./tool-remarks.ts";
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
    else reading.set(source, readRemark(reading, { key, value, source }), source);
  }
}
