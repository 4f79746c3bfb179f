import type { Registry } from "../catalogue/catalogue.ts";
import { once } from "../lib/async/once.ts";
import type { Egress } from "../lib/net/egress.ts";
import {
  anyToolMatcher,
  type GuardPrompt,
  hookEvents,
  type LibraryHooks,
} from "../model/access/hook.ts";
import type { SignInPackage } from "../model/access/sign-in.ts";
import type { PlaneAudit } from "../model/audit.ts";
import type { Executed, Injected } from "../model/calls/call.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { Config } from "../model/config/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { Plane } from "../model/plane.ts";
import type { PlaneOptions } from "../model/plane-options.ts";
import { type Principal, principalOf, trusted, withListed } from "../model/principal.ts";
import { loadVault } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import type { ApprovalPorts } from "./approvals/approvals.ts";
import { createChangedDefaults } from "./changed-defaults.ts";
import { createConversations } from "./conversation/conversations.ts";
import type { HookContext } from "./hooks/before-call.ts";
import type { HookPorts } from "./hooks/hooks.ts";
import { createIdentity } from "./identity/identity.ts";
import { createSignIn, type SignInContext } from "./identity/sign-in.ts";
import type { Profile } from "./policy/decide.ts";
import { impactOf, isOffered } from "./policy/effect.ts";
import { createGrants } from "./policy/grant.ts";

export { ownYesCounts } from "./approvals/answerers.ts";
export type { ApprovalPorts } from "./approvals/approvals.ts";
export type { Collected } from "./approvals/equal-calls.ts";
export { endErrorOf } from "./approvals/held-call.ts";
export { type Answers, createAnswers } from "./approvals/questions.ts";
export { conversationOf, namedConversation } from "./conversation/conversation-of.ts";
export { createPolicy, type PolicyPorts, type Profile } from "./policy/decide.ts";
export { effectOf, isOffered } from "./policy/effect.ts";

/** What access needs of the plane. */
type AccessContext = {
  readonly settings: {
    config(): Config;
    auth: SignInContext["settings"];
    vaultKey(): Promise<string | undefined>;
    fileOf(path: readonly string[]): string | undefined;
  };
  readonly recorder: Pick<
    Recorder,
    "store" | "emit" | "onNews" | "isInformed" | "configuration" | "outlivesUs" | "tells"
  >;
  readonly egress: Egress;
  readonly options: Pick<PlaneOptions, "principal" | "exposed" | "dataDirectory" | "store">;
  readonly packages: { signIn(): Promise<SignInPackage> };
  readonly audit: Pick<PlaneAudit, "run">;
  readonly catalogue: { registry: Pick<Registry, "snapshot"> };
  readonly agent: { verbs: Pick<Plane, "toolsets"> };
};

/** What the page of consent says of the policy. */
const profileWords: Record<Profile, string> = {
  personal:
    "Calls that change something are made without a question, unless a rule of this plane asks.",
  guarded: "Calls that change something wait for a yes, here or in the workbench.",
  strict: "Every call waits for a yes, here or in the workbench.",
} as Record<Profile, string>;

export type Access = ReturnType<typeof createAccess>;

