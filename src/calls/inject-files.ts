import type { Validated } from "../model/call.ts";
import { originalOf } from "../model/injection.ts";
import type { Json } from "../model/json.ts";

/**
 * What a parameter that names files becomes: addresses in the place of the names that the caller's program knows.
 * Undefined where it knows none of them: then what the caller said goes out as it is.
 */
export function fileValue(parameter: string, { input, files = {} }: Validated): Json | undefined {
  const given = own(input.arguments, parameter);
  const address = (name: Json) => (typeof name === "string" ? own(files, name) : undefined);
  if (!Array.isArray(given)) return given === undefined ? undefined : address(given);
  return given.some((name) => address(name) !== undefined)
    ? given.map((name) => address(name) ?? name)
    : undefined;
}

/** What a file was called before; the parameter for it is declared by few tools. */
export function originalName(declared: string, parameter: string, { input }: Validated): Json | undefined {
  return declared === originalOf(parameter) ? own(input.arguments, parameter) : undefined;
}

function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
