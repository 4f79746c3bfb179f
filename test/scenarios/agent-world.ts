import { createPlane, type Plane } from "../../src/index.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import type { ServerEntry } from "./support.ts";

export type AgentWorld = AsyncDisposable & { plane: Plane; model: ScriptedModel };

/** A plane with these servers and a model that follows a script. */
export async function agentWorld(
  responses: Script,
  servers: Record<string, ServerEntry>,
  {
    config = {},
    ...options
  }: { config?: object } & Partial<Parameters<typeof createPlane>[0]> = {},
): Promise<AgentWorld> {
  const model = await startScriptedModel({ responses });
  const models = { default: { baseURL: model.url, model: "scripted" } };
  const plane = await createPlane({
    config: { mcpServers: servers, models, ...config },
    ...options,
  });
  return {
    plane,
    model,
    async [Symbol.asyncDispose]() {
      await plane.stop();
      await model.close();
    },
  };
}

type Sent = { role: string; content: unknown; tool_call_id?: string; tool_calls?: unknown[] };

/** What the model was sent the given time. */
export function sentTo(model: ScriptedModel, at: number): { messages: Sent[]; tools?: unknown[] } {
  return model.requests[at]?.body as { messages: Sent[]; tools?: unknown[] };
}

/** The names of the tools that it got then. */
export function toldOf(model: ScriptedModel, at: number): string[] {
  const tools = (sentTo(model, at).tools ?? []) as { function: { name: string } }[];
  return tools.map((tool) => tool.function.name);
}
