import { isTooDeep } from "../../lib/json/exact-numbers.ts";
import { hasMembers, withoutUndefined } from "../../lib/json/plain-data.ts";
import { passesFilter } from "../../lib/text/glob.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { hiddenBy, reservedParameters, rulesOf } from "../../model/access/injection.ts";
import type { ToolArgument } from "../../model/catalogue/tool.ts";
import {
  fallbackDescription,
  type Tool,
  type ToolAnnotations,
  type ToolAuth,
} from "../../model/catalogue/tool.ts";
import { isObject, type JsonObject, objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import { isWellKnown } from "../../model/servers/well-known.ts";
import { readParamHeaders } from "../../protocol/http-headers.ts";
import { safeIcons } from "../../protocol/list-all.ts";
import { applyRules, hideArguments } from "./injection.ts";
import { schemaProblem } from "./schema-problem.ts";

/** Texts that models and people read. Other strings may be compared by tools and stay as they are. */
const textKeys = new Set([
  "title",
  "description",
  "$comment",
  "default",
  "const",
  "enum",
  "examples",
]);

/** A definition without hidden characters in its texts; the same object if there are none. The review sees the original. */
export function readable<T>(definition: T): T {
  return visit(definition, 0, false) as T;
}

const maxVisitDepth = 70;

function visit(node: unknown, depth: number, isText: boolean): unknown {
  if (typeof node === "string") return isText ? plainText(node) : node;
  if (depth > maxVisitDepth) return node;
  if (Array.isArray(node)) {
    let copy: unknown[] | undefined;
    for (let index = 0; index < node.length; index++) {
      const item: unknown = node[index];
      const readableItem = visit(item, depth + 1, isText);
      if (readableItem === item) continue;
      copy ??= [...node];
      copy[index] = readableItem;
    }
    return copy ?? node;
  }
  if (!isObject(node)) return node;
  let copy: Record<string, unknown> | undefined;
  for (const key in node) {
    const value = node[key];
    const readableValue = visit(value, depth + 1, textKeys.has(key) && !isObject(value));
    if (readableValue === value) continue;
    copy ??= { ...node };
    copy[key] = readableValue;
  }
  return copy ?? node;
}

type Settings = Pick<ServerDefinition, "auth" | "auth_required" | "auth_env">;

/**
 * Authentication of a tool: its own statement before the server's configuration, scopes of both. Only the configuration
 * names variables, because a server must not find out which are set here.
 */
export function mergeAuth(
  entry: UnknownObject,
  { auth, auth_required, auth_env = [] }: Settings,
): ToolAuth {
  const stated = objectOrEmpty(entry.auth);
  const scopes = [...new Set([...readScopes(stated.scopes), ...(auth?.scopes ?? [])])];
  const flags = [entry.requires_authentication, stated.required, auth_required];
  const required = flags.map(readFlag).find((flag) => flag !== undefined) ?? scopes.length > 0;
  const serverType = auth === undefined || auth.type === "none" ? undefined : auth.type;
  const type = [stated.type, stated.scheme, serverType].find(
    (name) => typeof name === "string" && name !== "",
  );
  return {
    required,
    ...withoutUndefined({
      type: type as string | undefined,
      scopes: scopes.length === 0 ? undefined : scopes,
      envs: hasMembers(auth_env) ? envsOf(auth_env) : undefined,
    }),
  };
}

function envsOf(auth_env: NonNullable<Settings["auth_env"]>): NonNullable<ToolAuth["envs"]> {
  const envs = Array.isArray(auth_env)
    ? auth_env.map((name) => [name, {}] as const)
    : Object.entries(auth_env);
  return Object.fromEntries(envs.map(([name, facts]) => [name, { required: false, ...facts }]));
}

function readScopes(scopes: unknown): string[] {
  return readTexts(typeof scopes === "string" ? scopes.split(/\s+/) : scopes);
}

function readFlag(flag: unknown): boolean | undefined {
  const text = typeof flag === "object" ? "" : String(flag).trim().toLowerCase();
  if (/^(1|true|yes|on)$/.test(text)) return true;
  return /^(0|false|no|off)$/.test(text) ? false : undefined;
}

export type NamelessTool = Omit<Tool, "name" | "modelName"> & {
  /** Arguments that its manifest declares; the snapshot merges them. */
  local?: readonly ToolArgument[];
};

export type Translation = {
  tools: NamelessTool[];
  rejected: { tool: string; reason: string }[];
  /** Skills, tasks and jobs of the source: their change is a new revision, too. */
  work?: unknown;
};

/** Names are split, compared and listed everywhere; the protocol recommends 128 characters at most. */
const maxNameLength = 1_000;
/** Below the depth at which lists are cut. */
const maxDepth = 90;

/** Entry by entry: an invalid one is rejected alone. */
export function translateTools(
  server: string,
  definition: ServerDefinition,
  listed: unknown[],
  era: "legacy" | "modern" = "legacy",
): Translation {
  const mirrorsArguments = era === "modern" && definition.transport === "http";
  const tools = new Map<string, NamelessTool>();
  const rejected: Translation["rejected"] = [];
  listed.forEach((entry, index) => {
    const name = isObject(entry) && typeof entry.name === "string" ? entry.name : undefined;
    const isNameless = name === undefined || name.trim() === "" || name.length > maxNameLength;
    const label = isNameless ? `entry ${index + 1}` : name;
    const reason =
      refuse(entry, name, tools) ?? (mirrorsArguments ? headerProblem(entry) : undefined);
    if (reason !== undefined) rejected.push({ tool: label, reason });
    else if (
      name !== undefined &&
      passesFilter(name, definition.allow_tools, definition.deny_tools)
    ) {
      tools.set(name, translate(server, definition, name, readable(entry as UnknownObject)));
    }
  });
  return { tools: [...tools.values()], rejected };
}

function refuse(
  entry: unknown,
  name: string | undefined,
  previousTools: Map<string, unknown>,
): string | undefined {
  if (!isObject(entry)) return "it is not an object";
  if (name === undefined || name.trim() === "") return "it has no name";
  if (name.length > maxNameLength)
    return `its name has ${name.length} characters, and ${maxNameLength} are the most`;
  if (previousTools.has(name)) return "the server lists this name twice; the first one is kept";
  const schema = schemaOf(entry);
  if (schema.properties !== undefined && !isObject(schema.properties))
    return "'properties' is not an object";
  if (hasHiddenName(schema, 0) || hasHiddenName(entry.outputSchema, 0))
    return "a name in its schema holds characters that cannot be seen";
  const problem = schemaProblem(schema);
  if (problem !== null) return `its inputSchema cannot be used: ${problem}`;
  if (isTooDeep(entry, maxDepth)) return `its definition is nested deeper than ${maxDepth}`;
  return undefined;
}

/** A name cannot be changed without breaking the calls, so the tool is refused. */
function hasHiddenName(node: unknown, depth: number): boolean {
  if (typeof node !== "object" || node === null || depth > maxVisitDepth) return false;
  if (Array.isArray(node)) return node.some((item) => hasHiddenName(item, depth + 1));
  for (const key in node) {
    if (plainText(key) !== key || hasHiddenName((node as UnknownObject)[key], depth + 1))
      return true;
  }
  return false;
}

/** A modern server refuses calls that do not repeat arguments as headers. */
function headerProblem(entry: unknown): string | undefined {
  const { problem } = readParamHeaders(isObject(entry) ? schemaOf(entry) : undefined);
  if (problem === null) return undefined;
  return `its inputSchema cannot be used: ${problem}`;
}

/** Some servers use the names of other formats, or none; what is no object schema is made one. */
function schemaOf({ inputSchema, input_schema, parameters }: UnknownObject): UnknownObject {
  const schema = [inputSchema, input_schema, parameters].find(isObject) ?? {};
  const { required } = schema;
  const names = readTexts(typeof required === "string" ? [required] : required);
  const hasCleanRequired =
    required === undefined || (Array.isArray(required) && required.length === names.length);
  const { properties } = schema;
  const repaired = isObject(properties) ? knownTypes(properties, 0) : properties;
  const completed: UnknownObject = { ...schema, type: "object" };
  if (repaired !== properties) completed.properties = repaired;
  if (!hasCleanRequired) completed.required = names;
  return completed;
}

/** What other languages call the types of JSON. */
const typeNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["string", "number", "integer", "boolean", "object", "array", "null"].map((name) => [
      name,
      name,
    ]),
  ),
  str: "string",
  text: "string",
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  bool: "boolean",
  dict: "object",
  map: "object",
  list: "array",
  tuple: "array",
  none: "null",
};

