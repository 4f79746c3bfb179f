export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Unknown data that is at least an object; its fields still have to be looked at one by one. */
export type UnknownObject = { [key: string]: unknown };

export function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where a value stands: keys of objects and places in lists. */
export type Path = readonly (string | number)[];

export function renderPath(path: Path): string {
  return path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}
