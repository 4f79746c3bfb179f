import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../../src/bin.ts");

/** One plane in a process of its own, which can be killed and started again at the same port. */
export type Replica = {
  name: string;
  /** Where it answers; its port is chosen with the first start and kept. */
  port(): number;
  /** How often it was killed. */
  kills(): number;
  /** From when it is killed until it is started again. */
  isKilled(): boolean;
  isRunning(): boolean;
  /** Milliseconds of the processor it has used so far, with the servers it has ended. */
  usedMs(): number;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Resolves with its exit code. */
  stop(): Promise<number | null>;
};

export type ReplicaOptions = { name: string; directory: string; words: readonly string[] };

export function createReplica({ name, directory, words }: ReplicaOptions): Replica {
  let child: ChildProcess | undefined;
  let port = 0;
  let kills = 0;
  let isKilled = false;

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const ending = child;
    if (!ending) return null;
    isKilled = signal === "SIGKILL";
    if (isKilled) kills += 1;
    const closed = once(ending, "close");
    ending.kill(signal);
    const [code] = (await closed) as [number | null];
    child = undefined;
    return code;
  }

  return {
    name,
    port: () => port,
    kills: () => kills,
    isKilled: () => isKilled,
    isRunning: () => child !== undefined,
    usedMs: () => (child?.pid === undefined ? 0 : processorMs(child.pid)),
    async start() {
      const all = [bin, "serve", "--json", "--port", String(port), "--data-dir", directory, ...words];
      const started = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "pipe"] });
      const url = await firstLine(started, name);
      port = Number(new URL(url).port);
      child = started;
      isKilled = false;
    },
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}

function firstLine(child: ChildProcess, name: string): Promise<string> {
  let [said, complaints] = ["", ""];
  child.stderr?.on("data", (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      if (said.includes("\n")) resolve((JSON.parse(said) as { url: string }).url);
    });
    child.once("close", (code) => reject(new Error(`${name} ended with ${code}: ${complaints}`)));
  });
}

/** Of the process itself; Linux only, 0 elsewhere. */
function processorMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return ticks * 10;
  } catch {
    return 0;
  }
}
