import { Worker } from "node:worker_threads";

export type SandboxLimits = { memoryBytes: number; cpuMs: number; wallMs: number };
export type ProgramError = {
  name: string;
  message: string;
  /** In the program, from 1 on. */
  line?: number;
  text?: string;
};
export type ProgramResult = { ok: true; json: string; store: string } | { ok: false; error: ProgramError };
export type RunRequest = { type: "run"; source: string; startedAt: number; limits: SandboxLimits; store: string };
export type ToSandbox = RunRequest | { type: "answer"; id: number; ok: boolean; json: string };
export type FromSandbox =
  | { type: "request"; id: number; kind: string; json: string }
  | { type: "log"; level: string; text: string }
  | ({ type: "done" } & ProgramResult);

type Run = Omit<RunRequest, "type"> & {
  signal?: AbortSignal | undefined;
  /** Takes and gives JSON texts. */
  request(kind: string, json: string): Promise<string>;
  log(level: string, text: string): void;
};

const idleMs = 60_000;
const watchEveryMs = 500;
const maxWorkers = 4;

export type Sandbox = { run(run: Run): Promise<ProgramResult>; close(): Promise<void> };

/** Workers that run one program each at a time. A worker that does not answer in time is ended and replaced. */
export function createSandbox(): Sandbox {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const queue: (() => void)[] = [];
  let isClosed = false;

  const discard = (worker: Worker) => {
    all.delete(worker);
    return worker.terminate();
  };
  const take = async (): Promise<Worker> => {
    for (;;) {
      const ready = idle.pop();
      if (ready !== undefined) return ready;
      if (all.size < maxWorkers) break;
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    const worker = openWorker();
    all.add(worker);
    return worker;
  };
  const release = (worker: Worker, isUsable: boolean) => {
    if (isUsable && !isClosed) {
      idle.push(worker);
      worker.unref();
      setTimeout(() => {
        const at = idle.indexOf(worker);
        if (at >= 0) void discard(idle.splice(at, 1)[0] as Worker);
      }, idleMs).unref();
    } else void discard(worker);
    queue.shift()?.();
  };

  return {
    async run(run) {
      const worker = await take();
      const { result, isUsable } = await runOn(worker, run);
      release(worker, isUsable);
      return result;
    },
    async close() {
      isClosed = true;
      await Promise.all([...all].map(discard));
    },
  };
}

function openWorker(): Worker {
  const file = import.meta.url.endsWith(".ts") ? "./sandbox-worker.ts" : "./sandbox-worker.js";
  return new Worker(new URL(file, import.meta.url), {
    env: {},
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    stdin: false,
    name: "toolplane code",
  }).on("error", () => undefined);
}

type Ended = { result: ProgramResult; isUsable: boolean };

function runOn(worker: Worker, { signal, request, log, ...program }: Run): Promise<Ended> {
  return new Promise((resolve) => {
    worker.ref();
    const { cpuMs, wallMs } = program.limits;
    const busyBefore = worker.performance.eventLoopUtilization().active;
    const end = (ended: Ended) => {
      clearInterval(watch);
      clearTimeout(limit);
      signal?.removeEventListener("abort", onAbort);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      resolve(ended);
    };
    const stop = (name: string, message: string) =>
      end({ result: { ok: false, error: { name, message } }, isUsable: false });
    const onAbort = () => stop("AbortError", "The run was cancelled.");
    // The engine looks at the time between its instructions; one long instruction is seen from here only.
    const watch = setInterval(() => {
      const busyMs = worker.performance.eventLoopUtilization().active - busyBefore;
      if (busyMs > cpuMs + 2 * watchEveryMs)
        stop("TimeoutError", `The program used more than ${cpuMs / 1000} s of processor time.`);
    }, watchEveryMs);
    const limit = setTimeout(() => stop("TimeoutError", `The program took longer than ${wallMs / 1000} s.`), wallMs);
    const onMessage = (message: FromSandbox) => {
      if (message.type === "done") end({ result: message, isUsable: true });
      else if (message.type === "log") log(message.level, message.text);
      else {
        const answer = (ok: boolean, json: string) =>
          worker.postMessage({ type: "answer", id: message.id, ok, json } satisfies ToSandbox);
        request(message.kind, message.json).then(
          (json) => answer(true, json),
          (thrown: unknown) => answer(false, thrown instanceof Error ? thrown.message : String(thrown)),
        );
      }
    };
    const onError = (error: Error) => stop("Error", `The sandbox failed: ${error.message}`);
    const onExit = () => stop("Error", "The sandbox ended before the program did.");
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    else worker.postMessage({ type: "run", ...program } satisfies ToSandbox);
  });
}
