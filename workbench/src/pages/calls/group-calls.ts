import type { CallAnswer, RunSummary } from "../../api/queries.ts";

export type CallGroup = {
  key: string;
  /** Null where the records name none. */
  conversation: string | null;
  /** The runs of an agent in it, newest first; none where a client called by itself. */
  runs: readonly RunSummary[];
  /** Newest first. */
  calls: CallAnswer[];
};

/** The tools of a group, those called most first: what it was about. */
export function toolsOf(calls: readonly Pick<CallAnswer, "tool">[], atMost = 3): string {
  const counts = new Map<string, number>();
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const names = [...counts]
    .toSorted(([, countA], [, countB]) => countB - countA)
    .map(([tool]) => tool);
  const moreCount = names.length - atMost;
  return names.slice(0, atMost).join(", ") + (moreCount > 0 ? ` and ${moreCount} more` : "");
}

/** A longer pause of a client without a session begins another conversation. */
export const pauseMs = 10 * 60_000;

/**
 * Calls by conversation, the newest first: an agent's, the session of a client, or what the caller named. Calls without
 * one are grouped by client (caller, key and face) until it pauses.
 */
export function groupCalls(calls: readonly CallAnswer[], runs: readonly RunSummary[]): CallGroup[] {
  const runsById = new Map(runs.map((run) => [run.id, run]));
  const openGroups = new Map<string, CallGroup>();
  const groups: CallGroup[] = [];
  for (const call of calls) {
    const run = call.run === undefined ? undefined : runsById.get(call.run);
    // Records of earlier versions name the run alone.
    const conversation = call.conversation ?? run?.conversation ?? call.run ?? null;
    const owner = JSON.stringify([conversation, ...clientOf(call, conversation !== null)]);
    let group = openGroups.get(owner);
    if (group === undefined || (conversation === null && isPause(group, call))) {
      group = { key: owner, conversation, runs: [], calls: [] };
      openGroups.set(owner, group);
      groups.push(group);
    }
    if (run !== undefined && !group.runs.includes(run)) group.runs = [...group.runs, run];
    group.calls.push(call);
  }
  // By the first call: a new one must not make another group of it.
  return groups.map((group) => ({ ...group, key: `${group.key} ${group.calls.at(-1)?.id}` }));
}

/** Two users may give the same name; one conversation may use several faces. */
function clientOf({ face, principal }: CallAnswer, isNamed: boolean): unknown[] {
  if (isNamed) return [principal.user];
  return [principal.user, (principal as { key?: string }).key ?? null, face];
}

function isPause({ calls }: CallGroup, { at: calledAt }: CallAnswer): boolean {
  const laterCall = calls.at(-1);
  return laterCall !== undefined && Date.parse(laterCall.at) - Date.parse(calledAt) > pauseMs;
}
