import type { Json, JsonObject } from "@toolplane/core/model/json";
import type { Parameter } from "./operations.ts";

/** A value that cannot be sent. Nothing was sent. */
export class InvalidArgument extends Error {
  override readonly name = "InvalidArgument";
  constructor(argument: string, why: string) {
    super(`The argument '${argument}' ${why}.`);
  }
}

type Encode = (part: string) => string;

/** Half a character has no bytes. */
export const encodePart: Encode = (text) => encodeURIComponent(text.toWellFormed());

type Style = Pick<Parameter, "name" | "style" | "explode"> & { allowReserved?: boolean };

export function argumentText(value: Json): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

function isRecord(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `a,b` of a list; `k,v` or `k=v` of an object. */
export function writeSimple(
  value: Json,
  explode: boolean,
  encode: Encode,
  separator = ",",
): string {
  if (Array.isArray(value)) return value.map((item) => encode(argumentText(item))).join(separator);
  if (!isRecord(value)) return encode(argumentText(value));
  const sign = explode ? "=" : ",";
  return Object.entries(value)
    .map(([key, item]) => `${encode(key)}${sign}${encode(argumentText(item))}`)
    .join(separator);
}

export function writePath({ name, style, explode }: Style, value: Json): string {
  const encode = encodePart;
  if (style === "label") return `.${writeSimple(value, explode, encode, explode ? "." : ",")}`;
  if (style !== "matrix") return writeSimple(value, explode, encode);
  if (!explode || typeof value !== "object" || value === null)
    return `;${name}=${writeSimple(value, false, encode)}`;
  const pairs = Array.isArray(value)
    ? value.map((item) => [name, item] as const)
    : Object.entries(value);
  return pairs.map(([key, item]) => `;${encode(key)}=${encode(argumentText(item))}`).join("");
}

const separators: Readonly<Record<string, string>> = {
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
  tabDelimited: "%09",
};

/** `name=value` pairs of a query, a cookie or a form. */
export function writePairs(
  { name, style, explode, allowReserved = false }: Style,
  value: Json,
): string[] {
  const encode = allowReserved ? encodeReserved : encodePart;
  const key = encodePart(name);
  if (value === null) return [];
  if (style === "deepObject") return deepPairs(key, value, encode);
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => `${key}=${encode(argumentText(item))}`);
    return [`${key}=${writeSimple(value, false, encode, separators[style] ?? ",")}`];
  }
  if (isRecord(value) && explode)
    return Object.entries(value).flatMap(([inner, item]) =>
      (Array.isArray(item) ? item : [item]).map(
        (one) => `${encodePart(inner)}=${encode(argumentText(one))}`,
      ),
    );
  return [`${key}=${writeSimple(value, false, encode, separators[style] ?? ",")}`];
}

/** `a[b][0]=c`, as deep as it goes. */
function deepPairs(key: string, value: Json, encode: Encode): string[] {
  if (typeof value !== "object" || value === null)
    return value === null ? [] : [`${key}=${encode(argumentText(value))}`];
  return Object.entries(value).flatMap(([inner, item]) =>
    deepPairs(`${key}[${encodePart(inner)}]`, item as Json, encode),
  );
}

/** What separates parts of the address is still encoded; a semicolon separates for some. */
function encodeReserved(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll(/[#&;]/g, encodeURIComponent);
}

/** As APIs read it: most tell no capitals apart, and some take `a[]`, ` a` and `a.b` for `a` and `a_b`. */
const fold = (name: string) => name.trim().toLowerCase().replaceAll(/[ .]/g, "_");
const withoutBrackets = (name: string) => fold(name).replace(/(?<=.)\[.*$/s, "");

/** The parts of an object stand beside the other parameters, and must not be taken for one of them. */
export function refuseOthers(
  { argument, name }: Pick<Parameter, "argument" | "name">,
  written: readonly string[],
  others: readonly string[],
): void {
  const own = withoutBrackets(name);
  const taken = new Set(others.map(fold));
  for (const other of others.map(withoutBrackets)) if (other !== own) taken.add(other);
  for (const key of written) {
    const isTaken =
      taken.has(fold(key)) || (withoutBrackets(key) !== own && taken.has(withoutBrackets(key)));
    if (key !== name && isTaken)
      throw new InvalidArgument(argument, `must not have '${key}': it is a parameter of its own`);
  }
}

/** The names in pairs of a query, a cookie or a form. */
export function namesIn(pairs: readonly string[]): string[] {
  return pairs.map((pair) => decodeURIComponent(pair.slice(0, pair.indexOf("="))));
}
