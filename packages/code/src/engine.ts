import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { ProgramError } from "@toolplane/core/model/agent/code-run";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from "quickjs-emscripten-core";
import { codeLimits } from "./limits.ts";
import { compute } from "./platform.ts";
import { prelude } from "./prelude.ts";
import type { FromSandbox, ProgramRequest, ProgramResult, SandboxRequest } from "./sandbox.ts";

const maxStackBytes = 512 * 1024;
const maxLogCharacters = 100_000;
const maxLogLines = 1_000;
/** Of what a thrown error says; a program may write anything into its fields. */
const maxErrorCharacters = 10_000;
const maxNameCharacters = 200;
/** Characters that one program may ask with. */
const maxRequestCharacters = 32 * 1024 * 1024;
/** Searches beside the calls that are allowed. */
const maxSearches = 100;
const maxTimers = 10_000;
/** A host that is busy for longer gives no names. */
const namesMs = 2_000;

const pageBytes = 64 * 1024;

// Node has it, and its types do not.
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
};
// The engine's own limit does not count what is allocated in small pieces, so the memory itself ends there.
const memory = new WebAssembly.Memory({
  initial: 256,
  maximum: codeLimits.memoryBytes / pageBytes,
});
const module = newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: memory }));

/** It grows and never shrinks; a little of it may be left that fits nothing. */
export const isMemoryFull = () => memory.buffer.byteLength > codeLimits.memoryBytes * 0.8;

export type Running = Pick<SandboxRequest, "limits"> & {
  /** What the host was asked. */
  waiting: Set<number>;
  timers: Set<NodeJS.Timeout>;
  turn(work: () => void): void;
  end(result: ProgramResult): void;
  fail(name: string, message: string, stack: string, details: Partial<ProgramError>): void;
  slept(ms: number): void;
};

/** `answered` and `namesPort` are for what a program waits for with its thread. */
export type WaitChannels = { answered: Int32Array; namesPort: MessagePort };
type Send = (message: FromSandbox) => void;

/** A runtime with all that a program finds there, for one program. */
export type Engine = {
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  begin(running: Running, store: string, seeds: readonly number[]): void;
  /** The promise of the program. */
  watch(program: QuickJSHandle): void;
  /** `[id, answer]` pairs, as JSON. */
  settle(json: string): void;
  /** False where it cannot clean up: it was stopped in the middle, or had no memory left. */
  dispose(): boolean;
};

export async function createEngine(send: Send, waits: WaitChannels): Promise<Engine> {
  const runtime = (await module).newRuntime();
  runtime.setMaxStackSize(maxStackBytes);
  const context = runtime.newContext();
  const evaluated = context.unwrapResult(context.evalCode(prelude, "prelude.js", { strict: true }));
  let bridge: Bridge | undefined;
  const names = ["request", "log", "done", "fail", "compute", "names"] as const;
  const functions = names.map((name) =>
    context.newFunction(name, (...texts) =>
      bridge?.[name](...texts.map((text) => context.getString(text))),
    ),
  );
  const installed = context.unwrapResult(
    context.callFunction(evaluated, context.undefined, ...functions),
  );
  const parts = (["begin", "watch", "settle"] as const).map((name) =>
    context.getProp(installed, name),
  );
  const [begin, watch, settle] = parts as [QuickJSHandle, QuickJSHandle, QuickJSHandle];
  for (const handle of [...functions, evaluated, installed]) handle.dispose();
  const call = (handle: QuickJSHandle, ...handles: QuickJSHandle[]) => {
    context.callFunction(handle, context.undefined, ...handles).dispose();
    for (const handle of handles) handle.dispose();
  };
  const settleWith = (json: string) => call(settle, context.newString(json));
  return {
    runtime,
    context,
    begin(running, store, seeds) {
      bridge = createBridge(context, { running, send, waits, settle: settleWith });
      call(begin, context.newString(store), context.newString(JSON.stringify(seeds)));
    },
    watch: (program) => call(watch, program),
    settle: settleWith,
    dispose() {
      try {
        for (const part of [...parts, context, runtime]) part.dispose();
        return true;
      } catch {
        return false;
      }
    },
  };
}

