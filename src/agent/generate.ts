import type { ChatMessage } from "../model/agent/chat.ts";
import type { AgentResult, AnswerParser, Generation } from "../model/agent.ts";

import { PlaneError } from "../model/errors.ts";
import type { Ending } from "./loop.ts";
import { type Converse, type RunParts, runAgent } from "./run-agent.ts";

export type GenerateParts<T> = {
  parser: AnswerParser<T>;
  maxCorrectionSteps: number;
  maxRestarts: number;
};

/**
 * A run whose answer has to please a parser. The model is told what was wrong and may try again; after that it starts
 * anew from the last thing its tools said, so that no call is made twice.
 */
export async function generate<T>(
  prompt: string,
  parts: RunParts,
  { parser, maxCorrectionSteps, maxRestarts }: GenerateParts<T>,
  run: (prompt: string, parts: RunParts, goOn: Converse) => Promise<AgentResult> = runAgent,
): Promise<Generation<T>> {
  const made: { value: T | null; corrections: number; restarts: number } = {
    ...{ value: null, corrections: 0, restarts: 0 },
  };
  let sinceRestart = 0;
  const result = await run(prompt, parts, async (conversation, converse) => {
    for (;;) {
      const ending = await converse();
      if (ending.answer === null) return ending;
      const problem = await tryParser(parser, ending.answer, (value) => {
        made.value = value;
      });
      if (problem === null) return ending;
      if (sinceRestart < maxCorrectionSteps) {
        sinceRestart += 1;
        made.corrections += 1;
        conversation.add([{ role: "user", content: correction(problem) }]);
      } else if (made.restarts < maxRestarts) {
        sinceRestart = 0;
        made.restarts += 1;
        conversation.goBackTo(checkpoint(conversation.messages, parts.history.length + 1));
      } else return refusedBy(ending, problem);
    }
  });
  return { ...result, ...made };
}

async function tryParser<T>(parser: AnswerParser<T>, answer: string, take: (value: T) => void): Promise<string | null> {
  try {
    take(await parser(answer));
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function correction(problem: string): string {
  return `Your answer cannot be used: ${problem}\nAnswer again, with this put right.`;
}

/** After the last thing a tool said, or else after the prompt. */
function checkpoint(messages: readonly ChatMessage[], least: number): number {
  return Math.max(least, messages.findLastIndex(({ role }) => role === "tool") + 1);
}

function refusedBy(ending: Ending, problem: string): Ending {
  const error = new PlaneError("PROVIDER_FAILED", `The model gave no answer that can be used: ${problem}`);
  return { ...ending, outcome: "failed", error };
}
