import type { Policy } from "../../model/access/policy.ts";
import type { PolicyMode, Validated, Verdict } from "../../model/calls/call.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { type CreatePatternSet, needsEngine } from "./argument-patterns.ts";
import { createToolFacts, type Situation, type ToolFacts } from "./rules.ts";

export type Profile = "personal" | "guarded" | "strict";

export type Decide = (call: Validated, profile: Profile) => Verdict;

/** The later, the stricter. */
const strictness = ["allow", "ask", "queue", "deny"] as const;
const modeStrictness: readonly PolicyMode[] = ["build", "debug", "plan", "review"];

/** May this call run now? The mode and the first rule that matches, or else the profile: the stricter decides. */
export function createDecide(
  policy: Policy,
  createPatternSet: CreatePatternSet,
  now: () => Date = () => new Date(),
): Decide {
  const factsOf = createToolFacts(policy, createPatternSet);
  return (call, profile) => {
    const facts = factsOf(call.tool);
    const situation = { principal: call.principal, face: call.face, arguments: call.input.arguments, now };
    const ruled = byRule(facts, situation) ?? byProfile[profile](call, facts);
    const mode = stricterMode(policy.mode, call.options.mode);
    const moded = byMode(mode, facts);
    return moded !== null && strictness.indexOf(moded.verdict) > strictness.indexOf(ruled.verdict) ? moded : ruled;
  };
}

/** Decides by the policy in force; what was learned about tools is kept as long as the policy is. */
export function createPolicy(policy: () => Policy): (call: Validated, profile: Profile) => Verdict | Promise<Verdict> {
  const known = new WeakMap<Policy, Decide>();
  return (call, profile) => {
    const current = policy();
    const decide = known.get(current);
    if (decide) return decide(call, profile);
    return patternsFor(current).then((patterns) => {
      const made = createDecide(current, patterns);
      known.set(current, made);
      return made(call, profile);
    });
  };
}

/** The engine is large, and few policies need it. */
async function patternsFor({ rules }: Policy): Promise<CreatePatternSet> {
  if (!needsEngine(rules)) return () => () => [];
  return (await import("../../lib/text/linear-pattern.ts")).createPatternSet;
}

/** A caller may ask for less freedom than the configuration gives, never for more. */
export function stricterMode(configured: PolicyMode, asked: PolicyMode | undefined): PolicyMode {
  if (asked === undefined) return configured;
  return modeStrictness.indexOf(asked) > modeStrictness.indexOf(configured) ? asked : configured;
}

function byRule({ firstRule }: ToolFacts, situation: Situation): Verdict | null {
  const found = firstRule(situation);
  if (found === null) return null;
  const { verdict, reason = "a rule of the policy says so" } = found.rule;
  return { verdict, origin: "rule", reason, rule: found.place };
}

function byMode(mode: PolicyMode, { effect }: ToolFacts): Verdict | null {
  if (mode === "build" || effect.effect === "read") return null;
  const origin = `mode:${mode}`;
  const what = effect.effect === "write" ? `it may change something (${effect.because})` : effect.because;
  if (mode === "plan") return { verdict: "queue", origin, reason: `plan mode: ${what}` };
  if (mode === "debug") return { verdict: "ask", origin, reason: `debug mode: ${what}` };
  return { verdict: "deny", origin, reason: `review mode only reads: ${what}` };
}

/** What each profile asks a person about. */
const byProfile: Record<Profile, (call: Validated, facts: ToolFacts) => Verdict> = {
  personal: ({ tool, face }) =>
    (face === "cli" || face === "workbench" ? null : consentTo(tool, "personal")) ?? verdict("personal", null),
  guarded: ({ tool }, facts) =>
    consentTo(tool, "guarded") ?? verdict("guarded", isKnownRead(facts) ? null : notKnownToRead(facts, "guarded")),
  strict: ({ tool }, facts) =>
    verdict("strict", tool.trusted && isKnownRead(facts) ? null : "it is not known to be a read of a trusted server"),
};

function notKnownToRead({ effect }: ToolFacts, profile: Profile): string {
  return effect.effect === "read"
    ? `only its name suggests that it reads; profile ${profile} wants more`
    : "it is not known to only read";
}

function verdict(profile: Profile, held: string | null): Verdict {
  const origin = `profile:${profile}`;
  if (held === null) return { verdict: "allow", origin, reason: "nothing holds it back" };
  return { verdict: "ask", origin, reason: held };
}

function consentTo(tool: Tool, profile: Profile): Verdict | null {
  const reason = flagged(tool);
  return reason === null ? null : { ...verdict(profile, reason), consent: true };
}

function flagged({ consent, metadata }: Tool): string | null {
  if (consent === "explicit" && metadata.requires_consent) return "its configuration requires consent";
  return metadata.safety_level === "high" ? "its safety level is high" : null;
}

/** A name that sounds like reading is no knowledge. */
function isKnownRead({ effect }: ToolFacts): boolean {
  return effect.known && effect.effect === "read";
}
