import { stripTypeScriptTypes } from "node:module";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import { newQuickJSWASMModuleFromVariant, type QuickJSContext, type QuickJSHandle } from "quickjs-emscripten-core";
import type { ProgramError } from "../../../src/model/agent/code-run.ts";
import { compute, missingNames } from "./platform.ts";
import { prelude } from "./prelude.ts";
import type { Answered, Asked, FromSandbox, ProgramResult, SandboxRequest, ToSandbox } from "./sandbox.ts";

/** Jobs per turn, so that answers are read between turns of a program that never waits. */
const maxJobsPerTurn = 1_000;
const maxStackBytes = 512 * 1024;
const maxLogCharacters = 100_000;
const maxLogLines = 1_000;
/** Characters that one program may ask with. */
const maxAsked = 32 * 1024 * 1024;
/** Searches beside the calls that are allowed. */
const maxSearches = 100;
const maxTimers = 10_000;
const wrapper = ["(async () => {", "\n})()"] as const;

/** A host that is busy for longer gives no names. */
const namesMs = 2_000;

const { answered, namesPort } = workerData as { answered: Int32Array; namesPort: MessagePort };
const port = parentPort;
if (port === null) throw new Error("The sandbox runs in a worker.");
const send = (message: FromSandbox) => port.postMessage(message);
const module = newQuickJSWASMModuleFromVariant(variant);
const realNow = Date.now;
/** Of this thread; before Node 22.19 the time on the wall stands for it. */
const processorMs = (): number => {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
let answerCalls: (answers: readonly Answered[]) => void = () => undefined;

port.on("message", (message: ToSandbox) => {
  if (message.type === "answers") return answerCalls(message.answers);
  run(message).then(send, ({ message: said }: Error) => {
    const error = { name: "Error", message: `The sandbox failed: ${said}` };
    send({ type: "done", isSpent: true, ok: false, end: "broken", error });
  });
});

/** One program in a runtime of its own. Only texts cross the border, so no object of one side is reachable from the other. */
async function run({ source, startedAt, limits, store }: SandboxRequest): Promise<FromSandbox> {
  const runtime = (await module).newRuntime();
  send({ type: "begun" });
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(maxStackBytes);
  let usedMs = 0;
  let wallMs = 0;
  let turnStarted = 0;
  let isOverTime = false;
  let turnUsed = 0;
  const usedNow = () => usedMs + processorMs() - turnUsed;
  runtime.setInterruptHandler(() => {
    // The clock on the wall costs less to read, and is never behind.
    isOverTime ||= wallMs + performance.now() - turnStarted > limits.cpuMs && usedNow() > limits.cpuMs;
    return isOverTime;
  });
  // The engine reads this clock, also for the seed of Math.random. It stands still but for `sleep`: a program that is run again takes the same way.
  let sleptMs = 0;
  Date.now = () => startedAt + sleptMs;
  const context = runtime.newContext();
  const waiting = new Set<number>();
  const asking: Asked[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let settle: QuickJSHandle | undefined;
  try {
    const result = await new Promise<ProgramResult>((resolve, reject) => {
      const turn = (work: () => void): void => {
        if (!context.alive) return;
        turnStarted = performance.now();
        turnUsed = processorMs();
        try {
          work();
        } catch (thrown) {
          return reject(thrown);
        }
        runtime.executePendingJobs(maxJobsPerTurn).dispose();
        if (asking.length > 0) send({ type: "requests", asked: asking.splice(0) });
        usedMs = usedNow();
        wallMs += performance.now() - turnStarted;
        if (isOverTime) resolve({ ok: false, end: "time", error: overTime(limits.cpuMs) });
        else if (runtime.hasPendingJob()) setImmediate(turn, () => undefined);
        else if (waiting.size + timers.size === 0) resolve({ ok: false, end: "idle", error: waitsForever });
      };
      const answer = (id: number, json: string) => {
        if (settle === undefined) return;
        const given = [context.newNumber(id), context.newString(json)];
        context.callFunction(settle, context.undefined, ...given).dispose();
        for (const handle of given) handle.dispose();
      };
      answerCalls = (answers) =>
        turn(() => {
          for (const { id, json } of answers) {
            waiting.delete(id);
            if (json !== undefined) answer(id, json);
          }
        });
      const end = (result: ProgramResult) => void (isOverTime || resolve(result));
      const slept = (ms: number) => {
        sleptMs += ms;
      };
      const running = { source, store, limits, waiting, asking, timers, turn, answer, end, slept };
      turn(() => {
        settle = start(context, running);
      });
    });
    const parts = [...(settle ? [settle] : []), context, runtime];
    return { type: "done", isSpent: isOverTime || !dispose(parts), ...result };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    answerCalls = () => undefined;
    Date.now = realNow;
  }
}

/** An engine that was stopped in the middle, or had no memory left, cannot always clean up. */
function dispose(parts: readonly Disposable[]): boolean {
  try {
    for (const part of parts) part[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

type Running = Pick<SandboxRequest, "source" | "store" | "limits"> & {
  /** What the host was asked. */
  waiting: Set<number>;
  /** In this turn: what is asked together crosses together. */
  asking: Asked[];
  timers: Set<NodeJS.Timeout>;
  turn(work: () => void): void;
  answer(id: number, json: string): void;
  end(result: ProgramResult): void;
  slept(ms: number): void;
};

type Bridge = Record<string, (...values: QuickJSHandle[]) => QuickJSHandle | undefined>;

/** Returns what settles the calls of the program. */
function start(context: QuickJSContext, running: Running): QuickJSHandle {
  const { source, store, end } = running;
  const evaluated = context.evalCode(prelude, "prelude.js", { strict: true });
  if (evaluated.error) throw new Error(JSON.stringify(evaluated.error.consume((error) => context.dump(error))));
  const bridge = createBridge(context, running);
  const functions = Object.keys(bridge).map((name) => context.newFunction(name, bridge[name] as never));
  const given = [...functions, context.newString(store)];
  const installed = context.unwrapResult(context.callFunction(evaluated.value, context.undefined, ...given));
  for (const handle of [...given, evaluated.value]) handle.dispose();
  const program = evaluate(context, source);
  if (program.error) {
    const { name = "Error", message = "", stack = "" } = program.error.consume((error) => context.dump(error));
    end(failed(name, message, stack, source));
  } else {
    context
      .getProp(installed, "watch")
      .consume((watch) => context.callFunction(watch, context.undefined, program.value).dispose());
    program.value.dispose();
  }
  return installed.consume(() => context.getProp(installed, "settle"));
}

/** Types are removed only where the engine does not take the program as it is: most have none, and the remover is large. */
function evaluate(context: QuickJSContext, source: string) {
  const script = wrapper.join(source);
  const asItIs = context.evalCode(script, "program.ts", { strict: true });
  if (!asItIs.error || context.getProp(asItIs.error, "name").consume(context.getString.bind(context)) !== "SyntaxError")
    return asItIs;
  try {
    // In place: lines stay where the author wrote them.
    const stripped = stripTypeScriptTypes(script);
    const plain = context.evalCode(stripped, "program.ts", { strict: true });
    asItIs.dispose();
    return plain;
  } catch {
    return asItIs;
  }
}

/** What the prelude gets: each function takes texts. */
function createBridge(context: QuickJSContext, running: Running): Bridge {
  const { source, limits, waiting, asking, timers, turn, answer, end, slept } = running;
  let requests = 0;
  let asked = 0;
  let logged = 0;
  let lines = 0;
  const textOf = (handle: QuickJSHandle | undefined) => (handle === undefined ? "" : context.getString(handle));
  /** Not before the program has what it waits for. */
  const later = (id: number, ms: number, json: string) => {
    if (timers.size >= maxTimers) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      slept(ms);
      turn(() => answer(id, json));
    }, ms);
    timers.add(timer);
  };
  return {
    request(text) {
      const [, number = "", kind = "", json = ""] = /^(\d+) (\w+) (.*)$/s.exec(textOf(text)) ?? [];
      const id = Number(number);
      if (kind === "sleep") {
        later(id, Math.min(Math.max(Number(json) || 0, 0), 2 ** 31 - 1), '{"value":null}');
        return undefined;
      }
      requests += 1;
      asked += json.length;
      if (requests > limits.calls + maxSearches || asked > maxAsked) later(id, 0, tooMuchAsked(limits.calls));
      else {
        waiting.add(id);
        asking.push({ id, kind, json });
      }
      return undefined;
    },
    log(level, message) {
      lines += 1;
      if (logged >= maxLogCharacters || lines > maxLogLines) return undefined;
      const text = textOf(message).slice(0, maxLogCharacters - logged);
      logged += text.length;
      send({ type: "log", level: textOf(level), text });
      return undefined;
    },
    done(json, kept) {
      end({ ok: true, json: textOf(json), store: textOf(kept) });
      return undefined;
    },
    fail(name, message, stack, details) {
      const result = failed(textOf(name), textOf(message), textOf(stack), source);
      end({ ...result, error: { ...readDetails(textOf(details)), ...result.error } });
      return undefined;
    },
    compute: (kind, json) => context.newString(compute(textOf(kind), textOf(json))),
    names: (path) => context.newString(askNow(textOf(path))),
  };
}

/** One turn of the host, waited for. */
function askNow(json: string): string {
  Atomics.store(answered, 0, 0);
  send({ type: "names", json });
  Atomics.wait(answered, 0, 0, namesMs);
  const { message = "[]" } = (receiveMessageOnPort(namesPort) as { message: string } | undefined) ?? {};
  return message;
}

const tooMuchAsked = (calls: number) =>
  JSON.stringify({
    error: { code: "BUDGET_EXCEEDED", message: `A program may make ${calls} calls. Return what there is.` },
  });

const overTime = (limitMs: number): ProgramError => ({
  name: "TimeoutError",
  message: `The program used more than ${limitMs / 1000} s of processor time. Wait for tools instead of looping, or do less.`,
});

const waitsForever: ProgramError = {
  name: "Error",
  message: "The program waits for a promise that nothing will settle.",
};

/** What a ToolError adds; the program may have written anything there. */
function readDetails(json: string): Partial<ProgramError> {
  const { code, tool } = JSON.parse(json || "{}") as Record<string, unknown>;
  return { ...(typeof code === "string" && { code }), ...(typeof tool === "string" && { tool }) };
}

/** With the place in the author's own text. */
function failed(name: string, message: string, stack: string, source: string) {
  const match = /program\.ts:(\d+)/.exec(stack);
  const lines = source.split("\n");
  const line = match === null ? 0 : Math.min(Number(match[1]), lines.length);
  const place = line === 0 ? {} : { line, text: lines[line - 1]?.trim().slice(0, 200) ?? "" };
  const [, unknown = ""] = (name === "ReferenceError" && /^'?(\w+)'? is not defined/.exec(message)) || [];
  const hint = Object.hasOwn(missingNames, unknown) ? `. ${missingNames[unknown]}` : "";
  const said = message.slice(0, 10_000) + hint;
  return { ok: false as const, end: "threw" as const, error: { name, message: said, ...place } };
}
