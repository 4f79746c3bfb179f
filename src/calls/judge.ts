import {
  type Access,
  type ApprovalPorts,
  createPolicy,
  effectOf,
  ownYesCounts,
  type PolicyPorts,
  type Profile,
} from "../access/access.ts";
import type { Registry } from "../catalogue/catalogue.ts";
import type { PlanePolicy } from "../model/plane-access.ts";
import { type Inside, mayDo } from "../model/principal.ts";
import { isIsolated } from "../model/servers/server.ts";
import { accessRequestOf } from "./authorize.ts";
import { requestCall } from "./call-tool.ts";
import type { Lookup, LookupParts } from "./lookup.ts";
import { createTargets } from "./targets.ts";

export type JudgeParts = Pick<LookupParts, "config" | "grants"> & {
  registry: Pick<Registry, "snapshot">;
  defaults: Pick<Access["defaults"], "inForce">;
  profile(): Profile | Promise<Profile>;
};

/** Of a default that a version changed, the new one is in force. */
const newDefaultHolds = "now";

/** Decides about calls by the configuration of the moment; `overrides` are for a policy that is not in force. */
export function policyOf(
  { config, registry, defaults }: Pick<JudgeParts, "config" | "registry" | "defaults">,
  overrides: Partial<Pick<PolicyPorts, "policy" | "now">> = {},
): ReturnType<typeof createPolicy> {
  return createPolicy({
    policy: () => config().policy,
    ...overrides,
    isIsolated: (server) => isIsolated(config().servers[server] ?? {}),
    targetsOf: createTargets(config, (id, caller) => registry.snapshot(caller).byId(id)),
    ownCounts: (caller) => ownYesCounts(config().approvals, caller),
    allowsByAnyName: async () =>
      (await defaults.inForce("rules-allow-by-any-name")) === newDefaultHolds,
  });
}

/** Whether a person could make a held call: the tool is theirs to use, and no rule denies it to them. */
export function createMayMake(parts: JudgeParts, lookup: Lookup): ApprovalPorts["mayMake"] {
  const { grants, profile } = parts;
  const decide = policyOf(parts);
  return async (by, { callId: id, at, toolId, face, options }, args) => {
    if (!mayDo(by, "call")) return false;
    const tool = await lookup.toCall(toolId, by).catch(() => null);
    if (tool === null) return false;
    const grant = grants.grantFor(by, tool, { ...accessRequestOf(options), arguments: args });
    if ("refused" in grant) return false;
    const request = {
      id,
      at,
      asked: { tool: toolId, arguments: args },
      principal: by,
      face,
      options,
    };
    const input = { arguments: args, repaired: false, dropped: [] };
    return (await decide({ ...request, tool, grant, input }, await profile())).verdict !== "deny";
  };
}

export function createPolicyTest(parts: JudgeParts, lookup: Lookup): Inside<PlanePolicy>["test"] {
  const { config, grants, profile } = parts;
  const decide = policyOf(parts);
  return async (reference, args = {}, { principal, face = "library", mode }) => {
    const tool = await lookup.toCall(reference, principal);
    const grant = grants.grantToSee(principal, tool, args);
    const { known: _, ...effect } = effectOf(tool, config().policy.effects);
    if ("refused" in grant)
      return { verdict: "deny", origin: "grant", reason: grant.refused, tool: tool.name, effect };
    // The test of a command is the test of one that a person types.
    const typed = face === "cli";
    const requested = requestCall(reference, args, {
      principal,
      face,
      typed,
      ...(mode && { mode }),
    });
    const input = { arguments: args, repaired: false, dropped: [] };
    const verdict = await decide({ ...requested, tool, grant, input }, await profile());
    return { ...verdict, tool: tool.name, effect };
  };
}
