import { matchesGlob } from "../../lib/text/glob.ts";
import { isObject, objectOrEmpty, type Path, type UnknownObject } from "../../model/json.ts";
import type { Transport } from "../../model/servers/server.ts";
import { transportByScheme, transportBySpelling } from "../../model/servers/transports.ts";
import { secondsToMs, splitCommas, splitShellWords, splitSpaces, toBoolean } from "./coerce.ts";
import {
  describeValue,
  type Field,
  fieldValue,
  isName,
  listFields,
  pathOfKey,
  type Reading,
  warnWithoutEffect,
} from "./reading.ts";
import { readServer, readServerFields } from "./server.ts";

/** What a server takes from the block unless it says it itself. */
const inheritedKeys = [
  "timeout_seconds",
  "timeout",
  "health_check_interval",
  "version",
  "side_effects",
  "allow_parallel",
  "requires_consent",
];
const filters = ["allow_tools", "deny_tools"];
const keysWithoutEffect = ["tool"];
const blockKeys = ["enabled", "default_server", "server", "servers"];
const knownKeys = [...blockKeys, ...inheritedKeys, ...filters, ...keysWithoutEffect];

/** The block `tools.mcp`: servers with settings for all of them. It is off until it says otherwise. */
export function readToolsMcpBlock(reading: Reading, block: UnknownObject, source: Path): void {
  const { servers = {}, default_server: defaultServer = block.server } = block;
  warnUnused(reading, block, source);
  if (!isObject(servers))
    return reading.fail([...source, "servers"], "must be an object of servers by name");
  if (isName(defaultServer) && !Object.hasOwn(servers, defaultServer)) {
    const key = defaultServer === block.default_server ? "default_server" : "server";
    reading.warn([...source, key], `there is no server ${describeValue(defaultServer)}`);
  }
  if (isName(defaultServer) && Object.hasOwn(servers, defaultServer))
    reading.set(["defaultServer"], defaultServer, pathOfKey("default_server", block, source));
  const common = translateFields(reading, commonFields(block, source));
  for (const [name, entry] of Object.entries(servers)) {
    const entrySource = [...source, "servers", name];
    if (isObject(entry))
      readServerFields(
        reading,
        name,
        serverFields(reading, entry, entrySource, common),
        entrySource,
      );
    else readServer(reading, name, entry, entrySource);
  }
}

function warnUnused(reading: Reading, block: UnknownObject, source: Path): void {
  for (const field of listFields(block, source)) {
    if (!knownKeys.includes(field.key)) reading.warnUnknownKey(field.source, knownKeys);
    else if (keysWithoutEffect.includes(field.key)) warnWithoutEffect(field, reading);
  }
  if ((block.enabled ?? null) === null)
    reading.warn(
      source,
      "'enabled' is not given, so its servers are off",
      "Write enabled: true to use them.",
    );
}

function commonFields(block: UnknownObject, source: Path): Field[] {
  const fields = listFields(block, source).filter(({ key }) =>
    [...inheritedKeys, ...filters].includes(key),
  );
  const enabledSource = pathOfKey("enabled", block, source);
  const isOn = toBoolean(block.enabled ?? false);
  if (isOn === true) return fields;
  return [...fields, { key: "enabled", value: isOn, source: enabledSource }];
}

function serverFields(
  reading: Reading,
  entry: UnknownObject,
  source: Path,
  sharedFields: readonly Field[],
): Field[] {
  const ownFields = translateFields(reading, listFields(entry, source));
  const enabled = sharedFields.filter(({ key }) => key === "enabled");
  const fields = [
    ...ownFields.filter(
      ({ key }) => !filters.includes(key) && !enabled.some((field) => field.key === key),
    ),
    ...enabled,
    ...combine("deny_tools", ownFields, sharedFields, (a, b) => [...new Set([...a, ...b])]),
    ...combine("allow_tools", ownFields, sharedFields, (a, b) => intersect(reading, a, b, source)),
  ];
  const isMissing = ({ key }: Field) => fieldValue(key, fields) === undefined;
  const allFields = [
    ...fields,
    ...sharedFields.filter(({ key }) => !filters.includes(key)).filter(isMissing),
  ];
  return [...allFields, ...defaultTimeout(allFields, source)];
}

