import { lazily } from "../lib/async/lazily.ts";
import { once } from "../lib/async/once.ts";
import type { Conversations } from "../model/access/conversation.ts";
import type { RunCodeOptions } from "../model/agent/code-run.ts";
import type { AgentRun } from "../model/agent/run-schema.ts";
import type { Outcome } from "../model/calls/call.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { Plane } from "../model/plane.ts";
import type { PlaneCode } from "../model/plane-work.ts";
import type { Inside, KnownCaller, Principal } from "../model/principal.ts";
import type { Store } from "../model/store.ts";

export type CodePackage = {
  createCode(parts: CodeParts): CodeRunner;
};

export type CodeParts = {
  plane(): Pick<Plane, "approvals" | "call" | "search" | "tools">;
  visibleTo(principal: Principal): readonly Tool[];
  serverNames(principal: Principal): readonly string[];
  /** Is it known to only read? */
  onlyReads(tool: Tool): boolean;
  keepRun(run: AgentRun): Promise<void>;
  store(): Promise<Store>;
  conversations: Conversations;
  stopping: AbortSignal;
};

/** Programs that call tools as functions. */
export type CodeRunner = {
  verbs: Inside<PlaneCode>;
  /** `search_tools` and `run_code` for a model that is called with these options. */
  ownTool(options: RunCodeOptions & KnownCaller): NonNullable<Relay["onOwnTool"]>;
  /** The answer of a call that a person approved, for the program that waits for it. */
  keepAnswer(approval: string, outcome: Outcome): Promise<void>;
  stop(): Promise<void>;
};

/** Loaded with the first program. */
export function createCode(parts: CodeParts, load: () => Promise<CodePackage>): CodeRunner {
  const code = once(async () => (await load()).createCode(parts));
  return {
    verbs: lazily(async () => (await code()).verbs, ["run", "search"]),
    ownTool:
      (options) =>
      async (...args) =>
        (await code()).ownTool(options)(...args),
    keepAnswer: async (...args) => (await code()).keepAnswer(...args),
    async stop() {
      if (code.made()) await (await code()).stop();
    },
  };
}
