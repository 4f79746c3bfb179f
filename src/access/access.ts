import { once } from "../lib/async/once.ts";
import { everyTool, type GuardPrompt, hookEvents, type LibraryHooks } from "../model/access/hook.ts";
import type { Executed, Injected } from "../model/calls/call.ts";
import { PlaneError } from "../model/errors.ts";
import type { Principal } from "../model/principal.ts";
import type { ApprovalPorts } from "./approvals/approvals.ts";
import type { OnTheWay } from "./hooks/before-call.ts";
import type { HookPorts } from "./hooks/hooks.ts";
import { createIdentity, type IdentityPorts } from "./identity/identity.ts";
import { createGrants, type GrantPorts } from "./policy/grant.ts";

export { ownYesCounts } from "./approvals/answerers.ts";
export type { ApprovalPorts } from "./approvals/approvals.ts";
export { type Answers, createAnswers } from "./approvals/questions.ts";
export { createPolicy, type PolicyPorts, type Profile } from "./policy/decide.ts";
export { effectOf, impactOf, isOffered } from "./policy/effect.ts";

export function createAccess({ tool, ...ports }: IdentityPorts & Pick<GrantPorts, "tool">) {
  return { identity: createIdentity(ports), grants: createGrants({ config: ports.config, tool }) };
}

/** Loaded when a call first needs approval, or approvals are listed. */
export async function createApprovals(ports: ApprovalPorts) {
  return (await import("./approvals/approvals.ts")).createApprovals(ports);
}

export type Hooks = Awaited<ReturnType<typeof createHooks>>;

/** Hooks are loaded when a call first meets one. */
export async function createHooks({
  functions = {},
  ...ports
}: Omit<HookPorts, "functions"> & { functions: LibraryHooks | undefined }) {
  await checkFunctions(functions);
  const loaded = once(async () => (await import("./hooks/hooks.ts")).createHooks({ ...ports, functions }));
  const stages = {
    before: async (call: Injected, path: OnTheWay, signal: AbortSignal | undefined) =>
      (await loaded()).before(call, path, signal),
    after: async (call: Executed, signal: AbortSignal | undefined) => (await loaded()).after(call, signal),
  };
  let last: ReturnType<HookPorts["settings"]> | undefined;
  let isUsed = false;
  const used = () => {
    const settings = ports.settings();
    if (settings === last) return isUsed;
    last = settings;
    isUsed = hookEvents.some((event) => settings[event].length + (functions[event]?.length ?? 0) > 0);
    return isUsed;
  };
  return {
    /** Null without hooks, so that a call pays one comparison for them. */
    stages: () => (used() ? stages : null),
    guardPrompt: (async (...asked) => {
      if (used()) await (await loaded()).guardPrompt(...asked);
    }) satisfies GuardPrompt,
    async ended(conversation: string, principal: Principal): Promise<void> {
      if (used()) await (await loaded()).ended(conversation, principal);
    },
  };
}

/** The configuration is checked for the same when it is read. */
async function checkFunctions(functions: LibraryHooks): Promise<void> {
  for (const [event, hooks] of Object.entries(functions)) {
    if (!hookEvents.some((known) => known === event))
      throw new PlaneError("USAGE", `No hook event '${event}'. There are ${hookEvents.join(", ")}.`);
    for (const hook of hooks) {
      const { matcher = everyTool } = typeof hook === "function" ? {} : hook;
      if (matcher === everyTool) continue;
      const { patternProblem } = await import("../lib/text/linear-pattern.ts");
      const problem = patternProblem(matcher);
      if (problem !== null)
        throw new PlaneError("USAGE", `'${matcher}', the matcher of a ${event} hook, is no pattern: ${problem}.`);
    }
  }
}
