import type { ScorePart } from "@toolplane/core/model/catalogue/search-schema";
import type { Tool, ToolMetadata } from "@toolplane/core/model/catalogue/tool";
import { isObject, objectOrEmpty } from "@toolplane/core/model/json";

export type Findable = Pick<
  Tool,
  "id" | "name" | "modelName" | "title" | "description" | "parameters" | "persona"
> & {
  metadata: Pick<ToolMetadata, "capabilities">;
};

/** A tool and its score. No slot: it may mean another tool after the next change. */
export type Hit = { tool: Findable; score: number; points?: ScorePart[] };

export type SearchResult = {
  total: number;
  hits: Hit[];
  notes: string[];
  /** What was found is only the nearest. */
  isMisfit?: boolean;
  /** The search ended before all tools were read. */
  isPartial?: boolean;
};

export type FieldName =
  | "name"
  | "server"
  | "serverText"
  | "description"
  | "parameterNames"
  | "parameterTexts";

/**
 * Weight, length normalisation and average length of each field (BM25F). Average lengths are fixed, so that a change of
 * one server does not change the scores of others.
 */
export const fields: Readonly<
  Record<FieldName, { weight: number; dilution: number; usualLength: number }>
> = {
  name: { weight: 3, dilution: 0.3, usualLength: 2.5 },
  server: { weight: 1, dilution: 0.3, usualLength: 2 },
  serverText: { weight: 0.3, dilution: 0.6, usualLength: 20 },
  description: { weight: 1, dilution: 0.65, usualLength: 12 },
  parameterNames: { weight: 0.5, dilution: 0.6, usualLength: 4 },
  parameterTexts: { weight: 0.3, dilution: 0.7, usualLength: 12 },
};

const maxDepth = 4;
const maxChoices = 30;
/** A longer text must not slow down every search. */
const maxText = 20_000;

export function searchTextsOf(tool: Findable, serverText: string): Record<FieldName, string> {
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

type ParameterTexts = { names: string; texts: string };

function readParameters(schema: unknown, collected: ParameterTexts, depth: number): void {
  if (!isObject(schema) || depth > maxDepth || collected.texts.length > maxText) return;
  const { properties, items } = schema;
  for (const [name, property] of Object.entries(objectOrEmpty(properties))) {
    if (collected.names.length > maxText) return;
    collected.names += `${name}\n`;
    readProperty(property, collected);
    readParameters(property, collected, depth + 1);
  }
  if (items !== undefined) readParameters(items, collected, depth + 1);
  for (const alternatives of [schema.anyOf, schema.oneOf, schema.allOf]) {
    if (!Array.isArray(alternatives)) continue;
    for (const alternative of alternatives.slice(0, maxChoices))
      readParameters(alternative, collected, depth + 1);
  }
}

function readProperty(property: unknown, collected: ParameterTexts): void {
  if (!isObject(property)) return;
  const { description, enum: choices } = property;
  if (typeof description === "string") collected.texts += `${description}\n`;
  if (!Array.isArray(choices)) return;
  const texts = choices.filter((choice) => typeof choice === "string").slice(0, maxChoices);
  collected.texts += `${texts.join("\n")}\n`;
}
