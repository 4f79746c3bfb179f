import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { ownFile } from "@toolplane/core/lib/own-files";
import type { ProgramError } from "@toolplane/core/model/agent/code-run";

export type SandboxLimits = { memoryBytes: number; cpuMs: number; calls: number };
export type ProgramResult =
  | { ok: true; json: string; store: string }
  | { ok: false; error: ProgramError; end: "threw" | "idle" | "cpuTime" | "aborted" | "broken" };
export type SandboxRequest = {
  type: "run";
  source: string;
  startedAt: number;
  /** Four numbers for what is random: the same ones give the same. */
  seeds: readonly number[];
  limits: SandboxLimits;
  store: string;
};
export type ProgramRequest = { id: number; kind: string; json: string };
/**
 * `json` has `[id, answer]` pairs. One of `ids` without an answer there does not keep the program alive, which waits on.
 */
export type ToSandbox = SandboxRequest | { type: "answers"; ids: number[]; json: string };
export type FromSandbox =
  | { type: "requests"; asked: ProgramRequest[] }
  /** The program waits for the answer, with its thread. */
  | { type: "names"; json: string }
  | { type: "log"; level: string; text: string }
  /** The engine is there: what it uses from now on is the program's. */
  | { type: "begun" }
  /** `isSpent` where the thread is not fit for another program; `unawaited` calls had no answer yet. */
  | ({ type: "done"; isSpent: boolean; unawaited: number } & ProgramResult);

type SandboxRun = Omit<SandboxRequest, "type"> & {
  /** Whose program it is: one caller does not take all workers. */
  owner: string;
  signal: AbortSignal;
  /** Takes and gives JSON texts; null where the answer comes after the run. */
  request(kind: string, json: string): Promise<string | null>;
  log(level: string, text: string): void;
  /** The names of tools behind a path, as JSON. */
  names(json: string): string;
};

const idleMs = 60_000;
const watchEveryMs = 500;
const maxWorkers = 8;
const maxPerOwner = 4;

type RunResult = ProgramResult & { unawaited: number };
export type Sandbox = { run(run: SandboxRun): Promise<RunResult>; close(): Promise<void> };

