import { once } from "../../lib/async/once.ts";
import { everyTool, hookEvents, type LibraryHooks } from "../../model/access/hook.ts";
import type { Executed, Injected } from "../../model/calls/call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { OnTheWay } from "./before-call.ts";
import type { HookParts } from "./hooks.ts";

export type Hooks = {
  /** Null where nobody has a hook: then a call pays one comparison for them. */
  stages(): HookStages | null;
  ended(conversation: string, principal: Principal): Promise<void>;
};

type HookStages = {
  before(call: Injected, path: OnTheWay, signal: AbortSignal | undefined): Promise<Injected>;
  after(call: Executed, signal: AbortSignal | undefined): Promise<Executed>;
};

type Parts = Omit<HookParts, "functions"> & { functions: LibraryHooks | undefined };

/** Loaded when a call meets a hook. */
export async function createHooksWhenNeeded({ functions = {}, ...parts }: Parts): Promise<Hooks> {
  await checkFunctions(functions);
  const loaded = once(async () => (await import("./hooks.ts")).createHooks({ ...parts, functions }));
  const stages: HookStages = {
    before: async (call, path, signal) => (await loaded()).before(call, path, signal),
    after: async (call, signal) => (await loaded()).after(call, signal),
  };
  let last: ReturnType<Parts["settings"]> | undefined;
  let isUsed = false;
  const used = () => {
    const settings = parts.settings();
    if (settings === last) return isUsed;
    last = settings;
    isUsed = hookEvents.some((event) => settings[event].length + (functions[event]?.length ?? 0) > 0);
    return isUsed;
  };
  return {
    stages: () => (used() ? stages : null),
    ended: async (conversation, principal) => {
      if (used()) await (await loaded()).ended(conversation, principal);
    },
  };
}

/** What the configuration is checked for when it is read. */
async function checkFunctions(functions: LibraryHooks): Promise<void> {
  for (const [event, hooks] of Object.entries(functions)) {
    if (!hookEvents.some((known) => known === event))
      throw new PlaneError("USAGE", `No hook event '${event}'. There are ${hookEvents.join(", ")}.`);
    for (const hook of hooks) {
      const { matcher = everyTool } = typeof hook === "function" ? {} : hook;
      if (matcher === everyTool) continue;
      const { patternProblem } = await import("../../lib/text/linear-pattern.ts");
      const problem = patternProblem(matcher);
      if (problem !== null)
        throw new PlaneError("USAGE", `'${matcher}', the matcher of a ${event} hook, is no pattern: ${problem}.`);
    }
  }
}
