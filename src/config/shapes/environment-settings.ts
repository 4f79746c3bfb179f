import type { ConfigProblem } from "../../model/config/config.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import { approvalVariables, isOrdered } from "../environment.ts";
import { createReading, type Field, type Reading, type Setting } from "./reading.ts";
import { readServerFields } from "./server.ts";
import { intersectFilters, translateFields } from "./tools-mcp-block.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** In this order: what the first one sets, the others cannot. */
const prefixes = ["TOOLPLANE_MCP_", "ATLAS_MCP_"];

const keys = {
  SERVER_COMMAND: "command",
  SERVER_ARGS: "args",
  SERVER_URL: "url",
  SERVER_CWD: "cwd",
  SERVER_TRANSPORT: "transport",
  ENABLED: "enabled",
  TIMEOUT_SECONDS: "timeout_seconds",
  HEALTH_CHECK_INTERVAL: "health_check_interval",
  ALLOW_TOOLS: "allow_tools",
  DENY_TOOLS: "deny_tools",
} as const satisfies Record<string, string>;

/** The one server that environment variables may describe or override. Each value names its variable. */
export function settingsFromEnvironment(environment: Environment): {
  settings: Setting[];
  problems: ConfigProblem[];
} {
  const reading = readVariables();
  const name = variable(environment, "DEFAULT_SERVER");
  const fields = fieldsIn(environment);
  const [firstField] = fields;
  if (firstField) readFields(reading, name?.value, fields, firstField);
  forceApproval(reading, environment);
  const { settings, problems } = reading;
  return { settings, problems };
}

/**
 * What the variables say beside one server: which one is the default, and, where they name none, what holds for all that
 * the files configure.
 */
export function settingsForAllServers(
  environment: Environment,
  configured: unknown,
): { settings: Setting[]; problems: ConfigProblem[] } {
  const reading = readVariables();
  const servers = objectOrEmpty(configured);
  const name = variable(environment, "DEFAULT_SERVER");
  const fields = fieldsIn(environment);
  const describedName = isComplete(fields) ? "default" : undefined;
  const defaultName = name?.value ?? describedName;
  const source = [name?.name ?? String(fields[0]?.source[0] ?? "")];
  if (defaultName !== undefined && Object.hasOwn(servers, defaultName))
    reading.set(["defaultServer"], defaultName, source);
  else if (name !== undefined) reading.warn(source, `there is no server '${name.value}'`);
  if (name === undefined && describedName === undefined) readForAll(reading, fields, servers);
  const { settings, problems } = reading;
  return { settings, problems };
}

function readVariables(): Reading {
  return createReading(([name]) => ({
    file: "environment",
    line: null,
    path: String(name ?? ""),
  }));
}

function fieldsIn(environment: Environment): Field[] {
  return Object.entries(keys).flatMap(([suffix, key]): Field[] => {
    const suffixVariable = variable(environment, suffix);
    if (suffixVariable)
      return [{ key, value: suffixVariable.value, source: [suffixVariable.name] }];
    return [];
  });
}

/** A server that is switched off stays so, deny lists add up, and a name has to be in both allow lists. */
function readForAll(reading: Reading, fields: readonly Field[], servers: UnknownObject): void {
  const shared = fields.filter(({ key }) => isForAll(key));
  const names = Object.keys(servers);
  for (const { source } of names.length === 0 ? shared : [])
    reading.warn(source, "no server is configured that it is for");
  for (const name of names) {
    const server = servers[name];
    if (isObject(server)) readSharedFields(reading, name, server, shared);
  }
}

function readSharedFields(
  reading: Reading,
  name: string,
  server: UnknownObject,
  shared: readonly Field[],
): void {
  for (const field of translateFields(reading, shared)) {
    const path = ["servers", name, field.key];
    const value = tightened(field, server[field.key]);
    if (value !== undefined) reading.set(path, value, field.source);
    else if (field.key === "allow_tools")
      reading.warn(
        field.source,
        `its globs cannot be combined with 'allow_tools' of server '${name}'`,
        "Only the server's own list counts.",
      );
  }
}

/** Undefined where the server's own value stays. */
function tightened({ key, value }: Field, serverValue: unknown): unknown {
  if (key === "enabled") return value === false ? false : undefined;
  const isList = Array.isArray(value) && Array.isArray(serverValue);
  if (key === "deny_tools") return isList ? [...new Set([...serverValue, ...value])] : value;
  if (isList) return intersectFilters(serverValue as string[], value as string[]);
  return value;
}

function isForAll(key: string): boolean {
  return key === "enabled" || key === "allow_tools" || key === "deny_tools";
}

function isComplete(fields: readonly Field[]): boolean {
  return fields.some(({ key }) => key === "command" || key === "url");
}

/** Does a variable describe a server? One that only makes calls wait configures nothing to be called. */
export function isConfiguredByVariables(environment: Environment): boolean {
  return settingsFromEnvironment(environment).settings.some(({ path }) => path[0] === "servers");
}

/** The order of an administrator, by the key of the policy that it sets whatever the files say. */
function forceApproval(reading: Reading, environment: Environment): void {
  for (const [key, name] of Object.entries(approvalVariables))
    if (isOrdered(environment, name)) reading.set(["policy", key], true, [name]);
}

function readFields(
  reading: Reading,
  name: string | undefined,
  fields: readonly Field[],
  firstField: Field,
): void {
  if (isComplete(fields) || name !== undefined)
    return readServerFields(
      reading,
      name ?? "default",
      translateFields(reading, fields),
      firstField.source,
    );
  for (const { source } of fields.filter(({ key }) => !isForAll(key)))
    reading.warn(source, "no server is named that it is for", `Set ${prefixes[0]}DEFAULT_SERVER.`);
}

/** A variable that is empty counts as not set. */
function variable(
  environment: Environment,
  suffix: string,
): { name: string; value: string } | undefined {
  for (const name of prefixes.map((prefix) => prefix + suffix)) {
    const value = environment[name]?.trim();
    if (value) return { name, value };
  }
  return undefined;
}