/** Who calls, and what they may do. */
export function createAccess(context: AccessContext) {
  const { settings, recorder, egress, options } = context;
  const { config } = settings;

  function toolset(name: string) {
    try {
      return context.agent.verbs.toolsets.select(name);
    } catch {
      return null;
    }
  }

  // Planes that share a named store share its keys; those that only share a data directory do not.
  const planeFiles = () => recorder.configuration()?.own ?? [];
  const signIn = createSignIn({
    config,
    settings: settings.auth,
    store: recorder.store,
    vault: () =>
      loadVault({
        store: recorder.store,
        directory: options.dataDirectory,
        vaultKey: settings.vaultKey,
      }),
    onNews: recorder.onNews,
    isInformed: recorder.isInformed,
    egress,
    load: () => context.packages.signIn(),
    audit: (...work) => context.audit.run(...work),
    policy: async () => profileWords[await identity.profile()],
    maySeeServer: (person, name) =>
      grants.maySeeServer(withListed(principalOf(person), config().users), name),
  });
  const identity = createIdentity({
    signIn,
    config,
    store: recorder.store,
    emit: recorder.emit,
    onNews: recorder.onNews,
    isInformed: recorder.isInformed,
    egress,
    defaultPrincipal: trusted(options.principal),
    exposed: options.exposed ?? false,
    planeFiles,
    toolsetServers: (name) => toolset(name)?.definition.providers ?? [],
  });
  const grants = createGrants({
    config,
    tool: (id, caller) => context.catalogue.registry.snapshot(caller).byId(id),
    isInToolset: (tool, name) => toolset(name)?.has(tool) ?? false,
  });
  const defaults = createChangedDefaults({
    store: recorder.store,
    onNews: recorder.onNews,
    isInformed: recorder.isInformed,
    planeFiles,
    isConfigured: (key) => settings.fileOf(key.split(".")) !== undefined,
  });
  const conversations = createConversations({
    store: recorder.store,
    outlivesUs: recorder.outlivesUs,
    isOneOfSeveral: recorder.tells,
  });
  return {
    conversations,
    identity,
    signIn,
    grants,
    defaults,
    /** Is it offered in the mode of the policy? */
    isOffered: (tool: Tool) => isOffered(tool, config().policy),
    impactOf: (tool: Tool) => impactOf(tool, config().policy.effects),
  };
}

/** Loaded when a call first needs approval, or approvals are listed. */
export async function loadApprovals(ports: ApprovalPorts) {
  return (await import("./approvals/approvals.ts")).createApprovals(ports);
}

export type Hooks = Awaited<ReturnType<typeof createLazyHooks>>;

/** Hooks are loaded when a call first meets one. */
export async function createLazyHooks({
  functions = {},
  ...ports
}: Omit<HookPorts, "functions"> & { functions: LibraryHooks | undefined }) {
  await checkFunctions(functions);
  const loaded = once(async () =>
    (await import("./hooks/hooks.ts")).createHooks({ ...ports, functions }),
  );
  const stages = {
    before: async (call: Injected, path: HookContext, signal: AbortSignal | undefined) =>
      (await loaded()).before(call, path, signal),
    after: async (call: Executed, signal: AbortSignal | undefined) =>
      (await loaded()).after(call, signal),
  };
  let last: ReturnType<HookPorts["settings"]> | undefined;
  let isUsed = false;

  function hasHooks() {
    const settings = ports.settings();
    if (settings === last) return isUsed;
    last = settings;
    isUsed = hookEvents.some(
      (event) => settings[event].length + (functions[event]?.length ?? 0) > 0,
    );
    return isUsed;
  }

  return {
    /** Null without hooks, so that a call pays one comparison for them. */
    stages: () => (hasHooks() ? stages : null),
    guardPrompt: (async (...request) =>
      hasHooks() ? (await loaded()).guardPrompt(...request) : request[1]) satisfies GuardPrompt,
    async ended(conversation: string, principal: Principal): Promise<void> {
      if (hasHooks()) await (await loaded()).ended(conversation, principal);
    },
  };
}

/** The configuration is checked for the same when it is read. */
async function checkFunctions(functions: LibraryHooks): Promise<void> {
  for (const [event, hooks] of Object.entries(functions)) {
    if (!hookEvents.some((hookEvent) => hookEvent === event))
      throw new PlaneError(
        "USAGE",
        `No hook event '${event}'. There are ${hookEvents.join(", ")}.`,
      );
    for (const hook of hooks) {
      const { matcher = anyToolMatcher } = typeof hook === "function" ? {} : hook;
      if (matcher === anyToolMatcher) continue;
      const { patternProblem } = await import("../lib/text/linear-pattern.ts");
      const problem = patternProblem(matcher);
      if (problem !== null)
        throw new PlaneError(
          "USAGE",
          `${event} hook: matcher '${matcher}' is not a valid pattern: ${problem}.`,
        );
    }
  }
}
