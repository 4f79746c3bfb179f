import { isObject, type Path, type UnknownObject } from "../../model/json.ts";
import type { Transport } from "../../model/servers/server.ts";
import { secondsToMs, splitCommas, splitShellWords, splitSpaces, toBoolean } from "./coerce.ts";
import { type Field, fieldValue, placeOf, warnWithoutEffect } from "./field.ts";
import { describeValue, type Reading } from "./reading.ts";

const aliases: ReadonlyMap<string, string> = new Map([
  ["cmd", "command"],
  ["command_args", "args"],
  ["working_directory", "cwd"],
  ["uri", "url"],
  ["endpoint", "url"],
  ["timeout", "timeout_seconds"],
  ["authentication", "auth"],
]);

const transports: ReadonlyMap<unknown, Transport> = new Map<unknown, Transport>([
  ["stdio", "stdio"],
  ["ws", "websocket"],
  ["wss", "websocket"],
  ["websocket", "websocket"],
  ["http", "http"],
  ["https", "http"],
  ["streamable_http", "http"],
  ["streamable-http", "http"],
  ["sse", "sse"],
]);

const keysWithoutEffect = ["health_check_interval"];
const defaultTimeoutSeconds = 30;

type Translate = (field: Field, reading: Reading) => Field[];

function withValue(translate: (value: unknown) => unknown): Translate {
  return (field) => [{ ...field, value: translate(field.value) }];
}

const translations: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ["args", withValue((value) => (typeof value === "string" ? splitShellWords(value) : value))],
  ["enabled", withValue(toBoolean)],
  ["allow_parallel", withValue(toBoolean)],
  ["requires_consent", withValue(toBoolean)],
  ["idempotency_key", withValue(toBoolean)],
  ["allow_tools", readFilter],
  ["deny_tools", readFilter],
  ["transport", readTransport],
  ["timeout_seconds", readTimeout],
  ["auth", readAuth],
  ["version", withValue((value) => (typeof value === "number" ? String(value) : value))],
  ["auth_required", withValue(toBoolean)],
  ["auth_env", withValue(toNames)],
  ...keysWithoutEffect.map((key): [string, Translate] => [key, readNothing]),
]);

/** The fields of one server, and of what it inherits, under the names and in the units of the normal form. */
export function translateFields(reading: Reading, fields: readonly Field[]): Field[] {
  const given = fields.filter(({ value }) => value !== null);
  const renamed = given.map((field) => ({ ...field, key: aliases.get(field.key) ?? field.key }));
  const translated = renamed.flatMap((field) => translations.get(field.key)?.(field, reading) ?? [field]);
  return uniteScopes(translated);
}

/** The words of a text between commas; a text without any says nothing. */
function readFilter(field: Field): Field[] {
  if (typeof field.value === "string" && field.value.trim() === "") return [];
  return [{ ...field, value: splitCommas(field.value) }];
}

function readTransport(field: Field, reading: Reading): Field[] {
  const { value, source } = field;
  const transport = transports.get(typeof value === "string" ? value.trim().toLowerCase() : value);
  if (transport) return [{ ...field, value: transport }];
  const hint = "Whether there is a command or a url decides instead.";
  reading.warn(source, `transport ${describeValue(value)} is unknown`, hint);
  return [];
}

function readTimeout({ value, source }: Field, reading: Reading): Field[] {
  const ms = secondsToMs(value);
  if (ms === undefined) {
    const hint = `${defaultTimeoutSeconds} seconds are taken instead.`;
    reading.warn(source, `${describeValue(value)} is no number of seconds`, hint);
  }
  return [{ key: "timeoutMs", value: ms ?? defaultTimeoutSeconds * 1000, source }];
}

function readNothing(field: Field, reading: Reading): Field[] {
  warnWithoutEffect(field, reading);
  return [];
}

/** One name, a list of them, or an object by them. */
function toNames(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? [] : [value];
  return isObject(value) ? Object.keys(value) : value;
}

function readAuth(field: Field): Field[] {
  const { value, source } = field;
  if (!isObject(value)) return [field];
  const { scheme, type = scheme, scopes, required, env, ...rest } = value;
  return [
    { key: "auth", value: rest, source },
    ...optionalField("auth_type", type, placeOfType(value, source)),
    ...optionalField("scopes", scopes, [...source, "scopes"]),
    ...optionalField("auth_required", toBoolean(required), [...source, "required"]),
    ...optionalField("auth_env", toNames(env), [...source, "env"]),
  ];
}

function placeOfType(auth: UnknownObject, source: Path): Path {
  return placeOf(auth.type === undefined ? "scheme" : "type", auth, source);
}

function optionalField(key: string, value: unknown, source: Path): Field[] {
  return value === undefined || value === null ? [] : [{ key, value, source }];
}

/** Scopes may stand in `auth` and beside it: all of them count, in this order and once. */
function uniteScopes(fields: readonly Field[]): Field[] {
  const found = fields.filter(({ key }) => key === "scopes");
  const lists = found.map(({ value }) => splitSpaces(value));
  if (found.length < 2 || !lists.every(Array.isArray)) return [...fields];
  const [first, ...others] = found;
  const united = [...new Set(lists.flat())];
  return fields
    .filter((field) => !others.includes(field))
    .map((field) => (field === first ? { ...field, value: united } : field));
}

/** The timeout where neither the server nor the block says one. */
export function defaultTimeout(fields: readonly Field[], source: Path): Field[] {
  const isSaid = fieldValue("timeoutMs", fields) !== undefined;
  return isSaid ? [] : [{ key: "timeoutMs", value: defaultTimeoutSeconds * 1000, source }];
}
