import { type DefinitionWeight, qualityThreshold, type WeighedTool } from "../../model/catalogue/quality.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { countDefinitions, recallCost } from "../tokens/definition-cost.ts";
import { asWritten, isTrusted } from "./judge.ts";
import { scoreDefinition } from "./score.ts";

/** Nobody types any more. */
const restMs = 300;
/** Whoever looks again and again gets to know it all the same. */
const maxMs = 5_000;

/** A list is shown at once, so what takes long is told only when it is known; it is found out while nobody waits. */
export function createWeigh(summaryLimit: () => number) {
  let waiting: Tool[] = [];
  let waitingSince = 0;
  let resting: NodeJS.Timeout | undefined;
  let isCounting = false;
  const countWaiting = async (): Promise<void> => {
    if (isCounting) return;
    isCounting = true;
    try {
      while (waiting.length > 0) {
        const some = waiting;
        waiting = [];
        await countDefinitions(some, summaryLimit());
      }
    } catch (thrown) {
      // The next look at the list counts again.
      process.emitWarning(`Tokens of definitions cannot be counted: ${(thrown as Error).message}`);
    } finally {
      isCounting = false;
    }
  };
  const countLater = (tools: readonly Tool[]): void => {
    if (tools.length === 0) return;
    if (waiting.length === 0) waitingSince = Date.now();
    waiting.push(...tools);
    if (Date.now() - waitingSince > maxMs) return void countWaiting();
    clearTimeout(resting);
    resting = setTimeout(() => void countWaiting(), restMs);
    resting.unref();
  };
  return (tools: readonly WeighedTool[]): DefinitionWeight[] => {
    const weights = tools.map((tool): DefinitionWeight => {
      const { score, checks } = scoreDefinition(asWritten(tool));
      const passed = score >= qualityThreshold && isTrusted(tool.review, "high");
      const complaints = checks.map(({ message }) => message);
      const fullTokens = recallCost(tool, summaryLimit())?.fullTokens ?? null;
      return { score, passed, complaints, fullTokens };
    });
    countLater(tools.filter((_, at) => weights[at]?.fullTokens === null));
    return weights;
  };
}
