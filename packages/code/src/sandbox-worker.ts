import { parentPort, workerData } from "node:worker_threads";
import type { ProgramError } from "@toolplane/core/model/agent/code-run";
import { createEngine, type Engine, isMemoryFull, type Running } from "./engine.ts";
import { evaluate, type LineOf } from "./evaluate.ts";
import { codeLimits } from "./limits.ts";
import { missingNames } from "./platform.ts";
import type { FromSandbox, ProgramResult, SandboxRequest, ToSandbox } from "./sandbox.ts";

/** Jobs per turn, so that answers are read between turns of a program that never waits. */
const maxJobsPerTurn = 1_000;

const port = parentPort;
if (port === null) throw new Error("The sandbox runs in a worker.");
const send = (message: FromSandbox) => port.postMessage(message);
const realNow = Date.now;
/** Of this thread; before Node 22.19 the time on the wall stands for it. */
const processorMs = (): number => {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
type Answers = Extract<ToSandbox, { type: "answers" }>;
let answerCalls: (answers: Answers) => void = () => undefined;

/** The engine of the next program. It is made while there is nothing to do, and has had no program before. */
let ready: Promise<Engine> | undefined;
const makeReady = () => {
  ready ??= createEngine(send, workerData);
  // A failure is that of the program that would have had it.
  ready.catch(() => undefined);
  return ready;
};
void makeReady();

port.on("message", (message: ToSandbox) => {
  if (message.type === "answers") return answerCalls(message);
  run(message).then(
    (done) => {
      send(done);
      if (!done.isSpent) setImmediate(makeReady);
    },
    ({ message: failureText }: Error) => {
      const error = { name: "Error", message: `The sandbox failed: ${failureText}` };
      send({ type: "done", isSpent: true, unawaited: 0, ok: false, end: "broken", error });
    },
  );
});

type Done = Extract<FromSandbox, { type: "done" }>;

/** One program in a runtime of its own. Only texts cross the border, so no object of one side is reachable from the other. */
async function run({ source, startedAt, seeds, limits, store }: SandboxRequest): Promise<Done> {
  const engine = await makeReady();
  ready = undefined;
  const { runtime, context } = engine;
  send({ type: "begun" });
  runtime.setMemoryLimit(limits.memoryBytes);
  let usedMs = 0;
  let wallMs = 0;
  let turnStarted = 0;
  let isOverTime = false;
  let turnUsed = 0;
  const usedNow = () => usedMs + processorMs() - turnUsed;
  runtime.setInterruptHandler(() => {
    // The clock on the wall costs less to read, and is never behind.
    isOverTime ||=
      wallMs + performance.now() - turnStarted > limits.cpuMs && usedNow() > limits.cpuMs;
    return isOverTime;
  });
  // The engine reads this clock. It stands still but for `sleep`: a program that is run again takes the same way.
  let sleptMs = 0;
  Date.now = () => startedAt + sleptMs;
  const waiting = new Set<number>();
  const timers = new Set<NodeJS.Timeout>();
  let unawaited = 0;
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
        usedMs = usedNow();
        wallMs += performance.now() - turnStarted;
        if (isOverTime) resolve({ ok: false, end: "cpuTime", error: overTime(limits.cpuMs) });
        else if (runtime.hasPendingJob()) setImmediate(turn, () => undefined);
        else if (waiting.size + timers.size === 0)
          resolve(
            isMemoryFull()
              ? { ok: false, end: "threw", error: overMemory }
              : { ok: false, end: "idle", error: waitsForever },
          );
      };
      answerCalls = ({ ids, json }) =>
        turn(() => {
          for (const id of ids) waiting.delete(id);
          engine.settle(json);
        });
      const running: Running = {
        limits,
        waiting,
        timers,
        turn,
        slept: (ms) => {
          sleptMs += ms;
        },
        end(result) {
          unawaited = waiting.size;
          if (!isOverTime) resolve(result);
        },
        fail: (name, message, stack, details) =>
          running.end({
            ok: false,
            end: "threw",
            error: { ...details, ...failed(name, message, stack, source, lineOf) },
          }),
      };
      let lineOf: LineOf = (line) => line;
      turn(() => {
        engine.begin(running, store, seeds);
        const program = evaluate(context, source);
        ({ lineOf } = program);
        if ("handle" in program) engine.watch(program.handle);
        else running.fail(program.name, program.message, program.stack, {});
      });
    });
    // Memory that has grown is given back with its thread.
    return {
      type: "done",
      isSpent: isOverTime || !engine.dispose() || isMemoryFull(),
      unawaited,
      ...result,
    };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    answerCalls = () => undefined;
    Date.now = realNow;
  }
}

const overTime = (limitMs: number): ProgramError => ({
  name: "TimeoutError",
  message: `The program used more than ${limitMs / 1000} s of processor time. Wait for tools instead of looping, or do less.`,
});

const overMemory: ProgramError = {
  name: "RangeError",
  message: `The program needs more than ${codeLimits.memoryBytes / 1024 / 1024} MB of memory. Ask for less at once, and keep only what is needed.`,
};

/** With no memory left, there is none for an error either: the engine throws nothing. */
const isOverMemory = (message: string, stack: string) =>
  message === "out of memory" ||
  (isMemoryFull() && stack === "" && /^(?:null|undefined)?$/.test(message));

const waitsForever: ProgramError = {
  name: "Error",
  message: "The program waits for a promise that nothing will settle.",
};

/** With the place in the author's own text. */
function failed(
  name: string,
  message: string,
  stack: string,
  source: string,
  lineOf: LineOf,
): ProgramError {
  const match = /program\.ts:(\d+)(?::(\d+))?/.exec(stack);
  const lines = source.split("\n");
  // A module that is asked for has no stack.
  const [, moduleName = "\n"] = /could not load module '([^']+)'/.exec(message) ?? [];
  const line =
    match === null
      ? lines.findIndex((sourceLine) => sourceLine.includes(moduleName)) + 1
      : Math.min(lineOf(Number(match[1]), Number(match[2] ?? 1)), lines.length);
  const text = line === 0 ? "" : (lines[line - 1]?.trim().slice(0, 200) ?? "");
  const location = line === 0 ? {} : { line, text };
  if (isOverMemory(message, stack)) return { ...overMemory, ...location };
  return { name, message: message.slice(0, 10_000) + hintFor(name, message, text), ...location };
}

const noModules =
  "Programs have no modules: leave out import and export, and give the value with return.";

/** What programs of other platforms and other agents expect. */
function hintFor(name: string, message: string, text: string): string {
  const [, unknown = ""] =
    (name === "ReferenceError" && /^'?(\w+)'? is not defined/.exec(message)) || [];
  if (Object.hasOwn(missingNames, unknown)) return `. ${missingNames[unknown]}`;
  if (name === "SyntaxError" && /\bJSON\.parse\(/.test(text) && /'object'|\[object/.test(message))
    return ". It is an object already: what a call returns is parsed.";
  if (
    /could not load module/.test(message) ||
    (name === "SyntaxError" && /^(?:import|export)\b/.test(text))
  )
    return `. ${noModules}`;
  const isResult = /\.(?:content|structuredContent|isError)\b/.test(text);
  if (name === "TypeError" && /^cannot read property/.test(message) && isResult)
    return ". A call returns the structured content itself, or the text; what failed is thrown.";
  return "";
}
