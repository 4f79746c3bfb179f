import { matchesGlob } from "../lib/glob.ts";
import type { Injected, Verdict } from "../model/call.ts";
import type { Policy, PolicyRule } from "../model/config.ts";
import type { Json } from "../model/json.ts";
import type { Tool } from "../model/tool.ts";

/** May this call run now? The first rule that matches decides, then the profile. */
export function decide(call: Injected, { rules, profile }: Policy): Verdict {
  const rule = rules.find((candidate) => matches(candidate, call));
  if (rule)
    return { verdict: rule.verdict, origin: "rule", reason: rule.reason ?? "a rule of the policy says so" };
  const held = holdsBack[profile](call);
  const origin = `profile:${profile}`;
  if (held === null) return { verdict: "allow", origin, reason: "nothing holds it back" };
  return { verdict: "ask", origin, reason: held };
}

function matches(rule: PolicyRule, call: Injected): boolean {
  const { tool, server, side_effects, groups } = rule;
  if (tool !== undefined && !matchesGlob(tool, call.tool.name) && !matchesGlob(tool, call.tool.modelName))
    return false;
  if (server !== undefined && !matchesGlob(server, call.tool.id.server ?? "")) return false;
  if (side_effects !== undefined && !side_effects.includes(call.tool.metadata.side_effects)) return false;
  if (
    !Object.entries(rule.arguments ?? {}).every(([name, glob]) =>
      matchesArgument(glob, call.input.arguments[name]),
    )
  ) {
    return false;
  }
  return groups === undefined || groups.some((group) => call.principal.groups.includes(group));
}

function matchesArgument(glob: string, value: Json | undefined): boolean {
  return value !== undefined && matchesGlob(glob, typeof value === "string" ? value : JSON.stringify(value));
}

/** What each profile asks a person about; null where it asks nobody. */
const holdsBack: Record<Policy["profile"], (call: Injected) => string | null> = {
  personal: ({ tool, face }) => (face === "cli" || face === "workbench" ? null : flagged(tool)),
  guarded: ({ tool }) => flagged(tool) ?? (isKnownRead(tool) ? null : "it is not known to only read"),
  strict: ({ tool }) => (tool.trusted && isKnownRead(tool) ? null : "it is not a read of a trusted server"),
};

function flagged({ consent, metadata }: Tool): string | null {
  if (consent === "explicit" && metadata.requires_consent) return "its configuration requires consent";
  return metadata.safety_level === "high" ? "its safety level is high" : null;
}

function isKnownRead({ metadata, annotations, trusted }: Tool): boolean {
  return metadata.side_effects === "none" || (trusted && annotations.readOnlyHint === true);
}