/** Workers that run one program each at a time. A worker that does not answer in time is ended and replaced. */
export function createSandbox(): Sandbox {
  const idle: SandboxWorker[] = [];
  const workers = new Set<SandboxWorker>();
  const busy = new Map<string, number>();
  const queue = new Set<{ owner: string; enter(): void }>();
  let isClosed = false;

  const discard = (worker: SandboxWorker) => {
    workers.delete(worker);
    worker.namesPort.close();
    return worker.thread.terminate();
  };
  const isFree = (owner: string) =>
    (busy.get(owner) ?? 0) < maxPerOwner &&
    (idle.length > 0 || workers.size < maxWorkers) &&
    !isClosed;
  const take = (owner: string): SandboxWorker => {
    const worker = idle.pop() ?? openWorker();
    busy.set(owner, (busy.get(owner) ?? 0) + 1);
    workers.add(worker);
    return worker;
  };
  const waitFor = ({ owner, signal }: SandboxRun) =>
    new Promise<SandboxWorker>((resolve, reject) => {
      const waiter = {
        owner,
        enter() {
          queue.delete(waiter);
          signal.removeEventListener("abort", giveUp);
          resolve(take(owner));
        },
      };
      const giveUp = () => {
        queue.delete(waiter);
        reject(signal.reason);
      };
      queue.add(waiter);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  const release = (worker: SandboxWorker, owner: string, isUsable: boolean) => {
    const stillBusy = (busy.get(owner) ?? 1) - 1;
    if (stillBusy === 0) busy.delete(owner);
    else busy.set(owner, stillBusy);
    if (isUsable && !isClosed) {
      idle.push(worker);
      worker.thread.unref();
      setTimeout(() => {
        const idleIndex = idle.indexOf(worker);
        if (idleIndex >= 0) void discard(idle.splice(idleIndex, 1)[0] as SandboxWorker);
      }, idleMs).unref();
    } else void discard(worker);
    for (const { owner: waitingOwner, enter } of queue) if (isFree(waitingOwner)) return enter();
  };

  return {
    async run(run) {
      if (run.signal.aborted) return stopped("aborted", "The run was cancelled.");
      const worker = isFree(run.owner) ? take(run.owner) : await waitFor(run).catch(() => null);
      if (worker === null) return stopped("aborted", "The run was cancelled before it began.");
      const { result, isUsable } = await runOn(worker, run);
      release(worker, run.owner, isUsable);
      return result;
    },
    async close() {
      isClosed = true;
      await Promise.all([...workers].map(discard));
    },
  };
}

type SandboxWorker = { thread: Worker; answered: Int32Array; namesPort: MessagePort };

function openWorker(): SandboxWorker {
  const answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const { port1, port2 } = new MessageChannel();
  const thread = new Worker(ownFile("sandboxWorker"), {
    workerData: { answered, namesPort: port2 },
    transferList: [port2],
    env: {},
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    // The engine says of itself what is in its error already.
    stdin: false,
    stdout: true,
    stderr: true,
    name: "toolplane code",
  }).on("error", () => undefined);
  port1.unref();
  return { thread, answered, namesPort: port1 };
}

type FailedResult = Extract<ProgramResult, { ok: false }>;

const stopped = (
  end: FailedResult["end"],
  message: string,
): FailedResult & { unawaited: number } => ({
  unawaited: 0,
  ok: false,
  end,
  error: { name: end === "cpuTime" ? "TimeoutError" : "Error", message },
});

function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

type RunEnd = { result: RunResult; isUsable: boolean };

function runOn(
  { thread: worker, answered, namesPort }: SandboxWorker,
  run: SandboxRun,
): Promise<RunEnd> {
  const { signal, request, log, names, owner: _, ...program } = run;
  return new Promise((resolve) => {
    worker.ref();
    const { cpuMs } = program.limits;
    const busyNow = () => worker.performance.eventLoopUtilization().active;
    const busyLimitMs = 1.5 * cpuMs + 2 * watchEveryMs;
    let busyBefore = Number.POSITIVE_INFINITY;
    let cpuBefore = process.cpuUsage();
    let isOver = false;
    const end = (result: RunResult, isUsable = false) => {
      isOver = true;
      clearInterval(watch);
      clearTimeout(crossing);
      signal.removeEventListener("abort", onAbort);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      resolve({ result, isUsable });
    };
    const onAbort = () => end(stopped("aborted", "The run was cancelled."));
    // The engine looks at the time between its instructions; one long instruction is seen from here only. On a machine with
    // too much to do the thread is busy and gets no processor; the whole process has used at least what the thread has.
    const watch = setInterval(() => {
      const isLong = busyNow() - busyBefore > busyLimitMs;
      if (isLong && processorMsSince(cpuBefore) > busyLimitMs)
        end(stopped("cpuTime", `The program used more than ${cpuMs / 1000} s of processor time.`));
    }, watchEveryMs);
    const onMessage = (message: FromSandbox) => {
      if (message.type === "log") return log(message.level, message.text);
      if (message.type === "begun") {
        busyBefore = busyNow();
        cpuBefore = process.cpuUsage();
        return;
      }
      if (message.type === "done") {
        const { type: __, isSpent, ...result } = message;
        return end(result, !isSpent);
      }
      if (message.type === "names") {
        namesPort.postMessage(names(message.json));
        Atomics.store(answered, 0, 1);
        return void Atomics.notify(answered, 0);
      }
      awaited += message.asked.length;
      for (const { id, kind, json } of message.asked)
        void request(kind, json).then((answer) => give(id, answer));
    };
    let awaited = 0;
    let ids: number[] = [];
    let answers: string[] = [];
    let crossing: NodeJS.Timeout | undefined;
    /** Each crossing wakes a thread, so answers cross together: a millisecond's, or as many as are still awaited. */
    const give = (id: number, answer: string | null) => {
      awaited -= 1;
      if (answer !== null) answers.push(`[${id},${answer}]`);
      if (ids.push(id) >= awaited) cross();
      else crossing ??= setTimeout(cross, 1);
    };
    const cross = () => {
      clearTimeout(crossing);
      crossing = undefined;
      const message: ToSandbox = { type: "answers", ids, json: `[${answers.join(",")}]` };
      ids = [];
      answers = [];
      // The worker may have the program of another caller by now.
      if (!isOver) worker.postMessage(message);
    };
    const onError = ({ message }: Error) =>
      end(stopped("broken", `The sandbox failed: ${message}`));
    const onExit = () => end(stopped("broken", "The sandbox ended before the program did."));
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.postMessage({ type: "run", ...program } satisfies ToSandbox);
  });
}
