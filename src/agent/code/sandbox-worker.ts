import { stripTypeScriptTypes } from "node:module";
import { parentPort } from "node:worker_threads";
import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
} from "quickjs-emscripten-core";
import { prelude } from "./prelude.ts";
import type { FromSandbox, ProgramError, RunRequest, ToSandbox } from "./sandbox.ts";

/** Jobs per turn, so that answers and the stop message are read between turns of a program that never waits. */
const maxJobsPerTurn = 1_000;
const maxStackBytes = 512 * 1024;
const maxLogCharacters = 100_000;
const wrapper = ["(async () => {", "\n})()"] as const;

const port = parentPort;
if (port === null) throw new Error("The sandbox runs in a worker.");
const send = (message: FromSandbox) => port.postMessage(message);
const module = newQuickJSWASMModuleFromVariant(variant);
const realNow = Date.now;
let answerCall: (answer: Extract<ToSandbox, { type: "answer" }>) => void = () => undefined;

port.on("message", (message: ToSandbox) => {
  if (message.type === "answer") answerCall(message);
  else void run(message).then(send, (thrown: unknown) => send({ type: "done", ...failed(thrown, message.source) }));
});

/** One program in a runtime of its own. Only texts cross the border, so no object of one side is reachable from the other. */
async function run({ source, startedAt, limits, store }: RunRequest): Promise<FromSandbox> {
  const runtime = (await module).newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(maxStackBytes);
  let usedMs = 0;
  let turnStarted = 0;
  let isOverTime = false;
  runtime.setInterruptHandler(() => (isOverTime ||= usedMs + performance.now() - turnStarted > limits.cpuMs));
  // The engine reads this clock. It stands still but for `sleep`, so a program that is run again takes the same way.
  let sleptMs = 0;
  Date.now = () => startedAt + sleptMs;
  const context = runtime.newContext();
  const waiting = new Map<number, (ok: boolean, json: string) => void>();
  const timers = new Set<NodeJS.Timeout>();
  const promises = new Set<QuickJSDeferredPromise>();
  try {
    return await new Promise<FromSandbox>((resolve) => {
      const turn = (work: () => void): void => {
        if (!context.alive) return;
        turnStarted = performance.now();
        work();
        const jobs = runtime.executePendingJobs(maxJobsPerTurn);
        if (jobs.error) jobs.error.dispose();
        else if (runtime.hasPendingJob()) setImmediate(turn, () => undefined);
        usedMs += performance.now() - turnStarted;
        if (isOverTime) resolve({ type: "done", ok: false, error: overTime(limits.cpuMs) });
        else if (!runtime.hasPendingJob() && waiting.size + timers.size === 0)
          resolve({ type: "done", ok: false, error: waitsForever });
      };
      answerCall = ({ id, ok, json }) => turn(() => waiting.get(id)?.(ok, json));
      const end = (result: Result) => void (isOverTime || resolve({ type: "done", ...result }));
      turn(() =>
        start(context, { source, store, waiting, timers, promises, turn, end, slept: (ms) => (sleptMs += ms) }),
      );
    });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    answerCall = () => undefined;
    Date.now = realNow;
    for (const promise of promises) promise.dispose();
    context.dispose();
    runtime.dispose();
  }
}

type Result = { ok: true; json: string; store: string } | { ok: false; error: ProgramError };

type Running = {
  source: string;
  store: string;
  waiting: Map<number, (ok: boolean, json: string) => void>;
  timers: Set<NodeJS.Timeout>;
  /** Those that are not settled yet. */
  promises: Set<QuickJSDeferredPromise>;
  turn(work: () => void): void;
  end(result: Result): void;
  slept(ms: number): void;
};

