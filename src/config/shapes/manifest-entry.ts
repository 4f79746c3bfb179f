import { isObject, type Path, type UnknownObject } from "../../model/json.ts";
import { toBoolean, toNumber } from "./coerce.ts";
import { type Field, fieldsOf, fieldValue, placeOf } from "./field.ts";
import { describeValue, isName, type Reading } from "./reading.ts";
import { readRemark } from "./tool-remarks.ts";
import { toolTree } from "./trees.ts";

/** Is this a tool written by hand, with its name or known by one? */
export function isManifestEntry(value: unknown, name?: string): value is UnknownObject {
  if (!isObject(value) || !isName(value.name ?? name) || typeof value.description !== "string") return false;
  return ["parameters", "side_effects", "providers"].some((key) => Object.hasOwn(value, key));
}

/** What a complete manifest says; the value is what counts where it does not. */
const assumed = {
  version: '"1.0.0"',
  parameters: '{"type":"object"}',
  auth: '{"required":false}',
  idempotency_key: "false",
} as const satisfies Partial<Record<keyof typeof toolTree, string>>;

type Context = { fallbackName?: string; tellsAssumed: boolean };

export function readManifestEntry(
  reading: Reading,
  entry: UnknownObject,
  source: Path,
  { fallbackName, tellsAssumed }: Context,
): void {
  const { name = fallbackName } = entry;
  if (!isName(name)) return reading.fail(source, "a tool needs a 'name'");
  const path = ["tools", name];
  const given = fieldsOf(entry, source).filter(({ value }) => value !== null);
  reading.define(path, source, () => {
    reading.set([...path, "name"], name, placeOf("name", entry, source));
    for (const field of given.filter(({ key }) => key !== "name")) {
      if (!Object.hasOwn(toolTree, field.key)) reading.warnUnknownKey(field.source, Object.keys(toolTree));
      else reading.set([...path, field.key], translate(reading, field), field.source);
    }
    if (tellsAssumed) warnAssumed(reading, name, given, source);
  });
}

function warnAssumed(reading: Reading, name: string, given: readonly Field[], source: Path): void {
  for (const [key, value] of Object.entries(assumed)) {
    if (fieldValue(key, given) === undefined)
      reading.warn(source, `'${key}' of '${name}' is not given: ${value} is assumed`);
  }
}

function translate(reading: Reading, field: Field): unknown {
  const { key, value, source } = field;
  if (key === "providers") return readProviders(reading, value, source);
  if (key === "parameters") return toSchema(value);
  return key === "auth" ? toAuth(value) : readRemark(reading, field);
}

function toSchema(value: unknown): unknown {
  return isObject(value) && value.type === undefined ? { ...value, type: "object" } : value;
}

/** Only a flag, or an object that may name its one variable as `env`. */
function toAuth(value: unknown): unknown {
  if (!isObject(value)) return { required: toBoolean(value) };
  const { env, ...auth } = value;
  const required = toBoolean(auth.required ?? false);
  if (typeof env !== "string" || auth.envs !== undefined) return { ...value, required };
  return { ...auth, required, envs: Object.fromEntries([[env, { required }]]) };
}

/** The providers of a tool; one that cannot be used is left out, a number that is none gets its default. */
function readProviders(reading: Reading, list: unknown, source: Path): unknown {
  if (!Array.isArray(list)) return list;
  return list.flatMap((entry, at) => {
    const place = [...source, at];
    if (isObject(entry) && isName(entry.name)) return [withNumbers(reading, entry, place)];
    reading.warn(place, "a provider without a 'name' is left out");
    return [];
  });
}

function withNumbers(reading: Reading, entry: Record<string, unknown>, source: Path): Record<string, unknown> {
  const read = { ...entry };
  for (const key of ["priority", "health_check_interval"].filter((key) => Object.hasOwn(entry, key))) {
    const number = toNumber(entry[key]);
    read[key] = number;
    if (typeof number === "number" && (number >= 0 || key === "priority")) continue;
    delete read[key];
    reading.warn([...source, key], `${describeValue(entry[key])} is no number that can be used here`);
  }
  return read;
}
