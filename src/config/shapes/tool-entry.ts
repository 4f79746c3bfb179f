import { withoutUndefined } from "../../lib/json/plain-data.ts";
import {
  argumentTypes,
  isMarkedOptional,
  parseArgumentText,
  type ToolArgument,
  type ToolManifest,
} from "../../model/catalogue/tool.ts";
import { isObject, type Path, type UnknownObject } from "../../model/json.ts";
import { toBoolean, toNumber } from "./coerce.ts";
import { toolKeys } from "./normal-form.ts";
import {
  describeValue,
  type Field,
  fieldValue,
  isName,
  listFields,
  pathOfKey,
  type Reading,
} from "./reading.ts";

export function isManifestEntry(value: unknown, name?: string): value is UnknownObject {
  if (!isObject(value) || !isName(value.name ?? name) || typeof value.description !== "string")
    return false;
  return ["parameters", "side_effects", "providers"].some((key) => Object.hasOwn(value, key));
}

/** What a complete manifest says; the value is what counts where it does not. */
const assumedValues = {
  version: '"1.0.0"',
  parameters: '{"type":"object"}',
  side_effects: '"network"',
  auth: '{"required":false}',
  idempotency_key: "false",
} as const satisfies Partial<Record<keyof ToolManifest, string>>;

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
  const writtenFields = listFields(entry, source).filter(({ value }) => value !== null);
  reading.define(path, source, () => {
    reading.set([...path, "name"], name, pathOfKey("name", entry, source));
    for (const field of writtenFields.filter(({ key }) => key !== "name")) {
      if (!toolKeys.includes(field.key)) reading.warnUnknownKey(field.source, toolKeys);
      else reading.set([...path, field.key], translateField(reading, field), field.source);
    }
    if (tellsAssumed) warnAssumed(reading, name, writtenFields, source);
  });
}

function warnAssumed(
  reading: Reading,
  name: string,
  writtenFields: readonly Field[],
  source: Path,
): void {
  for (const [key, value] of Object.entries(assumedValues)) {
    if (fieldValue(key, writtenFields) === undefined)
      reading.warn(source, `'${key}' of '${name}' is not given: ${value} is assumed`);
  }
}

function translateField(reading: Reading, field: Field): unknown {
  const { key, value, source } = field;
  if (key === "providers") return readProviders(reading, value, source);
  if (key === "parameters") return toSchema(value);
  if (key === "auth") return toAuth(value);
  return readRemark(reading, field);
}

function toSchema(value: unknown): unknown {
  if (isObject(value) && value.type === undefined) return { ...value, type: "object" };
  return value;
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
  return list.flatMap((entry, index) => {
    const entrySource = [...source, index];
    if (isObject(entry) && isName(entry.name)) return [withNumbers(reading, entry, entrySource)];
    reading.warn(entrySource, "a provider without a 'name' is left out");
    return [];
  });
}

function withNumbers(
  reading: Reading,
  entry: Record<string, unknown>,
  source: Path,
): Record<string, unknown> {
  const withNumbersOnly = { ...entry };
  for (const key of ["priority", "health_check_interval"].filter((key) =>
    Object.hasOwn(entry, key),
  )) {
    const number = toNumber(entry[key]);
    withNumbersOnly[key] = number;
    if (typeof number === "number" && (number >= 0 || key === "priority")) continue;
    delete withNumbersOnly[key];
    reading.warn([...source, key], `${describeValue(entry[key])} is not a valid number here`);
  }
  return withNumbersOnly;
}

const translations: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["version", (value: unknown) => (typeof value === "number" ? String(value) : value)],
  ["default_timeout", toNumber],
  ["cost_per_call", toNumber],
  ["rate_limit_per_minute", toNumber],
  ["allow_parallel", toBoolean],
  ["requires_consent", toBoolean],
  ["idempotency_key", toBoolean],
  ["capabilities", toList],
  ["persona_allowlist", toList],
  ["group", toList],
  ["applicable-states", toList],
  ["workspaces", toList],
]);

export function readRemark(reading: Reading, { key, value, source }: Field): unknown {
  if (key === "arguments") return readToolArguments(reading, value, source) ?? [];
  return translations.get(key)?.(value) ?? value;
}

function toList(value: unknown): unknown {
  return typeof value === "string" ? [value] : value;
}

const keys = ["name", "type", "description", "required", "default", "enum", "hidden", "fixed"];

/** A list of arguments in the normal form; an entry that cannot be used is left out. Undefined where nothing is said. */
export function readToolArguments(
  reading: Reading,
  list: unknown,
  source: Path,
): ToolArgument[] | undefined {
  if ((list ?? null) !== null && !Array.isArray(list))
    reading.warn(source, "must be a list of arguments");
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const toolArguments = list.flatMap(
    (entry, index) => readArgument(reading, entry, [...source, index]) ?? [],
  );
  return toolArguments.filter(({ name }, index) => {
    const isFirst = toolArguments.findIndex((toolArgument) => toolArgument.name === name) === index;
    if (!isFirst) reading.warn(source, `argument '${name}' is set twice; the first value is used`);
    return isFirst;
  });
}

function readArgument(reading: Reading, entry: unknown, source: Path): ToolArgument | undefined {
  if (typeof entry === "string") return readText(reading, entry, source);
  if (!isObject(entry) || !isName(entry.name))
    return void reading.warn(source, "an argument without a 'name' is left out");
  for (const key of Object.keys(entry).filter((key) => !keys.includes(key)))
    reading.warnUnknownKey([...source, key], keys);
  const { name, type, description, default: fallback, enum: choices, hidden, fixed } = entry;
  const knownType = argumentTypes.find((argumentType) => argumentType === type);
  if (knownType === undefined && type !== undefined) {
    const hint = `Use ${argumentTypes.join(", ")}.`;
    reading.warn([...source, "type"], `type ${describeValue(type)} is unknown`, hint);
  }
  const required = isRequired(name, entry);
  return {
    name: name.trim().replace(/(?<=.)\?$/, ""),
    ...withoutUndefined({
      type: knownType,
      description: isName(description) ? description : undefined,
      required,
      default: fallback as ToolArgument["default"],
      enum: Array.isArray(choices) ? choices : undefined,
      hidden: toBoolean(hidden) === true ? true : undefined,
      fixed: fixed as ToolArgument["fixed"],
    }),
  };
}

function readText(reading: Reading, text: string, source: Path): ToolArgument | undefined {
  const parsed = parseArgumentText(text);
  if ("problem" in parsed)
    return void reading.warn(source, `${describeValue(text)} ${parsed.problem}`);
  const { required, ...argument } = parsed;
  const requiredFlag = required === false ? false : isRequired(parsed.name, argument);
  return { ...argument, ...withoutUndefined({ required: requiredFlag }) };
}

/** Undefined where it is not said at all. */
function isRequired(
  name: string,
  { description, required, default: fallback }: UnknownObject,
): boolean | undefined {
  const flag = toBoolean(required);
  if (typeof flag === "boolean") return flag;
  if (fallback !== undefined || name.trim().endsWith("?")) return false;
  return isMarkedOptional(description) ? false : undefined;
}
