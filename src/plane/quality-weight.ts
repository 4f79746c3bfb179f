import { type DefinitionWeight, qualityThreshold, type WeighedTool } from "../model/quality.ts";
import type { Tool } from "../model/tool.ts";
import { scoreDefinition } from "../quality/score.ts";
import { countDefinitions, recallCost } from "../tokens/definition-cost.ts";
import { asWritten, isTrusted } from "./quality-judge.ts";

/** A list is shown at once, so what takes long is told only when it is known; it is found out while nobody waits. */
export function createWeigh(summaryLimit: () => number) {
  let waiting: Tool[] = [];
  let isCounting = false;
  const countWaiting = async (): Promise<void> => {
    if (isCounting) return;
    isCounting = true;
    while (waiting.length > 0) {
      const some = waiting;
      waiting = [];
      await countDefinitions(some, summaryLimit());
    }
    isCounting = false;
  };
  return (tools: readonly WeighedTool[]): DefinitionWeight[] => {
    const weights = tools.map((tool): DefinitionWeight => {
      const { score, checks } = scoreDefinition(asWritten(tool));
      const passed = score >= qualityThreshold && isTrusted(tool.review, "high");
      const complaints = checks.map(({ message }) => message);
      const fullTokens = recallCost(tool, summaryLimit())?.fullTokens ?? null;
      return { score, passed, complaints, fullTokens };
    });
    waiting.push(...tools.filter((_, at) => weights[at]?.fullTokens === null));
    void countWaiting();
    return weights;
  };
}