type ToolNames = readonly string[];

function combine(
  key: string,
  ownFields: readonly Field[],
  sharedFields: readonly Field[],
  unite: (ownNames: ToolNames, commonNames: ToolNames) => ToolNames,
): Field[] {
  const fieldIn = (fields: readonly Field[]) => fields.find((field) => field.key === key);
  const own = fieldIn(ownFields);
  const common = fieldIn(sharedFields);
  if (!own || !common) return [own, common].filter((field) => field !== undefined);
  if (!isNames(own.value)) return [own];
  if (!isNames(common.value)) return [common];
  return [{ ...own, value: unite(own.value, common.value) }];
}

function isNames(value: unknown): value is ToolNames {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function intersect(
  reading: Reading,
  ownNames: ToolNames,
  commonNames: ToolNames,
  source: Path,
): ToolNames {
  const intersection = intersectFilters(ownNames, commonNames);
  if (intersection) return intersection;
  const message =
    "the globs of this 'allow_tools' and of the one for all servers cannot be combined";
  reading.warn([...source, "allow_tools"], message, "Only the server's own list counts.");
  return ownNames;
}

/** The names that both lists admit, as a list; undefined where no list of globs says it. */
export function intersectFilters(
  globs: readonly string[],
  otherGlobs: readonly string[],
): string[] | undefined {
  const intersection = new Set<string>();
  for (const a of globs) {
    for (const b of otherGlobs) {
      const narrower = narrowerOf(a, b);
      if (narrower !== undefined) intersection.add(narrower);
      else if (mayOverlap(a, b)) return undefined;
    }
  }
  return [...intersection];
}

function narrowerOf(a: string, b: string): string | undefined {
  if (covers(b, a)) return a;
  return covers(a, b) ? b : undefined;
}

function isExact(pattern: string): boolean {
  return !/[*?]/.test(pattern);
}

/** Does the wider pattern match whatever the narrower one does? `*` in one swallows any glob of the other. */
function covers(wider: string, narrower: string): boolean {
  return (isExact(narrower) || !wider.includes("?")) && matchesGlob(wider, narrower);
}

/** Two globs that begin or end with different letters have nothing in common. */
function mayOverlap(a: string, b: string): boolean {
  if (isExact(a) || isExact(b)) return false;
  const [headA = "", headB = ""] = [a, b].map((glob) => glob.split(/[*?]/)[0]);
  const [tailA = "", tailB = ""] = [a, b].map((glob) => glob.split(/[*?]/).at(-1));
  const sameHead = headA.startsWith(headB) || headB.startsWith(headA);
  return sameHead && (tailA.endsWith(tailB) || tailB.endsWith(tailA));
}

const aliases = new Map<string, string>(
  Object.entries({
    command: ["cmd"],
    args: ["command_args"],
    cwd: ["working_directory"],
    url: ["uri", "endpoint"],
    timeout_seconds: ["timeout"],
    auth: ["authentication"],
  }).flatMap(([key, spellings]) => spellings.map((spelling) => [spelling, key] as const)),
);
const transports = new Map<unknown, Transport>([...transportByScheme, ...transportBySpelling]);
const defaultTimeoutSeconds = 30;

type Translate = (field: Field, reading: Reading) => Field[];

function withValue(translate: (value: unknown) => unknown): Translate {
  return (field) => [{ ...field, value: translate(field.value) }];
}

const flags = ["enabled", "allow_parallel", "requires_consent", "idempotency_key", "auth_required"];
const translations: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ["args", withValue((value) => (typeof value === "string" ? splitShellWords(value) : value))],
  ...flags.map((key): [string, Translate] => [key, withValue(toBoolean)]),
  ["allow_tools", readFilter],
  ["deny_tools", readFilter],
  ["transport", readTransport],
  ["timeout_seconds", readTimeout],
  ["auth", readAuth],
  ["version", withValue((value) => (typeof value === "number" ? String(value) : value))],
  ["auth_env", readAuthEnv],
  ["health_check_interval", readInterval],
]);

