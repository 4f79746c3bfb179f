import { setTimeout as pause } from "node:timers/promises";
import type { Door } from "./ask.ts";
import { countMarks } from "./compare.ts";
import type { Told } from "./told.ts";
import type { Tick } from "./work.ts";

type Run = { id: string; state: string; starts: number; error: { code: string } | null };

export type ComparedJobs = {
  states: Record<string, number>;
  /** Runs that a plane went on with after another was killed. */
  takenOver: number;
  /** Acknowledged runs that are lost or never end. */
  lost: string[];
  /** Runs that left two lines, or succeeded without one. */
  wrong: string[];
  /** Times that came while there were planes, and became no run or several. */
  ticksWrong: string[];
  ticks: number;
};

export type JobQuestion = {
  door: Door;
  told: Told;
  ledger: string;
  ticks: readonly Tick[];
  /** Longer than the lease of a run whose plane was killed. */
  waitMs: number;
};

const final = new Set(["succeeded", "failed", "cancelled"]);

/** What became of every run that was begun, by a client or by the clock. */
export async function compareJobs({
  door,
  told,
  ledger,
  ticks,
  waitMs,
}: JobQuestion): Promise<ComparedJobs> {
  const deadline = Date.now() + waitMs;
  const ended = (path: string) => endedRuns(door, path, deadline);
  const runs = new Map<string, Run>();
  const lost: string[] = [];
  for (const id of told.runs.keys()) {
    const [run] = await ended(`/job-runs/${id}`);
    if (run) runs.set(id, run);
    if (!run || !final.has(run.state)) lost.push(`${id}: ${run?.state ?? "unknown"}`);
  }
  const counts = countMarks(ledger);
  const isWrong = (mark: string, run: Run | undefined) => {
    const times = counts.get(mark) ?? 0;
    return times > 1 || (run?.state === "succeeded" && times !== 1);
  };
  const wrong = [...told.runs]
    .filter(([id, mark]) => isWrong(mark, runs.get(id)))
    .map(([id]) => id);
  const ticksWrong: string[] = [];
  for (const { job } of ticks) {
    const found = await ended(`/jobs/${job}/runs`);
    for (const run of found) runs.set(run.id, run);
    const [only] = found;
    if (found.length !== 1 || !final.has(only?.state ?? "") || isWrong(job, only))
      ticksWrong.push(`${job}: ${found.map(({ state }) => state).join() || "no run"}`);
  }
  const all = [...runs.values()];
  const states: Record<string, number> = {};
  for (const { state, error } of all) {
    const name = error ? `${state} ${error.code}` : state;
    states[name] = (states[name] ?? 0) + 1;
  }
  const takenOver = all.filter(({ starts }) => starts > 1).length;
  return { states, takenOver, lost, wrong, ticksWrong, ticks: ticks.length };
}

/** The run or the runs at this path once all are over, or as they are at the deadline. */
async function endedRuns({ url, key }: Door, path: string, deadline: number): Promise<Run[]> {
  for (;;) {
    const response = await fetch(`${url}${path}`, { headers: { "x-api-key": key } });
    const body = (await response.json()) as Run & { runs?: Run[] };
    const runs = response.ok ? (body.runs ?? [body]) : [];
    const isOver = runs.length > 0 && runs.every(({ state }) => final.has(state));
    if (isOver || Date.now() > deadline) return runs;
    await pause(250);
  }
}
