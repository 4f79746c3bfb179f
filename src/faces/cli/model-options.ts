import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { AgentStyle } from "../../model/agent/agent-run.ts";
import type { AgentOptions } from "../../model/agent.ts";

import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { readContext } from "./agent-files.ts";
import { howToConfigureModel } from "./model-hint.ts";

/** The flags of every command that asks a model. */
export type ModelOptions = {
  toolset?: string;
  style?: AgentStyle;
  model?: string;
  context?: string;
  toolGroup?: string[];
  state?: string;
  maxTurns?: number;
  maxCalls?: number;
  maxTokens?: number;
  maxSeconds?: number;
  trace?: string;
};

export async function modelOptions(options: ModelOptions): Promise<AgentOptions> {
  const { toolset, style, model, context, toolGroup, state, maxSeconds, trace } = options;
  const { maxTurns, maxCalls, maxTokens } = options;
  return {
    ...withoutUndefined({ toolset, style, model, state, maxTurns, maxCalls, maxTokens }),
    ...(toolGroup === undefined ? {} : { toolGroups: toolGroup.includes("*") ? "*" : toolGroup }),
    ...(maxSeconds === undefined ? {} : { timeoutMs: maxSeconds * 1000 }),
    ...(trace === undefined ? {} : { trace: "all_messages" }),
    ...(context === undefined ? {} : { system: await readContext(context) }),
  };
}

/** Says what is wrong before anything is begun: no model at all, or a name that nothing has. */
export function requireModel(
  plane: Plane,
  { models = [], toolsets = [] }: { models?: readonly string[]; toolsets?: readonly string[] } = {},
): void {
  const config = plane.config();
  if (Object.keys(config.models).length === 0) throw new PlaneError("CONFIG_INVALID", howToConfigureModel(config));
  for (const name of models) requireKnown("model", name, Object.keys(config.models));
  for (const name of toolsets) requireKnown("toolset", name, Object.keys(config.toolsets));
}

function requireKnown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const [meant] = nearest(name, known, 1);
  const remedy = meant ? `Did you mean '${meant}'?` : `Add it to the configuration under '${what}s'.`;
  throw new PlaneError("NOT_FOUND", `No ${what} '${name}' is configured. ${remedy}`);
}