function start(context: QuickJSContext, running: Running): void {
  const { source, store, waiting, timers, promises, turn, end, slept } = running;
  let requests = 0;
  let logged = 0;
  const promised = (begin: (settle: (ok: boolean, text: string) => void) => void): QuickJSHandle => {
    const promise = context.newPromise();
    promises.add(promise);
    begin((ok, text) => {
      context.newString(text).consume((value) => (ok ? promise.resolve(value) : promise.reject(value)));
      promises.delete(promise);
      promise.dispose();
    });
    return promise.handle;
  };
  const bridge: Record<string, (...values: QuickJSHandle[]) => QuickJSHandle | undefined> = {
    request: (kind, json) =>
      promised((settle) => {
        const id = ++requests;
        waiting.set(id, (ok, text) => {
          waiting.delete(id);
          settle(ok, text);
        });
        send({ type: "request", id, kind: textOf(context, kind), json: textOf(context, json) });
      }),
    pause: (delay) =>
      promised((settle) => {
        const ms = Math.min(Math.max(Number(textOf(context, delay)) || 0, 0), 2 ** 31 - 1);
        const timer = setTimeout(() => {
          timers.delete(timer);
          slept(ms);
          turn(() => settle(true, ""));
        }, ms);
        timers.add(timer);
      }),
    log: (level, message) => {
      const text = textOf(context, message);
      if (logged < maxLogCharacters)
        send({ type: "log", level: textOf(context, level), text: text.slice(0, maxLogCharacters - logged) });
      logged += text.length;
      return undefined;
    },
    done: (json, kept) => {
      end({ ok: true, json: textOf(context, json), store: textOf(context, kept) });
      return undefined;
    },
    fail: (name, message, stack) => {
      end({
        ok: false,
        error: located(textOf(context, name), textOf(context, message), textOf(context, stack), source),
      });
      return undefined;
    },
  };
  const evaluated = context.evalCode(prelude, "prelude.js", { strict: true });
  if (evaluated.error) throw new Error(JSON.stringify(context.dump(evaluated.error)));
  const names = Object.keys(bridge);
  const functions = names.map((name) => context.newFunction(name, bridge[name] as never));
  const given = [...functions, context.newString(store)];
  const installed = context.unwrapResult(context.callFunction(evaluated.value, context.undefined, ...given));
  for (const handle of [...given, evaluated.value]) handle.dispose();
  const program = context.evalCode(plainScript(source), "program.ts", { strict: true });
  if (program.error) {
    const { name = "Error", message = "", stack = "" } = program.error.consume((error) => context.dump(error));
    end({ ok: false, error: located(name, message, stack, source) });
  } else context.callFunction(installed, context.undefined, program.value).dispose();
  installed.dispose();
  if (!program.error) program.value.dispose();
}

const textOf = (context: QuickJSContext, handle: QuickJSHandle | undefined) =>
  handle === undefined ? "" : context.getString(handle);

/** Types are removed in place, so lines stay where the author wrote them. What is no TypeScript is left to the engine to refuse. */
function plainScript(source: string): string {
  const script = wrapper.join(source);
  try {
    return stripTypeScriptTypes(script);
  } catch {
    return script;
  }
}

const overTime = (limitMs: number): ProgramError => ({
  name: "TimeoutError",
  message: `The program used more than ${limitMs / 1000} s of processor time. Wait for tools instead of looping, or do less.`,
});

const waitsForever: ProgramError = {
  name: "Error",
  message: "The program waits for a promise that nothing will settle.",
};

function failed(thrown: unknown, source: string): Result {
  const { name, message, stack = "" } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { ok: false, error: located(name, message, stack, source) };
}

/** The place in the author's own text. */
function located(name: string, message: string, stack: string, source: string): ProgramError {
  const match = /program\.ts:(\d+)(?::(\d+))?/.exec(stack);
  if (match === null) return { name, message };
  const lines = source.split("\n");
  const line = Math.min(Number(match[1]), lines.length);
  return { name, message, line, text: lines[line - 1]?.trim().slice(0, 200) ?? "" };
}
