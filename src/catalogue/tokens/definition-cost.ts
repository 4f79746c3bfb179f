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
const loaded = once(() => import("gpt-tokenizer/encoding/o200k_base"));

/** Counts what looks like a control token as text. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await loaded();
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => piecesOf(text).reduce((sum, piece) => sum + countTokens(piece, asText), 0);
}

const longRun = /[\p{L}\p{M}]{500}|[^\p{L}\p{M}\p{N}\s]{500}|\s{500}/gu;

/** The tokenizer takes the square of a word's length, so a word of any length is counted in parts. */
function piecesOf(text: string): string[] {
  const ends = Array.from(text.matchAll(longRun), ({ index, 0: run }) => index + run.length);
  return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end));
}

export type DefinitionCost = { fullTokens: number; summaryTokens: number };

type Words = Pick<Tool, "modelName" | "title" | "description" | "annotations" | "outputSchema">;
type Known = DefinitionCost & { of: Words; limit: number };

// By schema: tools get new names with every change of the catalogue, schemas stay the same objects.
const known = new WeakMap<JsonObject, Known>();

export function summarizeTool({ modelName, description, id }: Tool, limit: number) {
  const short =
    description.length > limit ? `${sliceText(description, 0, limit).trimEnd()}…` : description;
  return { name: modelName, description: short, server: id.server, tool: id.tool };
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
    const cost = recallCost(tool, limit) ?? (await count(tool, limit));
    costs.push(cost);
    sum += cost.fullTokens;
    if (isEnough(sum)) break;
    if (turns.isOver()) await turns.next();
  }
  return costs;
}

export function recallCost(tool: Tool, limit: number): DefinitionCost | undefined {
  const before = known.get(tool.parameters);
  return before?.limit === limit && isSame(before.of, tool) ? before : undefined;
}

async function count(tool: Tool, limit: number): Promise<DefinitionCost> {
  const countTokens = await loadTokenCounter();
  const [definition] = toolFormats.mcp([tool]);
  const cost = {
    fullTokens: countTokens(JSON.stringify(definition)),
    summaryTokens: countTokens(JSON.stringify(summarizeTool(tool, limit))),
  };
  const { modelName, title, description, annotations, outputSchema } = tool;
  const of = { modelName, description, annotations, ...withoutUndefined({ title, outputSchema }) };
  known.set(tool.parameters, { ...cost, of, limit });
  return cost;
}

function isSame(one: Words, other: Words): boolean {
  return (
    one.modelName === other.modelName &&
    one.title === other.title &&
    one.description === other.description &&
    sameJson(one.annotations, other.annotations) &&
    sameJson(one.outputSchema, other.outputSchema)
  );
}

/** An upper bound without a tokenizer: a text has no more tokens than bytes. */
export function maxTokens(tools: readonly Tool[]): number {
  return tools.reduce(
    (sum, tool) => sum + Buffer.byteLength(JSON.stringify(toolFormats.mcp([tool])[0])),
    0,
  );
}
