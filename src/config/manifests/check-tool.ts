import { ToolManifest } from "../../model/catalogue/tool.ts";
import type { ConfigProblem } from "../../model/config/config.ts";
import { parseValue, type Report } from "../parse-value.ts";
import { readManifestEntry } from "../shapes/manifest-entry.ts";
import { createReading, originIn } from "../shapes/reading.ts";
import type { Entry } from "./entries.ts";

/** A tool in its normal form, in all the ways that one may be written by hand. `tell` hears what was filled in. */
export function checkTool(
  { data, name, owner, document, source }: Entry,
  report: Report,
  tell: (problem: ConfigProblem) => void,
): ToolManifest | undefined {
  const reading = createReading(originIn(document));
  readManifestEntry(reading, data, source, {
    tellsAssumed: true,
    ...(name === undefined ? {} : { fallbackName: name }),
  });
  reading.problems.forEach(tell);
  if (reading.settings.length === 0) return undefined;
  const fields = Object.fromEntries(reading.settings.map(({ path, value }) => [path[2], value]));
  return parseValue(ToolManifest, owner === null ? fields : { ...fields, persona: owner }, [], report);
}
