import { findChanged } from "../lib/json/exact-numbers.ts";
import type { Routed, Validated } from "../model/calls/call.ts";
import { PlaneError } from "../model/errors.ts";

const maxShown = 40;

/** What is shown, kept or computed with would be another number than the caller wrote: better none. */
export function requireReadable({ tool, input }: Validated, why: string): void {
  const first = findChanged(input.exact);
  if (first === undefined) return;
  const name = first.path.join(".");
  const { length } = first.text;
  const shown = length > maxShown ? `${first.text.slice(0, maxShown)}… (${length} characters)` : first.text;
  throw new PlaneError(
    "INVALID_ARGUMENTS",
    `'${name}' of '${tool.name}' is ${shown}, which is another number as soon as it is read, and ${why}. Give a number of at most 15 digits, or a text if the tool takes one.`,
    { data: { tool: tool.name, problems: [{ path: name, message: "cannot be read exactly" }] } },
  );
}

/** Servers get arguments as they were written. Whatever else executes a tool gets values. */
export function requireWritable(call: Routed): Routed {
  if (call.input.exact && call.route.candidates.some(({ name }) => name !== "mcp"))
    requireReadable(call, "this tool is not executed by a server that could get it as it is");
  return call;
}
