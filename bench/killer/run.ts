import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { packForTests } from "../../scripts/pack-for-tests.ts";
import { markedProcesses } from "../chaos/processes.ts";
import { createRandom } from "../chaos/random.ts";
import type { Replica } from "../replicas/replica.ts";
import type { World } from "../replicas/world.ts";
import { type Bar, isMissed, median, renderBars, renderTable, showProgress } from "../report.ts";

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "1000" },
    minutes: { type: "string", default: "10" },
    /** Seconds between the calls of a session, on average. */
    every: { type: "string", default: "10" },
    /** Seconds between kills, on average. */
    "kill-every": { type: "string", default: "15" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
// As it is shipped, and as it was when this began. What starts planes looks for it when it is loaded.
process.env.TOOLPLANE_TEST_PACKAGE ??= await packForTests();
const { startWorld } = await import("../replicas/world.ts");
const { createLog, runSessions } = await import("./sessions.ts");
const { compare } = await import("./compare.ts");

const sessions = Number(values.sessions);
const forMs = Number(values.minutes) * 60_000;
const everyMs = Number(values.every) * 1_000;
const killEveryMs = Number(values["kill-every"]) * 1_000;
const random = createRandom(Number(values.seed));
const replicaCount = 3;
const shownNotes = 20;
/** A server whose plane was killed ends when its input does. */
const leaveMs = 5_000;

/** Kills a replica now and then, and starts it again. */
async function killAtRandom({ replicas }: World, stop: AbortSignal): Promise<number[]> {
  const starts: number[] = [];
  const wait = () =>
    pause(killEveryMs * (0.5 + random.next()), undefined, { signal: stop }).catch(() => undefined);
  for (await wait(); !stop.aborted; await wait()) {
    const replica = random.pick(replicas) as Replica;
    await replica.kill();
    const begun = performance.now();
    await replica.start();
    starts.push(Math.round(performance.now() - begun));
    showProgress(starts.length, Math.floor(forMs / killEveryMs), "kills");
  }
  return starts;
}

const serversIn = (directory: string) => markedProcesses(`${directory}/ledger`);

async function run() {
  // All sessions have one key, and those of a killed plane count until they are known to be gone.
  const settings = { quotas: { maxSessionsPerCaller: 2 * sessions } };
  await using world = await startWorld({ count: replicaCount, settings });
  const { directory, balancer } = world;
  const log = createLog();
  const stop = AbortSignal.timeout(forMs);
  const [starts] = await Promise.all([
    killAtRandom(world, stop),
    runSessions(world.door, log, { sessions, everyMs, stop, random: random.next }),
  ]);
  const compared = await compare(world, log);
  const chain = await world.verify();
  await pause(leaveMs);
  const orphans = Math.max(0, serversIn(directory).length - replicaCount);
  const said = world.replicas.map(({ name, complaints }) => `${name}: ${complaints()}`);
  return { log, starts, compared, chain, orphans, directory, cutOff: balancer.cutOff(), said };
}

const { log, starts, compared, chain, orphans, directory, cutOff, said } = await run();
// The planes have stopped: nothing of theirs may be left.
const left = markedProcesses(directory);
const { told, answered, unanswered, waits, opened } = log;
const sorted = waits.toSorted((one, other) => one - other);
const at = (share: number) => Math.round(sorted[Math.floor(share * sorted.length)] ?? 0);
const facts: Record<string, string | number> = {
  sessions,
  minutes: values.minutes,
  kills: starts.length,
  "ms to start again, median and most": `${Math.round(median(starts))}, ${Math.max(0, ...starts)}`,
  "sessions opened": opened,
  "calls answered": answered.size,
  "calls answered a second": Math.round(answered.size / (forMs / 1_000)),
  "ms to an answer, p50, p95, p99, most": `${at(0.5)}, ${at(0.95)}, ${at(0.99)}, ${Math.round(sorted.at(-1) ?? 0)}`,
  "calls without an answer": unanswered.size,
  "… of these done": compared.lostAndDone,
  "… of these recorded": compared.lostAndRecorded,
  "lines in the ledger": compared.lines,
  "calls in the record": compared.records,
};
/** Such as `503 STORE_FAILED`, or why a request got no answer. */
const kinds = Object.entries(
  Object.groupBy(
    told.unexplained,
    ({ status, reason }) => `${status ?? ""} ${/"code":"(\w+)"/.exec(reason)?.[1] ?? reason}`,
  ),
).map(([kind, all]) => `${all?.length} ${kind.trim()}`);
const bar = (name: string, value: number): Bar => ({ name, value, limit: 0, unit: "" });
if (kinds.length > 0) facts["failures that no kill explains"] = kinds.join(", ");
const bars = [
  bar("answered calls that are not in the record", compared.notRecorded.length),
  bar("calls that are in the record twice", compared.recordedTwice.length),
  bar("answered calls that are not in the ledger", compared.notDone.length),
  bar("calls that are in the ledger twice", compared.doneTwice.length),
  bar("failures that no kill explains", told.unexplained.length + cutOff.length),
  bar("breaks in the chain of calls", chain === null ? 0 : 1),
  bar("processes left by killed planes", orphans),
  bar("processes left after all planes stopped", left.length),
];
if (bars.some(isMissed)) {
  const { notRecorded, recordedTwice, notDone, doneTwice } = compared;
  const calls = { notRecorded, recordedTwice, notDone, doneTwice };
  const few = Object.entries(calls).map(
    ([name, texts]) => `${name}: ${texts.slice(0, shownNotes).join(", ")}`,
  );
  const failures = told.unexplained.slice(0, shownNotes).map((one) => JSON.stringify(one));
  const processes = left.map(({ command }) => `left: ${command}`);
  process.stderr.write(
    `${[...few, ...failures, ...cutOff, chain ?? "", ...processes, ...said].join("\n")}\n`,
  );
}
if (values.json) process.stdout.write(`${JSON.stringify({ facts, bars })}\n`);
else {
  const shown = Object.entries(facts).map(([name, value]) => [name, String(value)]);
  process.stdout.write(`${renderTable(["fact", "value"], shown)}\n\n${renderBars(bars)}\n`);
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