/** The fields of one server, and of what it inherits, under the names and in the units of the normal form. */
export function translateFields(reading: Reading, fields: readonly Field[]): Field[] {
  const writtenFields = fields.filter(({ value }) => value !== null);
  const renamed = writtenFields.map((field) => ({
    ...field,
    key: aliases.get(field.key) ?? field.key,
  }));
  const translated = renamed.flatMap(
    (field) => translations.get(field.key)?.(field, reading) ?? [field],
  );
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
    reading.warn(source, `${describeValue(value)} is not a number of seconds`, hint);
  }
  return [{ key: "timeoutMs", value: ms ?? defaultTimeoutSeconds * 1000, source }];
}

/** How long a list of tools holds. */
function readInterval({ value, source }: Field, reading: Reading): Field[] {
  const ms = secondsToMs(value);
  if (ms !== undefined) return [{ key: "listingTtlMs", value: ms, source }];
  reading.warn(
    source,
    `${describeValue(value)} is not a number of seconds`,
    "300 seconds are taken instead.",
  );
  return [];
}

/** One name, a list of them, or an object by them with what is said of each. */
function toNames(value: unknown): unknown {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!isObject(value)) return value;
  const hasFacts = Object.values(value).some(isObject);
  if (!hasFacts) return Object.keys(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, facts]) => [name, objectOrEmpty(facts)]),
  );
}

/** They say which variables a server needs; what is beside a name sets none. */
function warnValues(env: unknown, source: Path, reading: Reading): void {
  if (!isObject(env)) return;
  for (const [name, value] of Object.entries(env)) {
    const isName = value === name || value === `\${${name}}` || value === "";
    if (value === null || isObject(value) || isName) continue;
    reading.warn(
      [...source, name],
      `the value of '${name}' is not used: the list names the variables that the server needs`,
      "Set the variable in 'env' of the server, or where the plane is started.",
    );
  }
}

function readAuth(field: Field, reading: Reading): Field[] {
  const { value, source } = field;
  if (!isObject(value)) return [field];
  const { scheme, type = scheme, scopes, required, env, ...otherFields } = value;
  warnValues(env, [...source, "env"], reading);
  return [
    { key: "auth", value: otherFields, source },
    ...optionalField("auth_type", type, placeOfType(value, source)),
    ...optionalField("scopes", scopes, [...source, "scopes"]),
    ...optionalField("auth_required", toBoolean(required), [...source, "required"]),
    ...optionalField("auth_env", toNames(env), [...source, "env"]),
  ];
}

function readAuthEnv(field: Field, reading: Reading): Field[] {
  warnValues(field.value, field.source, reading);
  return [{ ...field, value: toNames(field.value) }];
}

function placeOfType(auth: UnknownObject, source: Path): Path {
  return pathOfKey(auth.type === undefined ? "scheme" : "type", auth, source);
}

function optionalField(key: string, value: unknown, source: Path): Field[] {
  if (value === undefined || value === null) return [];
  return [{ key, value, source }];
}

/** Scopes may stand in `auth` and beside it: all of them count, in this order and once. */
function uniteScopes(fields: readonly Field[]): Field[] {
  const scopeFields = fields.filter(({ key }) => key === "scopes");
  const lists = scopeFields.map(({ value }) => splitSpaces(value));
  if (scopeFields.length < 2 || !lists.every(Array.isArray)) return [...fields];
  const [firstField, ...laterFields] = scopeFields;
  const united = [...new Set(lists.flat())];
  return fields
    .filter((field) => !laterFields.includes(field))
    .map((field) => (field === firstField ? { ...field, value: united } : field));
}

export function defaultTimeout(fields: readonly Field[], source: Path): Field[] {
  const isWritten = fieldValue("timeoutMs", fields) !== undefined;
  if (isWritten) return [];
  return [{ key: "timeoutMs", value: defaultTimeoutSeconds * 1000, source }];
}
