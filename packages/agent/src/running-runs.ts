import type { AgentRunner } from "@toolplane/core/agent";
import { nowText } from "@toolplane/core/lib/ids-and-time";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { shorten } from "@toolplane/core/lib/text/cut-text";
import type { RunningRun } from "@toolplane/core/model/agent/run-schema";
import { PlaneError } from "@toolplane/core/model/errors";
import { ownerOf, ownsRecord, type Principal, requireScope } from "@toolplane/core/model/principal";
import type { Recorder } from "@toolplane/core/store";
import type { Conversation } from "./conversation.ts";
import type { RunParts } from "./run-agent.ts";
import { noUsage } from "./style.ts";
import { keptMessage, keptStep, keptText, messagesFor } from "./trace/kept-run.ts";

type Entry = {
  question: string;
  run: RunParts & { id: string };
  owner: string;
  at: string;
  /** Missing until it has begun. */
  conversation?: Conversation;
  /** By the ids that the model gave them. */
  calls: Map<string, RunningRun["calls"][number]>;
  stopping: AbortController;
};

export type RunningRuns = ReturnType<typeof createRunningRuns>;

/** Runs that have not ended: what they did so far, and their end on request. */
export function createRunningRuns(emit: Recorder["emit"]) {
  const entries = new Map<string, Entry>();

  function find(id: string, principal: Principal): Entry | undefined {
    const entry = entries.get(id);
    if (entry === undefined) return undefined;
    const isTheirs = ownsRecord(principal, { user: entry.run.user, owner: entry.owner });
    return isTheirs ? entry : undefined;
  }

  const verbs: Pick<AgentRunner["runs"], "running" | "stop"> = {
    async running({ id } = {}, { principal }) {
      requireScope(principal, "read", "look at runs of agents");
      if (id !== undefined) {
        const entry = find(id, principal);
        if (entry) return [{ ...summaryOf(entry), ...detailsOf(entry) }];
        return [];
      }
      return [...entries.keys()].flatMap((runId) => find(runId, principal) ?? []).map(summaryOf);
    },
    async stop(id, { principal }) {
      requireScope(principal, "call", "stop a run of an agent");
      const entry = find(id, principal);
      if (entry === undefined)
        throw new PlaneError(
          "NOT_FOUND",
          `No run '${shorten(id, 80)}' of yours is under way here. List them: toolplane conversations running`,
        );
      entry.stopping.abort(new Error("a person stopped it"));
      return { id };
    },
  };

  return {
    verbs,
    /** The same run, looked at while it goes on; `end` when it is kept. */
    watch(
      question: string,
      runParts: RunParts,
      principal: Principal,
    ): { run: RunParts; end(): void } {
      const { id } = runParts;
      if (id === undefined) return { run: runParts, end: () => undefined };
      const owner = ownerOf(principal);
      const stopping = new AbortController();
      const entry: Entry = {
        question,
        run: { ...runParts, id },
        owner,
        at: nowText(),
        calls: new Map(),
        stopping,
      };
      const { user } = runParts;
      const { key } = principal;
      const tell = () =>
        emit({
          type: "agent.step",
          runId: id,
          user,
          ...withoutUndefined({ key: key || undefined }),
          owner,
        });
      const run: RunParts = {
        ...runParts,
        signal: runParts.signal
          ? AbortSignal.any([runParts.signal, stopping.signal])
          : stopping.signal,
        call: (state, left) => watchCalls(runParts.call(state, left), entry, tell),
        async listTools(state) {
          const listed = await runParts.listTools(state);
          tell();
          return listed;
        },
        onBegin({ at, conversation }) {
          Object.assign(entry, { at, conversation });
          tell();
        },
      };
      entries.set(id, entry);
      return { run, end: () => void entries.delete(id) };
    },
  };
}

function watchCalls(call: ReturnType<RunParts["call"]>, { calls }: Entry, tell: () => void) {
  const watched: typeof call = async (name, text, context) => {
    const begunCall = {
      id: context.id,
      tool: name,
      at: nowText(),
      record: null,
      provider: null,
      attempts: 0,
    };
    calls.set(context.id, { ...begunCall, status: null, durationMs: null });
    tell();
    try {
      const outcome = await call(name, text, context);
      const { id: record, tool, status, durationMs } = outcome.call;
      calls.set(context.id, { ...begunCall, tool, record, status, durationMs });
      return outcome;
    } catch (thrown) {
      calls.delete(context.id);
      throw thrown;
    } finally {
      tell();
    }
  };
  return watched;
}

function summaryOf({ question, run, at, conversation: progress, calls }: Entry): RunningRun {
  const { id, user, style, model, toolset, conversation } = run;
  const served = new Set(progress?.steps.flatMap((step) => step.calls.map((call) => call.id)));
  return {
    id,
    at,
    user,
    question: keptText(question),
    style: style.name,
    model: keptText(model.name),
    toolset,
    conversation,
    turns: progress?.turns() ?? 0,
    usage: progress?.usage() ?? noUsage,
    calls: [...calls.values()]
      .filter((call) => !served.has(call.id))
      .map((call) => ({ ...call, id: keptText(call.id), tool: keptText(call.tool) })),
  };
}

function detailsOf({ run, conversation: progress }: Entry): Pick<RunningRun, "steps" | "messages"> {
  return {
    steps: (progress?.steps ?? []).map(keptStep),
    messages: messagesFor(run.trace, progress?.messages ?? []).map(keptMessage),
  };
}
