import { type ChildProcess, spawn } from "node:child_process";
import { dirname, isAbsolute } from "node:path";
import { isTooDeep } from "../../lib/json/exact-numbers.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type {
  CommandHook,
  HookCall,
  HookDecision,
  HookEvent,
  LibraryHook,
} from "../../model/access/hook.ts";
import {
  anyToolMatcher,
  defaultHookTimeoutMs,
  defaultOnError,
  hookDecisions,
} from "../../model/access/hook.ts";
import { isObject, type JsonObject } from "../../model/json.ts";

const maxOutputBytes = 1024 * 1024;
/** Nothing else of the plane's environment reaches a hook. */
const inheritedVariables = ["PATH", "HOME", "LANG", "SYSTEMROOT", "USER"];

export type Hook = {
  event: HookEvent;
  name: string;
  matcher: string;
  timeoutMs: number;
  onError: "deny" | "allow";
  ask(call: HookCall, signal: AbortSignal): Promise<HookReply>;
};

/** `detail` is for administrators alone. */
type HookFailure = { failed: string; detail?: string };
export type HookReply =
  | { decision: HookDecision; reason: string; payload: JsonObject | null }
  | HookFailure;
export type CommandEnd = { code: number; stdout: string; stderr: string } | HookFailure;

export type CommandPlace = {
  file: string | undefined;
  /** Where the person works. */
  projectDirectory: string;
  /** Rejects where a file that a hook starts is another than a person has trusted. */
  requireFiles(): Promise<void>;
  environment: Readonly<Record<string, string | undefined>>;
};

/** A command runs in the directory of its configuration file. */
export function commandHook(event: HookEvent, hook: CommandHook, location: CommandPlace): Hook {
  const {
    name,
    matcher,
    command,
    timeout_ms: timeoutMs,
    on_error: onError = defaultOnError[event],
  } = hook;
  const { file, projectDirectory } = location;
  const isFile = file !== undefined && isAbsolute(file);
  const inherited = Object.fromEntries(
    inheritedVariables.map((variable) => [variable, location.environment[variable]]),
  );
  const planeVariables = {
    TOOLPLANE_CONFIG: isFile ? file : undefined,
    TOOLPLANE_PROJECT_DIR: projectDirectory,
  };
  const environment = withoutUndefined({ ...inherited, ...planeVariables }) as Record<
    string,
    string
  >;
  const directory = isFile ? dirname(file) : projectDirectory;
  const ask: Hook["ask"] = async (call, signal) => {
    try {
      await location.requireFiles();
    } catch (thrown) {
      return {
        failed: "a file that it starts has changed since it was trusted",
        detail: (thrown as Error).message,
      };
    }
    return readEnd(
      await runCommand(command, JSON.stringify(call), { directory, environment, signal }),
    );
  };
  return { event, name, matcher, timeoutMs, onError, ask };
}

export function functionHook(event: HookEvent, hook: LibraryHook, index: number): Hook {
  const { run, ...declaration } = typeof hook === "function" ? { run: hook } : hook;
  const ownName = run.name === "" || run.name === "run" ? `${event}[${index}]` : run.name;
  const {
    name = ownName,
    matcher = anyToolMatcher,
    timeout_ms = defaultHookTimeoutMs,
    on_error = defaultOnError[event],
  } = declaration;
  // Copies both ways: what the function changes later has no effect.
  const ask: Hook["ask"] = async (call, signal) =>
    readHookAnswer(copied(await run(copied(call), signal)));
  return { event, name, matcher, timeoutMs: timeout_ms, onError: on_error, ask };
}

function copied<T>(value: T): T {
  if (value === undefined || value === null) return undefined as T;
  return JSON.parse(JSON.stringify(value));
}

/** Exit code 0 continues or answers on standard output, 2 denies, any other is a failure. */
export function readEnd(end: CommandEnd): HookReply {
  if ("failed" in end) return end;
  const { code, stdout, stderr } = end;
  if (code === 2) return { decision: "deny", reason: stderr, payload: null };
  if (code !== 0) return { failed: `it ended with exit code ${code}`, detail: stderr };
  if (stdout.trim() === "") return readHookAnswer(undefined);
  try {
    return readHookAnswer(JSON.parse(stdout));
  } catch {
    return { failed: "what it printed is not JSON" };
  }
}

export function readHookAnswer(answer: unknown): HookReply {
  if (answer === undefined) return { decision: "continue", reason: "", payload: null };
  if (!isObject(answer)) return { failed: "its answer is not an object" };
  const { decision = "continue", reason = "", payload = null } = answer;
  const knownDecision = hookDecisions.find((candidate) => candidate === decision);
  if (knownDecision === undefined)
    return { failed: `its 'decision' is none of ${hookDecisions.join(", ")}` };
  if (payload !== null && !isObject(payload)) return { failed: "its 'payload' is not an object" };
  if (isTooDeep(payload)) return { failed: "its 'payload' is nested too deeply" };
  return {
    decision: knownDecision,
    reason: typeof reason === "string" ? reason : "",
    payload: payload as JsonObject | null,
  };
}

export type CommandOptions = {
  directory: string;
  environment: Readonly<Record<string, string>>;
  signal: AbortSignal;
};

/** Runs a program in a process group of its own, which ends with it. */
export function runCommand(
  [program = "", ...args]: readonly string[],
  input: string,
  { directory, environment, signal }: CommandOptions,
): Promise<CommandEnd> {
  const aborted = { failed: "it was ended before it answered" };
  if (signal.aborted) return Promise.resolve(aborted);
  return new Promise((resolve) => {
    const detached = process.platform !== "win32";
    const child = spawn(program, args, {
      cwd: directory,
      env: environment,
      detached,
      windowsHide: true,
      stdio: "pipe",
    });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let bytes = 0;

    function end(how: CommandEnd) {
      signal.removeEventListener("abort", abort);
      if (child.exitCode === null && child.signalCode === null) killGroup(child);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(how);
    }

    const abort = () => end(aborted);
    signal.addEventListener("abort", abort, { once: true });
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxOutputBytes) end({ failed: "it wrote more than 1 MiB" });
        else output[stream].push(chunk);
      });
    }
    child.once("error", ({ message }) =>
      end({ failed: "it could not be started", detail: message }),
    );
    child.once("exit", () => killGroup(child));
    child.once("close", (code, killedBy) => {
      const stdout = Buffer.concat(output.stdout).toString("utf8");
      const stderr = Buffer.concat(output.stderr).toString("utf8");
      if (code === null) return end({ failed: `it was ended by ${killedBy}`, detail: stderr });
      end({ code, stdout, stderr });
    });
    // A hook need not read its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
}
