import type { Injected, Validated } from "../model/calls/call.ts";
import type { Json, JsonObject } from "../model/json.ts";

/** The system's own value for a parameter; undefined when it has none for this caller. */
export type ValueFor = (parameter: string, call: Validated) => Json | undefined | Promise<Json | undefined>;

/** Runs after every change to the arguments, so that what a caller or an editor set is overwritten. */
export function inject(call: Validated, valueFor: ValueFor): Injected | Promise<Injected> {
  return call.tool.injects.length === 0 ? { ...call, injected: { values: {} } } : fill(call, valueFor);
}

async function fill(call: Validated, valueFor: ValueFor): Promise<Injected> {
  const values: [parameter: string, value: Json][] = [];
  for (const parameter of call.tool.injects) {
    const value = await valueFor(parameter, call);
    if (value !== undefined) values.push([parameter, value]);
  }
  return { ...call, injected: { values: Object.fromEntries(values) as JsonObject } };
}
