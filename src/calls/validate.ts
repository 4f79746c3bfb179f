import { exactNumbersIn } from "../lib/exact-numbers.ts";
import { nearest } from "../lib/nearest.ts";
import type { Authorized, Input, Validated } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import type { Tool } from "../model/tool.ts";
import { keepDeclared } from "./keep-declared.ts";
import { parseArguments } from "./parse-arguments.ts";

export type ArgumentProblem = { path: string; message: string };

/** Checks arguments against a tool's schema: every problem at once, or none. */
export type CheckArguments = (
  schema: JsonObject,
  args: JsonObject,
) => ArgumentProblem[] | Promise<ArgumentProblem[]>;

/** Is it known to change nothing? For what may, no argument is guessed. */
export type OnlyReads = (tool: Tool) => boolean;

/** At once, where the check does not wait; what does not fit rejects. */
export function validate(
  call: Authorized,
  check: CheckArguments,
  onlyReads: OnlyReads = () => false,
): Validated | Promise<Validated> {
  try {
    return read(call, check, onlyReads);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function read(call: Authorized, check: CheckArguments, onlyReads: OnlyReads): Validated | Promise<Validated> {
  const { asked, tool } = call;
  const mayGuess = typeof asked.arguments === "string" && onlyReads(tool);
  const { arguments: parsed, repaired, respelt } = parseArguments(asked.arguments, tool.name, mayGuess);
  const { kept: own, dropped } = keepDeclared(tool, parsed);
  const kept = { ...tool.defaults, ...own };
  const accept = (problems: ArgumentProblem[]): Validated => {
    if (problems.length > 0) throw refuse(tool, problems, dropped);
    const exact = exactNumbersIn(parsed);
    const input: Input = { arguments: kept, repaired, dropped };
    if (respelt !== undefined) input.respelt = respelt;
    if (exact.length > 0) input.exact = exact;
    return { ...call, input };
  };
  const found = check(tool.parameters, kept);
  return Array.isArray(found) ? accept(found) : found.then(accept);
}

function refuse(tool: Tool, problems: ArgumentProblem[], dropped: string[]): PlaneError {
  const declared = Object.keys(isObject(tool.parameters.properties) ? tool.parameters.properties : {});
  const misspelt = dropped.flatMap((name) =>
    nearest(name, declared, 1).map((near) => `'${name}' → '${near}'`),
  );
  const lines = problems.map(({ path, message }) => `${path === "" ? "" : `${path} `}${message}`);
  const hint = misspelt.length === 0 ? "" : ` Misspelt? ${misspelt.join(", ")}.`;
  return new PlaneError(
    "INVALID_ARGUMENTS",
    `The arguments of '${tool.name}' do not fit: ${lines.join("; ")}.${hint} It takes: ${signature(tool)}.`,
    { data: { tool: tool.name, problems, ...(dropped.length > 0 ? { unknown: dropped } : {}) } },
  );
}

function signature(tool: Tool): string {
  const { properties, required } = tool.parameters;
  const needed = Array.isArray(required) ? required : [];
  const parts = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const type = isObject(schema) && schema.type !== undefined ? String(schema.type) : "any";
    return `${name} (${type}${needed.includes(name) ? ", required" : ""})`;
  });
  return parts.length === 0 ? "no arguments" : parts.join(", ");
}
