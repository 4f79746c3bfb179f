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

/** Of what a stranger sends, which may be anything. */
export function objectOrEmpty(value: unknown): UnknownObject {
  return isObject(value) ? value : {};
}

export function listOrEmpty(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export type Path = readonly (string | number)[];

export function renderPath(path: Path): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");
}
