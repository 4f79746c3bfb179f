import type { TimeLimiter } from "../lib/async/time-limit.ts";
import type { ChatModel, ModelRequest, TokenUsage } from "../model/agent/chat.ts";
import type { Budget } from "./budgets.ts";
import type { CallTool, OfferedTool } from "./run-calls.ts";
import type { Style } from "./style.ts";
import type { Voice } from "./voice.ts";

/** What a run has left; infinite where it has no limit. What a tool lets a model say is taken from it. */
export type Left = { ms: number; tokens(): number; sampled(usage: TokenUsage): void };

/** What a run of an agent is made with. */
export type LoopParts = {
  model: ChatModel;
  style: Style;
  system: string | null;
  budget: Budget;
  limiter: TimeLimiter;
  settings: Pick<ModelRequest, "temperature" | "maxOutputTokens">;
  /** Asked again in each turn: what was called may have led to another state, and servers come and go. */
  listTools(state: string | undefined): Promise<readonly OfferedTool[]>;
  call(state: string | undefined, left: Left): CallTool;
  voice: Voice;
};
