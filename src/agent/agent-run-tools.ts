import type { MissingServer } from "../model/agent-run.ts";
import type { CallOptions } from "../model/call.ts";
import type { ChatMessage } from "../model/chat.ts";
import type { Principal } from "../model/principal.ts";
import type { Tool } from "../model/tool.ts";
import type { AgentCallOptions, AgentTools } from "./agent-tools.ts";
import type { Left } from "./loop-parts.ts";
import type { RunParts } from "./run-agent.ts";
import type { OfferedTool } from "./run-calls.ts";
import type { NamedTool } from "./select-tools.ts";
import { toOffered } from "./toolset.ts";
import type { ToolsetRef } from "./toolset-registry.ts";

type Asked = Pick<CallOptions, "toolGroups"> & {
  principal: Principal;
  toolset: ToolsetRef | null;
  history: readonly ChatMessage[];
  /** The only ones that are offered, beside the one that reads on in large results. */
  only?(tool: Tool): boolean;
};

export type RunTools = Pick<RunParts, "listTools" | "call"> & {
  /** Says what is wrong with the selection, before the model is asked. */
  check(state: string | undefined): Promise<void>;
  missing(): MissingServer[];
};

/** What one run may call: listed anew for each turn, and called by the names of the last listing. */
export function createRunTools(
  tools: AgentTools,
  { principal, toolset, toolGroups, history, only }: Asked,
  optionsIn: (state: string | undefined, left: Left) => AgentCallOptions,
): RunTools {
  let named: NamedTool[] = [];
  let checked: OfferedTool[] | undefined;
  let isLater = false;
  let reads = /\br_[0-9a-f]{20}\b/.test(JSON.stringify(history));

  async function list(state: string | undefined): Promise<OfferedTool[]> {
    const asked = { ...(toolGroups && { toolGroups }), ...(state && { state }), reads, isLater };
    const all = await tools.named({ principal, toolset, ...asked });
    named = only ? all.filter(({ tool }) => only(tool) || (reads && tool.source === "builtin")) : all;
    isLater = true;
    return named.map((tool) => toOffered(tool, tools.mayChange));
  }

  return {
    missing: () => tools.missing({ principal, toolset }, named),
    async check(state) {
      checked = await list(state);
    },
    async listTools(state) {
      const listed = checked ?? (await list(state));
      checked = undefined;
      return listed;
    },
    call(state, left) {
      const options = optionsIn(state, left);
      const call = tools.call(named, { principal, toolset, options });
      // A model that guesses a name has not been given the tool.
      const refuse = tools.call(named, { principal, toolset, options: { ...options, unseen: true } });
      const isOffered = (name: string) => !only || named.some((one) => one.name === name);
      return async (...asked) => {
        const outcome = await (isOffered(asked[0]) ? call : refuse)(...asked);
        reads ||= outcome.stored !== undefined;
        return outcome;
      };
    },
  };
}
