import type { PolicyRule } from "../../model/access/policy.ts";
import { isObject, objectOrEmpty, type Path, renderPath } from "../../model/json.ts";
import type { ServerAuth } from "../../model/servers/server.ts";
import { splitSpaces } from "./coerce.ts";
import { serverTree } from "./normal-form.ts";
import {
  describeValue,
  type Field,
  fieldValue,
  isName,
  listFields,
  type ReadField,
  type Reading,
  readTree,
  type ServerReading,
  warnWithoutEffect,
} from "./reading.ts";

const authReaders: readonly (readonly [string, ReadField])[] = [
  ["auth_type", intoAuth("type")],
  ["auth_token", intoAuth("token")],
  ["auth_header", intoAuth("header")],
  ["scopes", intoAuth("scopes", splitSpaces)],
  ["oauth_config", (field, server) => hasRoom(server) && readOAuth(field, server)],
];

/** Can there be keys beside `auth`? Not where it is not an object and the server will be refused for it. */
function hasRoom({ fields }: ServerReading): boolean {
  const auth = fieldValue("auth", fields);
  return auth === undefined || isObject(auth);
}

function intoAuth(
  key: keyof ServerAuth,
  translate = (value: unknown): unknown => value,
): ReadField {
  return ({ value, source }, server) => {
    const { reading, path } = server;
    if (value !== "" && hasRoom(server))
      reading.set([...path, "auth", key], translate(value), source);
  };
}

function readOAuth({ value, source }: Field, { reading, path }: ServerReading): void {
  if (!isObject(value)) return reading.fail(source, "must be an object");
  for (const field of listFields(value, source).filter(({ value }) => value !== null)) {
    if (field.key === "scopes") {
      reading.set([...path, "auth", "scopes"], splitSpaces(field.value), field.source);
    } else if (field.key === "client_name" || field.key === "callback_port")
      warnWithoutEffect(field, reading);
    else reading.warnUnknownKey(field.source, ["scopes"]);
  }
}

const inferences = [
  { key: "auth_header", type: "api_key" },
  { key: "oauth_config", type: "oauth" },
  { key: "auth_token", type: "bearer" },
  { key: "auth", type: "bearer" },
] as const satisfies { key: string; type: ServerAuth["type"] }[];

const oauthKeys = [
  "clientId",
  "clientMetadataUrl",
  "issuer",
  "grant",
  "tokenUrl",
] as const satisfies (keyof ServerAuth)[];

/** What is given tells how we identify ourselves where nothing says it. */
function inferAuthType(server: ServerReading): void {
  const { reading, path, fields } = server;
  const auth = fieldValue("auth", fields);
  const { type, token, ...authFields } = objectOrEmpty(auth);
  if (!hasRoom(server) || (fieldValue("auth_type", fields) ?? type) !== undefined) return;
  const authField = fields.find(({ key }) => key === "auth");
  if (authField && token === undefined && oauthKeys.some((key) => authFields[key] !== undefined))
    return reading.set([...path, "auth", "type"], "oauth", authField.source);
  const inferred = inferences.find(({ key }) =>
    isName(key === "auth" ? token : nameOrText(key, fields)),
  );
  const field = fields.find(({ key }) => key === inferred?.key);
  if (inferred && field) reading.set([...path, "auth", "type"], inferred.type, field.source);
}

function nameOrText(key: string, fields: readonly Field[]): unknown {
  const value = fieldValue(key, fields);
  return isObject(value) ? key : value;
}

const readAsWritten: ReadField = ({ key, value, source }, { reading, path }) =>
  readTree(reading, serverTree[key] ?? {}, value, [...path, key], source);

/** Every key a server may have in any shape, with how it comes into the normal form. */
export const fieldReaders: ReadonlyMap<string, ReadField> = new Map<string, ReadField>([
  ...Object.keys(serverTree).map((key): [string, ReadField] => [key, readAsWritten]),
  ...authReaders,
  ["command", readCommand],
  ["args", readArguments],
  // A hint that only counts once the URL is known, so it is left to the detection of the transport.
  ["type", readAsWritten],
  ["description", readDescription],
  ["short_description", readShortDescription],
  ["disabled", readDisabled],
  [
    "rate_limit_per_minute",
    (field, server) => readAsWritten({ ...field, key: "rateLimitPerMinute" }, server),
  ],
  ["require_approval", readRequireApproval],
  ["allow_edit", readNothing],
  ["wormhole", readNothing],
]);

