import type { z } from "zod";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** JSON has no undefined: a field that is left out is missing. What may be anything stays so. */
export type AsJson<Value> = [Json] extends [Value]
  ? Value
  : Value extends object
    ? { [Key in keyof Value]: AsJson<Exclude<Value[Key], undefined>> }
    : Value;

/** What a schema of an answer describes: `type Server = TypeOf<typeof Server>`. */
export type TypeOf<Schema extends z.ZodType> = AsJson<z.output<Schema>>;

/** An object whose fields are not checked yet. */
export type UnknownObject = { [key: string]: unknown };

export function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Path = readonly (string | number)[];

export function renderPath(path: Path): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");
}
