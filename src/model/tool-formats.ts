import type { JsonObject } from "./json.ts";
import type { Tool } from "./tool.ts";

type Described = Pick<
  Tool,
  "modelName" | "title" | "description" | "parameters" | "outputSchema" | "annotations"
>;

/** What `tools` is in a request to a model, by whose request it is. Parameters that the system sets are in none. */
export const toolFormats = {
  openai: (tools) =>
    tools.map(({ modelName, description, parameters }) => ({
      type: "function",
      function: { name: modelName, description, parameters: withProperties(parameters) },
    })),
  anthropic: (tools) =>
    tools.map(({ modelName, description, parameters }) => ({
      name: modelName,
      description,
      input_schema: parameters,
    })),
  mcp: (tools) =>
    tools.map(({ modelName, title, description, parameters, outputSchema, annotations }) => ({
      name: modelName,
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema: parameters,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    })),
  "ai-sdk": (tools) =>
    Object.fromEntries(
      tools.map(({ modelName, description, parameters }) => [
        modelName,
        { description, inputSchema: parameters },
      ]),
    ),
} as const satisfies Record<string, (tools: readonly Described[]) => unknown>;

type ToolFormat = keyof typeof toolFormats;

export function isToolFormat(name: string): name is ToolFormat {
  return Object.hasOwn(toolFormats, name);
}

/** Some endpoints refuse an object without properties. */
function withProperties(schema: JsonObject): JsonObject {
  return schema.properties === undefined && schema.type === "object" ? { ...schema, properties: {} } : schema;
}
