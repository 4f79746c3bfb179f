import { passesFilter } from "../../lib/glob.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { Tool, ToolAnnotations } from "../../model/tool.ts";
import { readParamHeaders } from "../../protocol/param-headers.ts";
import { hideInjected } from "./hide-injected.ts";
import { schemaProblem } from "./schema-problem.ts";

/** A tool before the snapshot has given it its names. */
export type NamelessTool = Omit<Tool, "name" | "modelName">;

export type Translation = { tools: NamelessTool[]; rejected: { tool: string; reason: string }[] };

/** Takes what a server listed, one entry at a time: a bad entry costs only itself. */
export function translateTools(
  server: string,
  definition: ServerDefinition,
  listed: unknown[],
  era: "legacy" | "modern" = "legacy",
): Translation {
  const mirrorsArguments = era === "modern" && definition.transport === "http";
  const tools = new Map<string, NamelessTool>();
  const rejected: Translation["rejected"] = [];
  listed.forEach((entry, at) => {
    const name = isObject(entry) && typeof entry.name === "string" ? entry.name : undefined;
    const label = name === undefined || name.trim() === "" ? `entry ${at + 1}` : name;
    const reason = refuse(entry, name, tools) ?? (mirrorsArguments ? headerProblem(entry) : undefined);
    if (reason !== undefined) rejected.push({ tool: label, reason });
    else if (name !== undefined && passesFilter(name, definition.allow_tools, definition.deny_tools)) {
      tools.set(name, translate(server, definition, name, entry as UnknownObject));
    }
  });
  return { tools: [...tools.values()], rejected };
}

function refuse(entry: unknown, name: string | undefined, taken: Map<string, unknown>): string | undefined {
  if (!isObject(entry)) return "it is not an object";
  if (name === undefined || name.trim() === "") return "it has no name";
  if (taken.has(name)) return "the server lists this name twice; the first one is kept";
  const schema = entry.inputSchema;
  if (!isObject(schema)) return "its inputSchema is not an object";
  if (schema.type !== undefined && schema.type !== "object") return "its inputSchema is not of type 'object'";
  if (schema.properties !== undefined && !isObject(schema.properties)) return "'properties' is not an object";
  if (schema.required !== undefined && !isListOfStrings(schema.required))
    return "'required' is not a list of names";
  const problem = schemaProblem(schema);
  return problem === null ? undefined : `its inputSchema cannot be used: ${problem}`;
}

/** A server of the new revision refuses calls whose arguments are not repeated as it says. */
function headerProblem(entry: unknown): string | undefined {
  const { problem } = readParamHeaders(isObject(entry) ? entry.inputSchema : undefined);
  return problem === null ? undefined : `its inputSchema cannot be used: ${problem}`;
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function translate(
  server: string,
  definition: ServerDefinition,
  name: string,
  entry: UnknownObject,
): NamelessTool {
  const schema = { ...(entry.inputSchema as JsonObject), type: "object" };
  const annotations = isObject(entry.annotations) ? (entry.annotations as ToolAnnotations) : {};
  const title = typeof entry.title === "string" ? entry.title : annotations.title;
  const { parameters, injects } = hideInjected(schema, definition.inject);
  return {
    id: { server, tool: name },
    ...(title === undefined ? {} : { title }),
    description:
      typeof entry.description === "string"
        ? entry.description
        : `MCP tool '${name}' from server '${server}'`,
    parameters,
    injects,
    reserved: definition.inject,
    ...(isObject(entry.outputSchema) ? { outputSchema: entry.outputSchema as JsonObject } : {}),
    annotations,
    trusted: definition.trusted,
    metadata: {
      version: "1.0.0",
      side_effects: definition.side_effects,
      auth: { required: false },
      allow_parallel: definition.allow_parallel,
      idempotency_key: definition.idempotency_key,
      requires_consent: definition.requires_consent ?? true,
      capabilities: [],
    },
    consent: definition.requires_consent === undefined ? "default" : "explicit",
    groups: definition.groups,
    persona: definition.persona,
    providers: [{ name: "mcp", priority: 0, health_check_interval: 300, config: { server, tool: name } }],
    source: `mcp:${server}`,
  };
}
