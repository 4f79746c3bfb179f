import { dirname, isAbsolute } from "node:path";
import {
  type CommandHook,
  defaultOnError,
  defaultTimeoutMs,
  everyTool,
  type HookCall,
  type HookEvent,
  type LibraryHook,
} from "../../model/access/hook.ts";
import { readAnswer, readEnd, type Said } from "./read-answer.ts";
import { runCommand } from "./run-command.ts";

/** Somebody to ask, whether a program or a function. */
export type Hook = {
  event: HookEvent;
  name: string;
  matcher: string;
  timeoutMs: number;
  onError: "deny" | "allow";
  ask(call: HookCall, signal: AbortSignal): Promise<Said>;
};

/** Nothing else of our environment reaches a hook. */
const inheritedVariables = ["PATH", "HOME", "LANG", "SYSTEMROOT", "USER"];

export type CommandPlace = {
  /** The file that names the hook, where it is one. */
  file: string | undefined;
  /** Where the plane was started. */
  projectDirectory: string;
  environment: Readonly<Record<string, string | undefined>>;
};

/** A command runs where its configuration file is. */
export function commandHook(
  event: HookEvent,
  { name, matcher, command, timeout_ms, on_error }: CommandHook,
  { file, projectDirectory, environment }: CommandPlace,
): Hook {
  const isFile = file !== undefined && isAbsolute(file);
  const inherited = inheritedVariables.flatMap((variable) => {
    const value = environment[variable];
    return value === undefined ? [] : [[variable, value] as const];
  });
  const options = {
    directory: isFile ? dirname(file) : projectDirectory,
    environment: {
      ...Object.fromEntries(inherited),
      ...(isFile ? { TOOLPLANE_CONFIG: file } : {}),
      TOOLPLANE_PROJECT_DIR: projectDirectory,
    },
  };
  return {
    event,
    name,
    matcher,
    timeoutMs: timeout_ms,
    onError: on_error ?? defaultOnError[event],
    ask: async (call, signal) => readEnd(await runCommand(command, JSON.stringify(call), { ...options, signal })),
  };
}

export function functionHook(event: HookEvent, hook: LibraryHook, at: number): Hook {
  const { run, name, matcher, timeout_ms, on_error } =
    typeof hook === "function" ? { ...unsaid, run: hook } : { ...unsaid, ...hook };
  return {
    event,
    name: name ?? (run.name === "" || run.name === "run" ? `${event}[${at}]` : run.name),
    matcher: matcher ?? everyTool,
    timeoutMs: timeout_ms ?? defaultTimeoutMs,
    onError: on_error ?? defaultOnError[event],
    // It gets a copy and gives a copy: what it does to either later changes nothing.
    ask: async (call, signal) => readAnswer(copied(await run(copied(call), signal))),
  };
}

const unsaid = { name: undefined, matcher: undefined, timeout_ms: undefined, on_error: undefined };

function copied<T>(value: T): T {
  return value === undefined || value === null ? (undefined as T) : JSON.parse(JSON.stringify(value));
}