function readNothing(field: Field, { reading }: ServerReading): void {
  warnWithoutEffect(field, reading);
}

/** A command may be a list of the executable and its first arguments. */
function argumentsOfCommand(command: unknown): unknown[] {
  return Array.isArray(command) ? command.slice(1) : [];
}

function readCommand({ value, source }: Field, { reading, path, fields }: ServerReading): void {
  reading.set(
    [...path, "command"],
    Array.isArray(value) && value.length > 0 ? value[0] : value,
    source,
  );
  const leading = argumentsOfCommand(value);
  if (leading.length > 0 && fieldValue("args", fields) === undefined)
    reading.set([...path, "args"], leading, source);
}

function readArguments({ value, source }: Field, { reading, path, fields }: ServerReading): void {
  const leading = argumentsOfCommand(fieldValue("command", fields));
  reading.set([...path, "args"], Array.isArray(value) ? [...leading, ...value] : value, source);
}

function readDescription(field: Field, server: ServerReading): void {
  const { fields } = server;
  if (field.value !== "" || fieldValue("short_description", fields) === undefined)
    readAsWritten(field, server);
}

function readShortDescription(
  { value, source }: Field,
  { reading, path, fields }: ServerReading,
): void {
  const isNeeded = (fieldValue("description", fields) ?? "") === "";
  if (isNeeded) reading.set([...path, "description"], value, source);
}

function readDisabled({ value, source }: Field, { reading, path }: ServerReading): void {
  reading.set([...path, "enabled"], typeof value === "boolean" ? !value : value, source);
}

function readRequireApproval({ value, source }: Field, { reading, name }: ServerReading): void {
  if (!Array.isArray(value)) return reading.fail(source, "must be a list of tool names");
  for (const [index, tool] of value.entries()) {
    const toolSource = [...source, index];
    if (isName(tool))
      reading.forced.push({
        rule: { ...askBefore(name, tool), from: renderPath(toolSource) },
        source: toolSource,
      });
    else reading.fail(toolSource, `a tool name is needed instead of ${describeValue(tool)}`);
  }
}

function askBefore(server: string, tool: string): PolicyRule {
  const reason = `the configuration of server '${server}' requires approval`;
  return { tool: `${server}.${tool}`, server, verdict: "ask", reason };
}

/** Elsewhere null says no more than leaving the key out. */
const mayBeNull: readonly string[] = ["persona", "compliance_level", "allow_tools", "deny_tools"];

/** A server as it stands in a file. What is no object is passed on for the validation to refuse. */
export function readServer(reading: Reading, name: string, entry: unknown, source: Path): void {
  if (isObject(entry)) return readServerFields(reading, name, listFields(entry, source), source);
  const path = ["servers", name];
  reading.define(path, source, () => reading.set(path, entry, source));
}

export function readServerFields(
  reading: Reading,
  name: string,
  allFields: readonly Field[],
  source: Path,
): void {
  const path = ["servers", name];
  const fields = allFields.filter(({ key, value }) => value !== null || mayBeNull.includes(key));
  const server = { reading, name, path, fields };
  reading.define(path, source, () => {
    for (const field of allFields) {
      const read = fieldReaders.get(field.key);
      if (!read) reading.warnUnknownKey(field.source, fieldReaders.keys());
      else if (fields.includes(field)) read(field, server);
    }
    inferAuthType(server);
  });
}

/** Does this look like a server beyond doubt, whatever it is called? */
export function isServer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { command, url, container, openapi, skills } = value;
  const hasAddress = [command, url, openapi, skills].some((address) => typeof address === "string");
  return hasAddress || Array.isArray(command) || isObject(container);
}
