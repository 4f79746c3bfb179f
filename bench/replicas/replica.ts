import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { commandLineFile } from "../../test/fixtures/bundled.ts";
import { freePort } from "../../test/fixtures/free-port.ts";
import { processorMs } from "./processor.ts";

const shownCharacters = 4_000;
const maxStartMs = 120_000;

/** One plane in a process of its own, which can be killed and started again at the same port. */
export type Replica = {
  name: string;
  /** Where it answers; its port is chosen with the first start and kept. */
  port(): number;
  /** How often it was killed. */
  kills(): number;
  /** From when it is killed until it is started again. */
  isKilled(): boolean;
  /** 0 while it does not run. */
  pid(): number;
  /** Milliseconds of the processor it has used so far, with the servers it has ended. */
  usedMs(): number;
  /** The last of what it said on standard error, over all its lives. */
  complaints(): string;
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
  let complaints = "";

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const ending = child;
    if (!ending) return null;
    isKilled = signal === "SIGKILL";
    if (isKilled) kills += 1;
    // Not "close": what it has started may hold its output for longer.
    const ended = once(ending, "exit");
    ending.kill(signal);
    const [code] = (await ended) as [number | null];
    child = undefined;
    return code;
  }

  return {
    name,
    port: () => port,
    kills: () => kills,
    isKilled: () => isKilled,
    complaints: () => complaints,
    pid: () => child?.pid ?? 0,
    usedMs: () => (child?.pid === undefined ? 0 : processorMs(child.pid)),
    async start() {
      port ||= await freePort();
      const all = [
        commandLineFile,
        "serve",
        "--json",
        "--port",
        String(port),
        "--data-dir",
        directory,
        ...words,
      ];
      const started = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "pipe"] });
      started.stderr?.on("data", (chunk) => {
        complaints = `${complaints}${chunk}`.slice(-shownCharacters);
      });
      await untilServing(started, name, () => complaints);
      child = started;
      isKilled = false;
    },
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}

/** The first line says where it answers, or why it does not. */
function untilServing(child: ChildProcess, name: string, complaints: () => string): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`${name} does not start: ${said}${complaints()}`));
    setTimeout(fail, maxStartMs).unref();
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      const end = said.indexOf("\n");
      if (end < 0) return;
      const { url } = JSON.parse(said.slice(0, end)) as { url?: string };
      if (url === undefined) fail();
      else resolve();
    });
    child.once("close", (code) => reject(new Error(`${name} ended with ${code}: ${complaints()}`)));
  });
}