type BridgeText = string | undefined;
type Bridge = Record<
  "request" | "log" | "done" | "fail" | "compute" | "names",
  (...texts: BridgeText[]) => QuickJSHandle | undefined
>;
type BridgeParts = {
  running: Running;
  send: Send;
  waits: WaitChannels;
  settle(json: string): void;
};

/** What the prelude gets: each function takes texts. */
function createBridge(
  context: QuickJSContext,
  { running, send, waits, settle }: BridgeParts,
): Bridge {
  const { limits, waiting, timers, turn, slept, end } = running;
  let requests = 0;
  let requestCharacters = 0;
  let logged = 0;
  let lines = 0;
  /** Not before the program has what it waits for. */
  const settleAfter = (id: number, ms: number, json: string) => {
    if (timers.size >= maxTimers) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      slept(ms);
      turn(() => settle(`[[${id},${json}]]`));
    }, ms);
    timers.add(timer);
  };
  const takeRequest = (text: string): ProgramRequest | null => {
    const [, number = "", kind = "", json = ""] = /^(\d+) (\w+) (.*)$/s.exec(text) ?? [];
    const id = Number(number);
    if (kind === "sleep") {
      settleAfter(id, Math.min(Math.max(Number(json) || 0, 0), 2 ** 31 - 1), '{"value":null}');
      return null;
    }
    requests += 1;
    requestCharacters += json.length;
    if (requests > limits.calls + maxSearches || requestCharacters > maxRequestCharacters) {
      settleAfter(id, 0, tooMuchAsked(limits.calls));
      return null;
    }
    waiting.add(id);
    return { id, kind, json };
  };
  return {
    // Each on a line: JSON has none.
    request(text = "") {
      const requestsToSend = text.split("\n").flatMap((line) => takeRequest(line) ?? []);
      if (requestsToSend.length > 0) send({ type: "requests", asked: requestsToSend });
      return undefined;
    },
    log(level = "", message = "") {
      lines += 1;
      if (logged >= maxLogCharacters || lines > maxLogLines) return undefined;
      const text = message.slice(0, maxLogCharacters - logged);
      logged += text.length;
      send({ type: "log", level, text });
      return undefined;
    },
    done(json = "", store = "") {
      end({ ok: true, json, store });
      return undefined;
    },
    fail(name = "", message = "", stack = "", details = "") {
      const nameAndMessage = [
        name.slice(0, maxNameCharacters),
        message.slice(0, maxErrorCharacters),
      ] as const;
      running.fail(...nameAndMessage, stack.slice(0, maxErrorCharacters), readDetails(details));
      return undefined;
    },
    compute: (kind = "", json = "") => context.newString(compute(kind, json)),
    names: (path = "") => context.newString(askNow(path, send, waits)),
  };
}

/** One turn of the host, waited for. */
function askNow(json: string, send: Send, { answered, namesPort }: WaitChannels): string {
  Atomics.store(answered, 0, 0);
  send({ type: "names", json });
  Atomics.wait(answered, 0, 0, namesMs);
  const { message = "[]" } =
    (receiveMessageOnPort(namesPort) as { message: string } | undefined) ?? {};
  return message;
}

const tooMuchAsked = (calls: number) =>
  JSON.stringify({
    error: {
      code: "BUDGET_EXCEEDED",
      message: `A program may make ${calls} calls. Return what there is.`,
    },
  });

/** What a ToolError adds; the program may have written anything there. */
function readDetails(json: string): Partial<ProgramError> {
  if (json === "" || json.length > maxErrorCharacters) return {};
  const { code, tool } = JSON.parse(json) as Record<string, unknown>;
  return withoutUndefined({
    code: typeof code === "string" ? code : undefined,
    tool: typeof tool === "string" ? tool : undefined,
  });
}
