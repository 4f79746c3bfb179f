import type { Outcome } from "../../model/calls/call.ts";
import type { ToolMetadata } from "../../model/catalogue/tool.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Caller } from "../../model/principal.ts";

/** A tool as a function, with what its manifest says of it. */
export type MappedFunction = {
  callable(args?: JsonObject): Promise<Outcome>;
  readonly metadata: Readonly<ToolMetadata>;
};

/**
 * The tools of a caller as functions by name, with their metadata.
 *
 * @example
 * const functions = await asFunctionMap(plane);
 * const { callable, metadata } = functions.lookup;
 * if (metadata.side_effects === "none") console.log(await callable({ q: "Rome" }));
 */
export async function asFunctionMap(
  plane: Pick<Plane, "tools" | "call">,
  caller: Caller = {},
): Promise<Readonly<Record<string, MappedFunction>>> {
  const tools = await plane.tools.list(caller);
  const functions = tools.map(({ name, metadata }): [string, MappedFunction] => [
    name,
    { callable: (args = {}) => plane.call(name, args, caller), metadata },
  ]);
  return Object.fromEntries(functions);
}