/** Schemas by name, without types that JSON has not: such a property may be anything. The same where all are known. */
function knownTypes(schemas: UnknownObject, depth: number): UnknownObject {
  let changed: UnknownObject | undefined;
  for (const [name, schema] of Object.entries(schemas)) {
    const repaired = isObject(schema) && depth < maxVisitDepth ? knownType(schema, depth) : schema;
    if (repaired === schema) continue;
    changed ??= { ...schemas };
    changed[name] = repaired;
  }
  return changed ?? schemas;
}

function knownType(schema: UnknownObject, depth: number): UnknownObject {
  const { type } = schema;
  const nested = knownNestedTypes(schema, depth);
  if (typeof type !== "string" || typeNames[type] === type) return nested;
  const { type: _, ...untyped } = nested;
  const name = type.toLowerCase();
  if (Object.hasOwn(typeNames, name)) return { ...untyped, type: typeNames[name] };
  return untyped;
}

function knownNestedTypes(schema: UnknownObject, depth: number): UnknownObject {
  const properties = isObject(schema.properties)
    ? knownTypes(schema.properties, depth + 1)
    : schema.properties;
  const items = isObject(schema.items) ? knownType(schema.items, depth + 1) : schema.items;
  if (properties === schema.properties && items === schema.items) return schema;
  return { ...schema, ...withoutUndefined({ properties, items }) };
}

