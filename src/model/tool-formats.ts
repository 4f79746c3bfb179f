import { toObjectSchema } from "./object-schema.ts";
import type { Tool } from "./tool.ts";

type Described = Pick<Tool, "modelName" | "title" | "description" | "parameters" | "outputSchema" | "annotations">;

/** What `tools` is in a request to a model, by whose request it is. Parameters that the system sets are in none. */
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
        { description, inputSchema: toObjectSchema(parameters) },
      ]),
    ),
  /** The arguments of each tool, for whoever validates or generates from a schema. */
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
  /** Unsaid, this API takes every schema for a strict one, which few tools' are. */
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
