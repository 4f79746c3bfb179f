export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** An object whose fields are not checked yet. */
export type UnknownObject = { [key: string]: unknown };

export function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Path = readonly (string | number)[];

export function renderPath(path: Path): string {
  return path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}
