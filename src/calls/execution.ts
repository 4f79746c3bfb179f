import { createHooks } from "../access/access.ts";
import type { Registry } from "../catalogue/registry.ts";
import { createHooksWhenNeeded } from "../access/hooks/hook-verbs.ts";

import { workingDirectory } from "../config/environment.ts";
import { runAll } from "../lib/async/once.ts";
import type { LibraryHooks } from "../model/access/hook.ts";



import { createApprovalsWhenNeeded } from "./approvals.ts";
import { type CallParts, createCalls } from "./calls.ts";

type Parts = Omit<CallParts, "registry" | "approval" | "hooks" | "onApprovedEnd" | "fixedOf"> & {
  registry: Pick<Registry, "all" | "fixedOf" | "snapshot">;
  /** Functions of the program that runs us. */
  hooks: LibraryHooks | undefined;
  /** The file that says this about a hook. */
  fileOfHook(event: string, at: number): string | undefined;
};

/** Calls, and the approvals and hooks that they pass. */
export async function createExecution({ registry, hooks: functions, fileOfHook, ...parts }: Parts) {
  const { config, environment, defaultPrincipal, memory } = parts;
  const { emit, store } = memory;
  const approvals = createApprovalsWhenNeeded({
    config,
    store,
    emit,
    defaultPrincipal,
    run: (call) => calls.run(call),
    checkArguments: (held, args) => calls.checkArguments(held, args),
    onChangedElsewhere: (listener) => memory.onNews((news) => news.what === "heldCall" && listener(news.id)),
    fixedOf: registry.fixedOf,
  });
  const hooks = await createHooks({
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
    approval: approvals.stage,
    hooks: hooks.stages,
    onApprovedEnd: approvals.onApprovedEnd,
    fixedOf: registry.fixedOf,
  });
  return {
    calls,
    hooks,
    verbs: {
      ...approvals.verbs,
      call: calls.call,
      testPolicy: calls.testPolicy,
    },
    start: approvals.start,
    stop: () => runAll([[approvals.stop, calls.stop]]),
  };
}
