import type { ConfigProblem } from "../../model/config.ts";
import type { UnknownObject } from "../../model/json.ts";
import { type NamedOverlay, ToolOverlay } from "../../model/overlay.ts";
import { parseValue, type Report } from "../parse-value.ts";
import { fieldsOf } from "../shapes/field.ts";
import { createReading } from "../shapes/reading.ts";
import { readRemark } from "../shapes/tool-remarks.ts";
import { overlayTree } from "../shapes/trees.ts";

/** What belongs to a tool of one's own and never to a server's. */
const ownTools: readonly string[] = ["parameters", "providers", "persona", "owner", "auth"];

/** An overlay that was given instead of read from a file. `tell` hears what was left out. */
export function checkOverlay(
  name: string,
  given: UnknownObject,
  report: Report,
  tell: (problem: ConfigProblem) => void,
): NamedOverlay | undefined {
  const reading = createReading((source) => ({ file: "(given)", line: null, path: source.join(".") }));
  const said: UnknownObject = {};
  for (const field of fieldsOf(given, [])) {
    if (field.key === "name" || field.key === "kind" || (field.value ?? null) === null) continue;
    if (ownTools.includes(field.key))
      report(
        [field.key],
        `cannot be said about a tool of a server`,
        "An overlay has a description, arguments and metadata. For anything else give yours another name and let its provider call this one.",
      );
    else if (!Object.hasOwn(overlayTree, field.key))
      reading.warnUnknownKey(field.source, Object.keys(overlayTree));
    else said[field.key] = readRemark(reading, field);
  }
  reading.problems.forEach(tell);
  const overlay = parseValue(ToolOverlay, said, [], report);
  return overlay && { name, ...overlay };
}
