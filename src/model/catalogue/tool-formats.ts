import { hasMembers, ownField, withoutUndefined } from "../../lib/json/plain-data.ts";
import { isObject, listOrEmpty, objectOrEmpty, type UnknownObject } from "../json.ts";
import type { Tool } from "./tool.ts";

/** A schema that every model API takes: a plain object at the top. */
type ObjectSchema = {
  type: "object";
  properties: { [name: string]: unknown };
  required?: string[];
  [keyword: string]: unknown;
};

/** Refused by endpoints at the top of a schema. */
const refused = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"] as const;

/** Merges alternatives: all properties, and what all require. The call checks which alternative it is. */
export function toObjectSchema(schema: UnknownObject): ObjectSchema {
  if (!refused.some((keyword) => schema[keyword] !== undefined))
    return {
      ...schema,
      type: "object",
      properties: objectOrEmpty(schema.properties),
    };
  const {
    anyOf,
    oneOf,
    allOf,
    not,
    enum: choices,
    $ref,
    type,
    properties,
    required,
    ...rest
  } = schema;
  const ownPart = readPart(schema, schema);
  const requiredParts = [...listOrEmpty(allOf), ...($ref === undefined ? [] : [{ $ref }])].map(
    (part) => readPart(part, schema),
  );
  const alternatives = [anyOf, oneOf].map(listOrEmpty).filter((list) => list.length > 0);
  const alternativeParts = alternatives.map((list) =>
    commonPart(list.map((part) => readPart(part, schema))),
  );
  const parts = [...alternativeParts, ...requiredParts, ownPart];
  const names = [...new Set(parts.flatMap((part) => part.required))];
  return {
    ...rest,
    type: "object",
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as UnknownObject,
    ...(names.length > 0 || Array.isArray(required) ? { required: names } : {}),
  };
}

type Part = { properties: UnknownObject; required: string[] };

function readPart(schema: unknown, root: UnknownObject): Part {
  const { properties, required } = isObject(schema) ? followReference(schema, root) : {};
  return {
    properties: objectOrEmpty(properties),
    required: listOrEmpty(required).filter((name) => typeof name === "string"),
  };
}

/** One step is enough: definitions are not mere references. */
function followReference(schema: UnknownObject, root: UnknownObject): UnknownObject {
  const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema.$ref));
  const [, section = "", key = ""] = name ?? [];
  const definition = ownField(objectOrEmpty(root[section]), key);
  return isObject(definition) ? definition : schema;
}

function commonPart(parts: readonly Part[]): Part {
  const [first, ...furtherParts] = parts;
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as UnknownObject,
    required: (first?.required ?? []).filter((name) =>
      furtherParts.every(({ required }) => required.includes(name)),
    ),
  };
}

type Described = Pick<
  Tool,
  "modelName" | "title" | "description" | "parameters" | "outputSchema" | "annotations"
>;

/** The `tools` of a request, by API. Parameters that the system sets are in none. */
export const toolFormats = {
  openai: (tools) =>
    tools.map(({ modelName, description, parameters }) => ({
      type: "function" as const,
      function: { name: modelName, description, parameters: toObjectSchema(parameters) },
    })),
  anthropic: (tools) =>
    tools.map(({ modelName, description, parameters }) => ({
      name: modelName,
      description,
      input_schema: toObjectSchema(parameters),
    })),
  mcp: (tools) =>
    tools.map(({ modelName, title, description, parameters, outputSchema, annotations }) => ({
      name: modelName,
      ...withoutUndefined({ title }),
      description,
      inputSchema: parameters,
      ...withoutUndefined({
        outputSchema,
        annotations: hasMembers(annotations) ? annotations : undefined,
      }),
    })),
  "ai-sdk": (tools) =>
    Object.fromEntries(
      tools.map(({ modelName, description, parameters }) => [
        modelName,
        { description, inputSchema: toObjectSchema(parameters) },
      ]),
    ),
  "json-schema": (tools) =>
    Object.fromEntries(
      tools.map(({ modelName, description, parameters }) => [
        modelName,
        {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          title: modelName,
          description,
          ...parameters,
        },
      ]),
    ),
  /** Without this the API takes every schema for a strict one, which few are. */
  "openai-responses": (tools) =>
    tools.map(({ modelName, description, parameters }) => ({
      type: "function" as const,
      name: modelName,
      description,
      parameters: toObjectSchema(parameters),
      strict: false,
    })),
} as const satisfies Record<string, (tools: readonly Described[]) => unknown>;

export type ToolFormatName = keyof typeof toolFormats;
export type ToolFormats = { [Name in ToolFormatName]: ReturnType<(typeof toolFormats)[Name]> };

export function isToolFormat(name: string): name is ToolFormatName {
  return Object.hasOwn(toolFormats, name);
}

type Deferring = {
  isDeferred(tool: Tool): boolean;
  describeServer(server: string): string;
};

/** For APIs that load definitions on demand: all are sent, deferred ones enter the context once searched for. */
export const deferredFormats = {
  anthropic: (tools, { isDeferred }) => [
    { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
    ...toolFormats.anthropic(tools).map((definition, at) => ({
      ...definition,
      ...(isDeferred(tools[at] as Tool) ? { defer_loading: true } : {}),
    })),
  ],
  "openai-responses"(tools, { isDeferred, describeServer }) {
    const deferred = tools.filter(isDeferred);
    const lone = tools.filter((tool) => !isDeferred(tool) || tool.id.server === null);
    const groups = Map.groupBy(
      deferred.filter(({ id }) => id.server !== null),
      ({ id }) => namespaceOf(id.server as string),
    );
    return [
      { type: "tool_search" },
      ...lone.map((tool) => responsesFunction(tool, isDeferred(tool))),
      ...[...groups].map(([name, group]) => ({
        type: "namespace",
        name,
        description: describe(group[0]?.id.server as string),
        tools: group.map((tool) => responsesFunction(tool, true)),
      })),
    ];

    function describe(server: string): string {
      return describeServer(server) || `Tools of the MCP server '${server}'.`;
    }
  },
} as const satisfies Record<string, (tools: readonly Tool[], deferring: Deferring) => unknown>;

export function isDeferredFormat(name: string): name is keyof typeof deferredFormats {
  return Object.hasOwn(deferredFormats, name);
}

function responsesFunction(tool: Tool, isDeferred: boolean) {
  const [definition] = toolFormats["openai-responses"]([tool]);
  return { ...definition, ...(isDeferred ? { defer_loading: true } : {}) };
}

function namespaceOf(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
}
