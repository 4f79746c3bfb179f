import type { Tool, ToolMetadata } from "../../model/catalogue/tool.ts";
import { isObject } from "../../model/json.ts";

/** What a tool is found by. */
export type Findable = Pick<Tool, "id" | "name" | "modelName" | "title" | "description" | "parameters" | "persona"> & {
  metadata: Pick<ToolMetadata, "capabilities">;
};

export type FieldName = "name" | "server" | "serverText" | "description" | "parameterNames" | "parameterTexts";

/**
 * What a word is worth where it stands, how much a long text dilutes it, and how many words are usual there. The usual
 * lengths are fixed, so that a tool counts the same whatever stands beside it: one server's change touches no other.
 */
export const fields: Readonly<Record<FieldName, { weight: number; dilution: number; usualLength: number }>> = {
  name: { weight: 3, dilution: 0.3, usualLength: 2.5 },
  server: { weight: 1, dilution: 0.3, usualLength: 2 },
  serverText: { weight: 0.3, dilution: 0.6, usualLength: 20 },
  description: { weight: 1, dilution: 0.65, usualLength: 12 },
  parameterNames: { weight: 0.5, dilution: 0.6, usualLength: 4 },
  parameterTexts: { weight: 0.3, dilution: 0.7, usualLength: 12 },
};

const deepest = 4;
const maxChoices = 30;
/** More than any honest description; a longer one must not hold up everybody's search. */
const maxText = 20_000;

/** `serverText` is what is said about its server. */
export function textsOf(tool: Findable, serverText: string): Record<FieldName, string> {
  const { id, title = "", description, metadata } = tool;
  const parameters = { names: "", texts: "" };
  readParameters(tool.parameters, parameters, 0);
  return {
    name: id.tool,
    server: id.server ?? "",
    serverText: serverText.slice(0, maxText),
    description: [title, description, ...metadata.capabilities].join("\n").slice(0, maxText),
    parameterNames: parameters.names,
    parameterTexts: parameters.texts,
  };
}

type Found = { names: string; texts: string };

function readParameters(schema: unknown, found: Found, depth: number): void {
  if (!isObject(schema) || depth > deepest || found.texts.length > maxText) return;
  const { properties, items } = schema;
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (found.names.length > maxText) return;
    found.names += `${name}\n`;
    readProperty(property, found);
    readParameters(property, found, depth + 1);
  }
  if (items !== undefined) readParameters(items, found, depth + 1);
  for (const choice of [schema.anyOf, schema.oneOf, schema.allOf]) {
    if (!Array.isArray(choice)) continue;
    for (const one of choice.slice(0, maxChoices)) readParameters(one, found, depth + 1);
  }
}

function readProperty(property: unknown, found: Found): void {
  if (!isObject(property)) return;
  const { description, enum: choices } = property;
  if (typeof description === "string") found.texts += `${description}\n`;
  if (!Array.isArray(choices)) return;
  const texts = choices.filter((choice) => typeof choice === "string").slice(0, maxChoices);
  found.texts += `${texts.join("\n")}\n`;
}
