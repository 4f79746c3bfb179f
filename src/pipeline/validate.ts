import { nearest } from "../lib/nearest.ts";
import type { Authorized, Input, Validated } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import type { Tool } from "../model/tool.ts";
import { keepDeclared } from "./keep-declared.ts";
import { parseArguments } from "./parse-arguments.ts";

export type ArgumentProblem = { path: string; message: string };

/** Checks arguments against a tool's schema: every problem at once, or none. */
export type CheckArguments = (schema: JsonObject, args: JsonObject) => Promise<ArgumentProblem[]>;

export async function validate(call: Authorized, check: CheckArguments): Promise<Validated> {
  const { arguments: parsed, repaired } = parseArguments(call.asked.arguments, call.tool.name);
  const { kept: own, dropped } = keepDeclared(call.tool, parsed);
  const kept = { ...call.tool.defaults, ...own };
  const problems = await check(call.tool.parameters, kept);
  if (problems.length > 0) throw refuse(call.tool, problems, dropped);
  const input: Input = { arguments: kept, repaired, dropped };
  return { ...call, input };
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