/** Keys that the catalogue reads itself, or does not pass on. */
const catalogueKeys: ReadonlySet<string> = new Set([
  "name",
  "title",
  "description",
  "inputSchema",
  "input_schema",
  "parameters",
  "outputSchema",
  "annotations",
  "version",
  "auth",
  "requires_authentication",
  "capabilities",
  "__proto__",
]);

/** All other keys are passed on to clients. */
function listedWith(entry: UnknownObject): { listed?: JsonObject } {
  let listed: JsonObject | undefined;
  for (const key in entry) {
    if (catalogueKeys.has(key) || !isPassable(key, entry[key])) continue;
    listed ??= {};
    listed[key] = (key === "icons" ? safeIcons(entry.icons) : entry[key]) as JsonObject;
  }
  return withoutUndefined({ listed });
}

function isPassable(key: string, value: unknown): boolean {
  if (key === "icons") return Array.isArray(value);
  return key !== "_meta" || isObject(value);
}

function readText(value: unknown): string | undefined {
  if (typeof value === "string" && value.trim() !== "") return value;
  return undefined;
}

function readTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((item) => readText(item) !== undefined);
  return [];
}

type SharedFacts = ReturnType<typeof readSharedFacts>;
const sharedByDefinition = new WeakMap<ServerDefinition, SharedFacts>();

/** Thousands of tools of a server share one object. */
function sharedFacts(definition: ServerDefinition): SharedFacts {
  const shared = sharedByDefinition.get(definition) ?? readSharedFacts(definition);
  sharedByDefinition.set(definition, shared);
  return shared;
}

function readSharedFacts(definition: ServerDefinition) {
  const rules = rulesOf(definition.inject);
  // Only an empty list leaves these to callers, not one that names other parameters.
  const isNamed = (name: string) => rules.some(({ parameter }) => parameter === name);
  const withheld = rules.length === 0 ? [] : reservedParameters.filter((name) => !isNamed(name));
  const reserved = [...rules.flatMap(hiddenBy), ...withheld];
  const metadata = metadataOf({}, definition);
  const isOpen = definition.transport === "openapi" && definition.side_effects === "network";
  const safe = { side_effects: "read_external_service" as const, idempotency_key: true };
  const reading = isOpen ? { ...metadata, ...safe } : metadata;
  const writing = isOpen ? { ...metadata, side_effects: "write" as const } : metadata;
  return {
    rules,
    withheld,
    reserved,
    metadata,
    reading,
    writing,
    wellKnown: isWellKnown(definition) || undefined,
  };
}

function hasFacts({
  version,
  auth,
  requires_authentication,
  capabilities,
}: UnknownObject): boolean {
  return [version, auth, requires_authentication, capabilities].some((fact) => fact !== undefined);
}

function metadataOf(entry: UnknownObject, definition: ServerDefinition): Tool["metadata"] {
  return {
    version: readText(entry.version) ?? definition.version ?? "1.0.0",
    side_effects: definition.side_effects,
    auth: mergeAuth(entry, definition),
    ...withoutUndefined({ allow_parallel: definition.allow_parallel }),
    idempotency_key: definition.idempotency_key,
    requires_consent: definition.requires_consent ?? true,
    capabilities: readTexts(entry.capabilities),
  };
}

function translate(
  server: string,
  definition: ServerDefinition,
  name: string,
  entry: UnknownObject,
): NamelessTool {
  const schema = schemaOf(entry) as JsonObject;
  const annotations = objectOrEmpty(entry.annotations) as ToolAnnotations;
  const title = typeof entry.title === "string" ? entry.title : annotations.title;
  const hasAnnotatedTitle =
    title !== undefined && typeof entry.title !== "string" ? true : undefined;
  const outputSchema = isObject(entry.outputSchema)
    ? (entry.outputSchema as JsonObject)
    : undefined;
  const { rules, withheld, reserved, reading, writing, wellKnown } = sharedFacts(definition);
  // What an API's method does is no claim of a server, but what we send ourselves.
  const metadata = annotations.readOnlyHint === true ? reading : writing;
  return {
    id: { server, tool: name },
    ...withoutUndefined({ title }),
    ...withoutUndefined({ hasAnnotatedTitle }),
    description: readText(entry.description) ?? fallbackDescription(server, name),
    ...applyRules(hideArguments(schema, withheld).parameters, rules),
    reserved,
    ...withoutUndefined({ outputSchema }),
    ...listedWith(entry),
    annotations,
    trusted: definition.trusted,
    ...withoutUndefined({ wellKnown }),
    metadata: hasFacts(entry) ? metadataOf(entry, definition) : metadata,
    consent: definition.requires_consent === undefined ? "default" : "explicit",
    groups: definition.groups,
    persona: definition.persona,
    providers: [
      { name: "mcp", priority: 0, health_check_interval: 300, config: { server, tool: name } },
    ],
    source: `mcp:${server}`,
  };
}
