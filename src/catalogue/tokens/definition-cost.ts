import { once } from "../../lib/async/once.ts";
import { yieldEvery } from "../../lib/async/pause.ts";
import { sameJson, withoutUndefined } from "../../lib/json/plain-data.ts";
import { sliceText } from "../../lib/text/cut-text.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { toolFormats } from "../../model/catalogue/tool-formats.ts";
import type { JsonObject } from "../../model/json.ts";

/** Shown beside every count. */
export const tokenizer =
  "o200k_base (gpt-tokenizer), on the JSON of each definition as tools/list gives it";

// The table takes a fifth of a second to load, and most commands count nothing.
const loadedEncoding = once(() => import("gpt-tokenizer/encoding/o200k_base"));

/** Counts what looks like a control token as text. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await loadedEncoding();
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => partsOf(text).reduce((sum, part) => sum + countTokens(part, asText), 0);
}

const longRun = /[\p{L}\p{M}]{500}|[^\p{L}\p{M}\p{N}\s]{500}|\s{500}/gu;

/** The tokenizer takes the square of a word's length, so a word of any length is counted in parts. */
function partsOf(text: string): string[] {
  const ends = Array.from(text.matchAll(longRun), ({ index, 0: run }) => index + run.length);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

export type DefinitionCost = { fullTokens: number; summaryTokens: number };

type CountedFields = Pick<
  Tool,
  "modelName" | "title" | "description" | "annotations" | "outputSchema"
>;
type KnownCost = DefinitionCost & { fields: CountedFields; limit: number };

// By schema: tools get new names with every change of the catalogue, schemas stay the same objects.
const knownCosts = new WeakMap<JsonObject, KnownCost>();

export function summarizeTool({ modelName, description, id }: Tool, limit: number) {
  const shortDescription =
    description.length > limit ? `${sliceText(description, 0, limit).trimEnd()}…` : description;
  return { name: modelName, description: shortDescription, server: id.server, tool: id.tool };
}

/** The cost of each tool, in order. The count ends when `isEnough` accepts the sum. */
export async function countDefinitions(
  tools: readonly Tool[],
  limit: number,
  isEnough: (fullTokens: number) => boolean = () => false,
): Promise<DefinitionCost[]> {
  const costs: DefinitionCost[] = [];
  const turns = yieldEvery();
  let sum = 0;
  for (const tool of tools) {
    const cost = recallCost(tool, limit) ?? (await countTool(tool, limit));
    costs.push(cost);
    sum += cost.fullTokens;
    if (isEnough(sum)) break;
    if (turns.isOver()) await turns.next();
  }
  return costs;
}

export function recallCost(tool: Tool, limit: number): DefinitionCost | undefined {
  const previous = knownCosts.get(tool.parameters);
  if (previous?.limit !== limit) return undefined;
  return sameFields(previous.fields, tool) ? previous : undefined;
}

async function countTool(tool: Tool, limit: number): Promise<DefinitionCost> {
  const countTokens = await loadTokenCounter();
  const [definition] = toolFormats.mcp([tool]);
  const cost = {
    fullTokens: countTokens(JSON.stringify(definition)),
    summaryTokens: countTokens(JSON.stringify(summarizeTool(tool, limit))),
  };
  const { modelName, title, description, annotations, outputSchema } = tool;
  const fields = {
    modelName,
    description,
    annotations,
    ...withoutUndefined({ title, outputSchema }),
  };
  knownCosts.set(tool.parameters, { ...cost, fields, limit });
  return cost;
}

function sameFields(a: CountedFields, b: CountedFields): boolean {
  return (
    a.modelName === b.modelName &&
    a.title === b.title &&
    a.description === b.description &&
    sameJson(a.annotations, b.annotations) &&
    sameJson(a.outputSchema, b.outputSchema)
  );
}

/** An upper bound without a tokenizer: a text has no more tokens than bytes. */
export function maxTokens(tools: readonly Tool[]): number {
  return tools.reduce(
    (sum, tool) => sum + Buffer.byteLength(JSON.stringify(toolFormats.mcp([tool])[0])),
    0,
  );
}
