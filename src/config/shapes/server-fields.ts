import type { PolicyRule } from "../../model/policy.ts";
import { type Field, fieldValue, type ReadField, type Server, warnWithoutEffect } from "./field.ts";
import { readTree, type Tree, whole } from "./read-tree.ts";
import { describeValue, isName } from "./reading.ts";
import { authReaders } from "./server-auth.ts";
import { serverTree } from "./trees.ts";

const normalForm: Tree = serverTree;

const keep: ReadField = ({ key, value, source }, { reading, path }) =>
  readTree(reading, normalForm[key] ?? whole, value, [...path, key], source);

/** Every key a server may have in any shape, with how it comes into the normal form. */
export const fieldReaders: ReadonlyMap<string, ReadField> = new Map<string, ReadField>([
  ...Object.keys(serverTree).map((key): [string, ReadField] => [key, keep]),
  ...authReaders,
  ["command", readCommand],
  ["args", readArguments],
  // A hint that only counts once the URL is known, so it is left to the detection of the transport.
  ["type", keep],
  ["description", readDescription],
  ["short_description", readShortDescription],
  ["disabled", readDisabled],
  ["rate_limit_per_minute", (field, server) => keep({ ...field, key: "rateLimitPerMinute" }, server)],
  ["require_approval", readRequireApproval],
  ["allow_edit", readNothing],
  ["wormhole", readNothing],
]);

function readNothing(field: Field, { reading }: Server): void {
  warnWithoutEffect(field, reading);
}

/** A command may be a list of the executable and its first arguments. */
function argumentsOfCommand(command: unknown): unknown[] {
  return Array.isArray(command) ? command.slice(1) : [];
}

function readCommand({ value, source }: Field, { reading, path, fields }: Server): void {
  reading.set([...path, "command"], Array.isArray(value) && value.length > 0 ? value[0] : value, source);
  const first = argumentsOfCommand(value);
  if (first.length > 0 && fieldValue("args", fields) === undefined) {
    reading.set([...path, "args"], first, source);
  }
}

function readArguments({ value, source }: Field, { reading, path, fields }: Server): void {
  const first = argumentsOfCommand(fieldValue("command", fields));
  reading.set([...path, "args"], Array.isArray(value) ? [...first, ...value] : value, source);
}

function readDescription(field: Field, server: Server): void {
  const { fields } = server;
  if (field.value !== "" || fieldValue("short_description", fields) === undefined) keep(field, server);
}

function readShortDescription({ value, source }: Field, { reading, path, fields }: Server): void {
  const isNeeded = (fieldValue("description", fields) ?? "") === "";
  if (isNeeded) reading.set([...path, "description"], value, source);
}

function readDisabled({ value, source }: Field, { reading, path }: Server): void {
  reading.set([...path, "enabled"], typeof value === "boolean" ? !value : value, source);
}

function readRequireApproval({ value, source }: Field, { reading, name }: Server): void {
  if (!Array.isArray(value)) return reading.fail(source, "must be a list of tool names");
  for (const [at, tool] of value.entries()) {
    const place = [...source, at];
    if (isName(tool)) reading.forced.push({ rule: askBefore(name, tool), source: place });
    else reading.fail(place, `a tool name is needed instead of ${describeValue(tool)}`);
  }
}

function askBefore(server: string, tool: string): PolicyRule {
  const reason = `the configuration of server '${server}' requires approval`;
  return { tool: `${server}.${tool}`, server, verdict: "ask", reason };
}
