import { workingDirectory } from "../config/environment.ts";
import { runAll } from "../lib/run-all.ts";
import type { LibraryHooks } from "../model/hook.ts";
import type { Registry } from "../registry/registry.ts";
import { createApprovalsWhenNeeded } from "./approvals.ts";
import { type CallParts, createCalls } from "./calls.ts";
import { createDeadLettersWhenNeeded } from "./dead-letters.ts";
import { createHooksWhenNeeded } from "./hooks.ts";

type Parts = Omit<
  CallParts,
  "keepFailed" | "registry" | "approval" | "hooks" | "onApprovedEnd" | "fixedOf"
> & {
  registry: Pick<Registry, "all" | "fixedOf" | "snapshot">;
  /** Functions of the program that runs us. */
  hooks: LibraryHooks | undefined;
  /** The file that says this about a hook. */
  fileOfHook(event: string, at: number): string | undefined;
  /** A dead letter has a time from now on. */
  onDue(): void;
};

/** Calls, and what holds them back, watches them and picks up those that failed. */
export async function createExecution({ registry, hooks: functions, fileOfHook, onDue, ...parts }: Parts) {
  const { config, environment, everybody, memory, servers } = parts;
  const { emit, store } = memory;
  const approvals = createApprovalsWhenNeeded({
    config,
    store,
    emit,
    everybody,
    run: (call) => calls.run(call),
    checkArguments: (held, args) => calls.checkArguments(held, args),
    onChangedElsewhere: (listener) => memory.onNews((news) => news.what === "heldCall" && listener(news.id)),
    fixedOf: registry.fixedOf,
  });
  const hooks = await createHooksWhenNeeded({
    settings: () => config().hooks,
    fileOf: fileOfHook,
    functions,
    projectDirectory: workingDirectory(),
    environment,
    emit,
  });
  const calls: ReturnType<typeof createCalls> = createCalls({
    ...parts,
    registry,
    keepFailed: (call, record, error) => deadLetters.keep(call, record, error),
    approval: approvals.stage,
    hooks: hooks.stages,
    onApprovedEnd: approvals.onApprovedEnd,
    fixedOf: registry.fixedOf,
  });
  const deadLetters = createDeadLettersWhenNeeded({
    store,
    run: calls.run,
    emit,
    everybody,
    serverNames: servers.names,
    tools: registry.all,
    onDue,
  });
  return {
    calls,
    hooks,
    verbs: {
      ...deadLetters.verbs,
      ...approvals.verbs,
      call: calls.call,
      testPolicy: calls.testPolicy,
    },
    start: approvals.start,
    /** Makes calls again that failed, when their time comes. */
    dueLetters: deadLetters.handler,
    stop: () => runAll([[deadLetters.stop, approvals.stop, calls.stop]]),
  };
}
