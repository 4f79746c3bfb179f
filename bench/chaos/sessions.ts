import { setTimeout as sleep } from "node:timers/promises";
import { type Plane, PlaneError } from "../../src/index.ts";
import { kill, markedProcesses } from "./processes.ts";
import type { Random } from "./random.ts";
import { markOf } from "./servers.ts";

const moments = ["connecting", "idle", "calling", "leaving"] as const;
const connectLimitMs = 30_000;
const lookEvery = 50;

export type Tally = {
  sessions: number;
  answered: number;
  kills: number;
  /** Connects that were refused and tried again. */
  refused: number;
  /** Calls that were not answered. */
  lost: number;
  /** Failures that no kill explains. */
  unexplained: string[];
  /** Processes found after a disconnect. */
  left: string[];
};

export const newTally = (): Tally => ({
  sessions: 0,
  answered: 0,
  kills: 0,
  refused: 0,
  lost: 0,
  unexplained: [],
  left: [],
});

export type SessionsOptions = {
  plane: Plane;
  run: string;
  random: Random;
  /** How many sessions of a hundred lose a process. */
  killPercent: number;
  onSession(): void;
};

/** Opens sessions with one server after another, each: connect, list, call, disconnect. */
export async function runSessions(
  name: string,
  count: number,
  tally: Tally,
  options: SessionsOptions,
) {
  for (let at = 0; at < count; at++) {
    await oneSession(name, tally, options);
    tally.sessions += 1;
    if (tally.sessions % lookEvery === 0) {
      const found = markedProcesses(markOf(options.run, name));
      tally.left.push(...found.map(({ command }) => command));
    }
    options.onSession();
  }
}

async function oneSession(
  name: string,
  tally: Tally,
  { plane, run, random, killPercent }: SessionsOptions,
) {
  const moment = random.next() * 100 < killPercent ? random.pick(moments) : undefined;
  const killOne = () => {
    const victim = random.pick(markedProcesses(markOf(run, name)));
    if (victim && kill(victim.pid)) tally.kills += 1;
  };
  const fail = (what: string, reason: string) => {
    if (moment === undefined) tally.unexplained.push(`${name} ${what}: ${reason}`);
  };

  const timer = moment === "connecting" ? setTimeout(killOne, random.next() * 4) : undefined;
  try {
    await connect(name, plane, tally);
    const tools = await plane.tools.list({ server: name });
    if (tools.length !== 1) fail("list", `${tools.length} tools`);
    if (moment === "idle") killOne();
    const calling = plane.call({ server: name, tool: "echo" }, { message: "hello" });
    if (moment === "calling") killOne();
    const { ok, error } = await calling;
    if (ok) tally.answered += 1;
    else tally.lost += 1;
    if (!ok) fail("call", error?.message ?? "no reason");
    if (moment === "leaving") killOne();
  } catch (thrown) {
    fail("session", String(thrown));
  }
  clearTimeout(timer);
  await plane.servers.disconnect(name);
}

/** A server that was killed while it started may be left alone for a while; then it is tried again. */
async function connect(name: string, plane: Plane, tally: Tally): Promise<void> {
  const until = Date.now() + connectLimitMs;
  for (;;) {
    try {
      return await plane.servers.connect(name);
    } catch (thrown) {
      if (!(thrown instanceof PlaneError) || Date.now() > until) throw thrown;
      tally.refused += 1;
      const retryAt = Date.parse(String(thrown.data.retryAt));
      await sleep(Math.max(20, (retryAt || 0) - Date.now()));
    }
  }
}
