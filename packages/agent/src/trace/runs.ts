import type { AgentParts, AgentRunner } from "@toolplane/core/agent";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { shorten } from "@toolplane/core/lib/text/cut-text";
import { redact } from "@toolplane/core/lib/text/redact";
import { type RunFilter, type RunQuery, runFormats } from "@toolplane/core/model/agent/agent-run";
import type { AgentRun } from "@toolplane/core/model/agent/run-schema";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import { collectPages } from "@toolplane/core/model/page";
import { mayDo, ownsRecord, type Principal, requireScope } from "@toolplane/core/model/principal";
import type { Recorder } from "@toolplane/core/store";

const defaultPage = 50;
const maxPage = 1_000;
const maxTitle = 200;

type RunStore = {
  verbs: Omit<AgentRunner["runs"], "running" | "stop">;
  keep: AgentRunner["keepRun"];
};

/** What agents did: kept, told of, and shown to whose it was, or to admins. */
export function createRunStore({ recorder }: Pick<AgentParts, "recorder">): RunStore {
  const find = async (id: string, principal: Principal): Promise<AgentRun> => {
    requireScope(principal, "read", "read runs of agents");
    const run = await (await recorder.storeOf(principal)).run(id);
    if (run !== null && ownsRecord(principal, run)) return withoutOwner(run);
    throw new PlaneError("NOT_FOUND", `No run '${id}' found. List them: toolplane calls runs`);
  };
  /** Their own only, also for admins. */
  const idsOf = async (conversation: string, principal: Principal): Promise<string[]> => {
    requireScope(principal, "call", "change what is kept of a conversation");
    const storedRuns = await (await recorder.store()).runs({ conversation, user: principal.user });
    const ownRuns = storedRuns.filter((run) => ownsRecord(principal, run));
    if (ownRuns.length > 0) return ownRuns.map(({ id }) => id);
    throw new PlaneError(
      "NOT_FOUND",
      `You have no stored runs of a conversation '${shorten(conversation, 80)}'. 'toolplane calls runs' lists yours.`,
    );
  };
  return {
    verbs: {
      async page(query = {}, { principal }) {
        requireScope(principal, "read", "look at runs of agents");
        const { limit, ...filter } = filterOf(query);
        if (!mayDo(principal, "admin")) {
          // Whether others have runs is not shown.
          if (filter.user !== undefined && filter.user !== principal.user)
            return { runs: [], nextCursor: null };
          filter.user = principal.user;
        }
        const { runs: readRuns } = await recorder.storeOf(principal);
        const visibleRuns = await collectPages(
          (part) => readRuns({ ...filter, ...part }),
          (run) => ownsRecord(principal, run),
          { ...withoutUndefined({ before: filter.before }), limit: limit + 1 },
        );
        const runs = visibleRuns.slice(0, limit).map(withoutOwner);
        return { runs, nextCursor: visibleRuns.length > limit ? (runs.at(-1)?.id ?? null) : null };
      },
      get: (id, { principal }) => find(id, principal),
      async render(id, format, { principal }) {
        if (!runFormats.includes(format))
          throw new PlaneError(
            "USAGE",
            `A run cannot be rendered as '${format}': use ${runFormats.join(" or ")}, or read it as JSON with 'run'.`,
          );
        const run = await find(id, principal);
        if (format === "html")
          return { text: (await import("./render-html.ts")).renderRunPage(run) };
        const { renderRunText } = await import("./render-text.ts");
        return { text: renderRunText(run) };
      },
      async rename(conversation, title, { principal }) {
        const trimmedTitle = typeof title === "string" ? title.trim() : null;
        if (trimmedTitle === null || trimmedTitle.length > maxTitle)
          throw new PlaneError(
            "USAGE",
            `'title' must be a string of at most ${maxTitle} characters.`,
          );
        const ids = await idsOf(conversation, principal);
        await (await recorder.store()).titleRuns(
          ids,
          trimmedTitle === "" ? null : redact(trimmedTitle),
        );
        return { conversation, runs: ids.length };
      },
      async delete(conversation, { principal }) {
        const ids = await idsOf(conversation, principal);
        await (await recorder.store()).removeRuns(ids);
        return { conversation, runs: ids.length };
      },
    },
    async keep(run) {
      const { keptRun } = await import("./kept-run.ts");
      const storedRun = keptRun(run);
      try {
        await recorder.recordRun(storedRun);
      } catch (thrown) {
        process.emitWarning(
          `The run '${run.id}' of an agent could not be kept: ${toPlaneError(thrown).message}`,
        );
      }
      emitRun(storedRun, recorder.emit);
    },
  };
}

function withoutOwner<T extends { owner?: string }>({ owner: _, ...run }: T): Omit<T, "owner"> {
  return run;
}

function filterOf({
  cursor,
  limit = defaultPage,
  since,
  ...query
}: RunQuery): RunFilter & { limit: number } {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxPage)
    throw new PlaneError(
      "USAGE",
      `'limit' cannot be '${limit}': give an integer from 1 to ${maxPage}.`,
    );
  const filter = { ...query, limit, ...withoutUndefined({ before: cursor }) };
  if (since === undefined) return filter;
  const from = Date.parse(since);
  if (Number.isNaN(from))
    throw new PlaneError(
      "USAGE",
      `'since' cannot be '${since.slice(0, 60)}': give a time such as 2026-11-15T09:00:00Z.`,
    );
  return { ...filter, since: new Date(from).toISOString() };
}

function emitRun(run: AgentRun, emit: Recorder["emit"]): void {
  const {
    id,
    user,
    owner,
    outcome,
    error,
    model,
    style,
    toolset,
    turns,
    durationMs,
    usage,
    steps,
  } = run;
  const key = owner?.startsWith("key:") ? owner.slice("key:".length) : undefined;
  emit({
    type: "agent.run",
    runId: id,
    user,
    ...withoutUndefined({ key: key || undefined, owner }),
    outcome,
    code: error?.code ?? null,
    model,
    style,
    toolset,
    turns,
    durationMs,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    modelMs: steps.map(({ modelMs }) => modelMs),
    calls: steps.flatMap(({ calls }) =>
      calls.map(({ tool, status, record }) => ({ tool, status, made: record !== null })),
    ),
  });
}
