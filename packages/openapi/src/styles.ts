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
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return String(value ?? "");
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
  if (Array.isArray(value))
    return value.map((member) => encode(argumentText(member))).join(separator);
  if (!isRecord(value)) return encode(argumentText(value));
  const sign = explode ? "=" : ",";
  return Object.entries(value)
    .map(([key, member]) => `${encode(key)}${sign}${encode(argumentText(member))}`)
    .join(separator);
}

export function writePath({ name, style, explode }: Style, value: Json): string {
  const encode = encodePart;
  if (style === "label") return `.${writeSimple(value, explode, encode, explode ? "." : ",")}`;
  if (style !== "matrix") return writeSimple(value, explode, encode);
  if (!explode || typeof value !== "object" || value === null)
    return `;${name}=${writeSimple(value, false, encode)}`;
  const pairs = Array.isArray(value)
    ? value.map((member) => [name, member] as const)
    : Object.entries(value);
  return pairs.map(([key, member]) => `;${encode(key)}=${encode(argumentText(member))}`).join("");
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
    if (explode) return value.map((member) => `${key}=${encode(argumentText(member))}`);
    return [`${key}=${writeSimple(value, false, encode, separators[style] ?? ",")}`];
  }
  if (isRecord(value) && explode)
    return Object.entries(value).flatMap(([memberName, member]) =>
      [member].flat().map((text) => `${encodePart(memberName)}=${encode(argumentText(text))}`),
    );
  return [`${key}=${writeSimple(value, false, encode, separators[style] ?? ",")}`];
}

/** `a[b][0]=c`, as deep as it goes. */
function deepPairs(key: string, value: Json, encode: Encode): string[] {
  if (value === null) return [];
  if (typeof value !== "object") return [`${key}=${encode(argumentText(value))}`];
  return Object.entries(value).flatMap(([memberName, member]) =>
    deepPairs(`${key}[${encodePart(memberName)}]`, member as Json, encode),
  );
}

/** What separates parts of the address is still encoded; a semicolon separates for some. */
function encodeReserved(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll(/[#&;]/g, encodeURIComponent);
}

/** As APIs read it: most tell no capitals apart, and some take `a[]`, ` a` and `a.b` for `a` and `a_b`. */
const foldName = (name: string) => name.trim().toLowerCase().replaceAll(/[ .]/g, "_");
const baseName = (name: string) => foldName(name).replace(/(?<=.)\[.*$/s, "");

/** The parts of an object stand beside the other parameters, and must not be taken for one of them. */
export function refuseNameClashes(
  { argument, name }: Pick<Parameter, "argument" | "name">,
  writtenNames: readonly string[],
  otherNames: readonly string[],
): void {
  const ownBaseName = baseName(name);
  const reserved = new Set(otherNames.map(foldName));
  for (const otherBaseName of otherNames.map(baseName))
    if (otherBaseName !== ownBaseName) reserved.add(otherBaseName);
  for (const key of writtenNames) {
    const clashes =
      reserved.has(foldName(key)) || (baseName(key) !== ownBaseName && reserved.has(baseName(key)));
    if (key !== name && clashes)
      throw new InvalidArgument(argument, `must not have '${key}': it is a parameter of its own`);
  }
}

/** The names in pairs of a query, a cookie or a form. */
export function namesIn(pairs: readonly string[]): string[] {
  return pairs.map((pair) => decodeURIComponent(pair.slice(0, pair.indexOf("="))));
}
