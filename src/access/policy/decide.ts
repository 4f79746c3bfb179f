import { andThen } from "../../lib/async/and-then.ts";
import { putExactNumbers } from "../../lib/json/exact-numbers.ts";
import { uriSpellings } from "../../lib/text/uri-spellings.ts";
import type { Policy, PolicyRule } from "../../model/access/policy.ts";
import type { Injected, PolicyMode, Validated } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import { anyName, type CreatePatternSet, needsEngine } from "./argument-patterns.ts";
import { createToolFacts, type RuleContext, type ToolFacts } from "./rules.ts";

export type Profile = NonNullable<Policy["profile"]>;

type Decide = (call: Validated, profile: Profile) => Verdict | Promise<Verdict>;

// The later, the stricter.
const verdicts: readonly Verdict["verdict"][] = ["allow", "ask", "queue", "deny"];
const modes: readonly PolicyMode[] = ["build", "debug", "plan", "review"];

export function strictnessOf({ verdict }: Verdict): number {
  return verdicts.indexOf(verdict);
}

/** A server's tool that a hand-written one calls, and what becomes of the arguments. */
export type Target = { tool: Tool; mapArguments(args: JsonObject): JsonObject };

export type PolicyPorts = {
  policy(): Policy;
  isIsolated(server: string): boolean;
  targetsOf(tool: Tool, caller: Principal): readonly Target[];
  /** Is a caller who types or clicks consent enough? */
  ownCounts?(caller: Principal): boolean;
  /** Does a rule that allows by the name '*' take effect? It had none before 0.4. */
  allowsByAnyName?(): boolean | Promise<boolean>;
  now?(): Date;
};

type DecideNow = (call: Validated, profile: Profile) => Verdict;
/** `careful` leaves out what may not be in force; null where the policy has no such rule. */
type Compiled = { decide: DecideNow; careful: DecideNow | null };

/** Decides by the policy in force. What was learned about tools is kept as long as the policy is. */
export function createPolicy({
  policy,
  isIsolated,
  targetsOf,
  ownCounts,
  allowsByAnyName = () => true,
  now,
}: PolicyPorts): Decide {
  const compiledPolicies = new WeakMap<Policy, Compiled>();

  async function compile(written: Policy): Promise<Compiled> {
    const patterns = await patternsFor(written);
    const decide = createDecide(written, patterns, now, ownCounts);
    const rules = written.rules.filter((rule) => !isAllowedByAnyName(rule));
    if (rules.length === written.rules.length) return { decide, careful: null };
    return { decide, careful: createDecide({ ...written, rules }, patterns, now, ownCounts) };
  }

  function judge({ decide, careful }: Compiled, call: Validated, profile: Profile) {
    if (careful === null) return decide(call, profile);
    return andThen(allowsByAnyName(), (isInForce) =>
      isInForce ? decide(call, profile) : careful(call, profile),
    );
  }

  const decide: Decide = (call, profile) => {
    const currentPolicy = policy();
    const cached = compiledPolicies.get(currentPolicy);
    if (cached) return judge(cached, call, profile);
    return compile(currentPolicy).then((compiled) => {
      compiledPolicies.set(currentPolicy, compiled);
      return judge(compiled, call, profile);
    });
  };
  return withTargets(
    requireIsolation(decide, { setting: () => policy().isolation, isIsolated }),
    targetsOf,
  );
}

function isAllowedByAnyName({ verdict, arguments: patterns = {} }: PolicyRule): boolean {
  return verdict === "allow" && Object.hasOwn(patterns, anyName);
}

/** A wrapper is never weaker than what it calls: the strictest verdict on it and its targets counts. */
function withTargets(decide: Decide, targetsOf: PolicyPorts["targetsOf"]): Decide {
  return (call, profile) => {
    const ownVerdict = decide(call, profile);
    if (call.tool.id.server !== null) return ownVerdict;
    return targetsOf(call.tool, call.principal).reduce<Verdict | Promise<Verdict>>(
      (strictest, { tool, mapArguments }) => {
        const { injected: _, ...plain }: Validated & Partial<Injected> = call;
        // Its numbers are exact already, and have other names now.
        const { exact: _exact, ...read } = call.input;
        const input = { ...read, arguments: mapArguments(argumentsOf(call)) };
        const targetVerdict = decide({ ...plain, tool, input }, profile);
        return andThen(strictest, (first) =>
          andThen(targetVerdict, (second) => stricter(first, second, tool)),
        );
      },
      ownVerdict,
    );
  };
}

function stricter(wrapperVerdict: Verdict, targetVerdict: Verdict, { name }: Tool): Verdict {
  if (strictnessOf(targetVerdict) <= strictnessOf(wrapperVerdict)) return wrapperVerdict;
  return { ...targetVerdict, reason: `it calls '${name}': ${targetVerdict.reason}` };
}

/** With what the system sets, and with the digits that are sent: a rule sees what the provider gets. */
function argumentsOf({ tool, input, injected }: Validated & Partial<Injected>): JsonObject {
  const { kind } = tool.id;
  // A rule on the address of a resource is a rule on all of its forms.
  if (kind === "resource" || kind === "subscription")
    return { ...input.arguments, uri: uriSpellings(String(input.arguments.uri)) };
  const sent =
    input.exact === undefined ? input.arguments : putExactNumbers(input.arguments, input.exact);
  if (!injected || Object.keys(injected.values).length === 0) return sent;
  return { ...sent, ...injected.values };
}

/** The pattern engine is large, and few policies need it. */
async function patternsFor({ rules }: Policy): Promise<CreatePatternSet> {
  if (!needsEngine(rules)) return () => () => [];
  return (await import("../../lib/text/linear-pattern.ts")).createPatternSet;
}

/** The first matching rule, or else the profile, decides; the mode can only tighten. */
export function createDecide(
  policy: Policy,
  createPatternSet: CreatePatternSet,
  now: () => Date = () => new Date(),
  ownCounts: (caller: Principal) => boolean = () => true,
): DecideNow {
  const factsOf = createToolFacts(policy, createPatternSet);
  return (call, profile) => {
    const facts = factsOf(call.tool);
    const { principal, face, options } = call;
    const isPage = options.page !== undefined;
    const situation = { principal, face, isPage, arguments: argumentsOf(call), now };
    const isAskedByDefault = policy.askByDefault || principal.asks === "byDefault";

    function unruled() {
      const byDefault = byProfile[profile](call, facts, ownCounts);
      if (!isAskedByDefault) return byDefault;
      return atLeast(askedByDefault, byDefault);
    }

    const ruled = byRule(facts, situation) ?? unruled();
    const moded = byMode(stricterMode(policy.mode, call.options.mode), facts);
    const decided = moded !== null && strictnessOf(moded) > strictnessOf(ruled) ? moded : ruled;
    const isAskedAlways = policy.askAlways || principal.asks === "always";
    if (!isAskedAlways) return decided;
    return atLeast(askedAlways, decided);
  };
}

function atLeast(least: Verdict, decided: Verdict): Verdict {
  return strictnessOf(decided) < strictnessOf(least) ? least : decided;
}

const askedAlways: Verdict = {
  verdict: "ask",
  origin: "policy.askAlways",
  reason: "every call needs a person's yes ('policy.askAlways')",
};

const askedByDefault: Verdict = {
  verdict: "ask",
  origin: "policy.askByDefault",
  reason: "no rule decides, and such calls need a person's yes ('policy.askByDefault')",
};

/** A caller may ask for a stricter mode than the configured one, never for a looser one. */
export function stricterMode(
  configured: PolicyMode,
  requested: PolicyMode | undefined,
): PolicyMode {
  if (requested === undefined) return configured;
  return modes.indexOf(requested) > modes.indexOf(configured) ? requested : configured;
}

function byRule({ firstRule }: ToolFacts, situation: RuleContext): Verdict | null {
  const firstMatch = firstRule(situation);
  if (firstMatch === null) return null;
  const { verdict, reason = "a policy rule decided so", from } = firstMatch.rule;
  const ruled = { verdict, origin: "rule", reason };
  if (from === undefined) return { ...ruled, rule: firstMatch.number };
  return { ...ruled, from };
}

/** Where nothing may change, what only the name of a tool suggests is no knowledge. */
function byMode(mode: PolicyMode, facts: ToolFacts): Verdict | null {
  const { effect } = facts;
  if (mode === "build" || isKnownRead(facts) || (mode === "debug" && effect.effect === "read"))
    return null;
  // A plan collects what changes something; it need not hold up reading until an operator has declared each tool.
  if (mode === "plan" && facts.callsItRead) return null;
  const origin = `mode:${mode}`;
  const reading = effectText(facts.effect);
  if (mode === "plan") return { verdict: "queue", origin, reason: `plan mode: ${reading}` };
  if (mode === "debug") return { verdict: "ask", origin, reason: `debug mode: ${reading}` };
  return { verdict: "deny", origin, reason: `review mode only reads: ${reading}` };
}
/** Why a mode holds it back. */
function effectText({ effect, because }: ToolFacts["effect"]): string {
  if (effect === "write") return `it may change something (${because})`;
  if (effect === "read")
    return `nothing proves that it reads: ${because} ('policy.effects' or 'trusted' can say so)`;
  return because;
}

const byProfile: Record<
  Profile,
  (call: Validated, facts: ToolFacts, ownCounts: (caller: Principal) => boolean) => Verdict
> = {
  personal(call, _, ownCounts) {
    if (isByPerson(call) && ownCounts(call.principal)) return verdict("personal", null);
    return consentTo(call.tool, "personal") ?? verdict("personal", null);
  },
  guarded: ({ tool }, facts) =>
    stricterQuestion(tool, "guarded", isKnownRead(facts) ? null : notKnownToRead(facts)),
  strict({ tool }, facts) {
    const question = "it is not known to be a read of a trusted server";
    const isTrustedRead = tool.trusted && isKnownRead(facts);
    return stricterQuestion(tool, "strict", isTrustedRead ? null : question);
  },
};

/** A command from a pipe is of a program: who typed it says so. */
function isByPerson({ face, options }: Validated): boolean {
  return face === "workbench" || (face === "cli" && options.typed === true);
}

/** What the profile asks each time is not asked once a conversation because the tool wants consent as well. */
function stricterQuestion(tool: Tool, profile: Profile, question: string | null): Verdict {
  if (question !== null) return verdict(profile, question);
  return consentTo(tool, profile) ?? verdict(profile, null);
}

function notKnownToRead({ effect }: ToolFacts): string {
  if (effect.effect !== "read") return "it is not known to only read";
  return `nothing proves that it reads: ${effect.because}`;
}

function verdict(profile: Profile, question: string | null): Verdict {
  const origin = `profile:${profile}`;
  if (question === null) return { verdict: "allow", origin, reason: "nothing holds it back" };
  return { verdict: "ask", origin, reason: question };
}

function consentTo({ consent, metadata }: Tool, profile: Profile): Verdict | null {
  if (consent === "explicit" && metadata.requires_consent)
    return { ...verdict(profile, "its configuration requires consent"), consent: true };
  if (metadata.safety_level !== "high") return null;
  return { ...verdict(profile, "its safety level is high"), consent: true };
}

/** A name that sounds like reading does not count. */
function isKnownRead({ effect }: ToolFacts): boolean {
  return effect.known && effect.effect === "read";
}

/** Providers of these kinds run on other machines. */
const remoteProviders: readonly string[] = ["http", "model"];

export type Isolation = Pick<PolicyPorts, "isIsolated"> & { setting(): Policy["isolation"] };

/** Denies tools of a high safety level that would run where they can do harm. */
export function requireIsolation(decide: Decide, { setting, isIsolated }: Isolation): Decide {
  const judge = (call: Validated, decided: Verdict): Verdict => {
    // A rule about this tool counts more than the profile, unless isolation is configured.
    const isExempt = setting() === undefined && decided.origin === "rule";
    if (decided.verdict === "deny" || isExempt) return decided;
    const exposed = exposedProvider(call.tool, isIsolated);
    if (exposed === null) return decided;
    const reason = `its safety level is high, and ${exposed}; 'policy.isolation' asks for that`;
    return { verdict: "deny", origin: "isolation", reason };
  };
  return (call, profile) => {
    const isolation = setting() ?? (profile === "strict" ? "required" : "off");
    const decided = decide(call, profile);
    // Nearly every call goes by here, and most need not wait.
    if (isolation === "off" || call.tool.metadata.safety_level !== "high") return decided;
    return andThen(decided, (verdict) => judge(call, verdict));
  };
}

/** One provider that is not isolated is enough: any of them may be chosen. */
function exposedProvider({ providers }: Tool, isIsolated: Isolation["isIsolated"]): string | null {
  for (const { name, config } of providers) {
    if (remoteProviders.includes(name)) continue;
    if (name !== "mcp") return `its provider '${name}' runs in this process and not isolated`;
    const server = String(config.server);
    if (!isIsolated(server))
      return `server '${server}' does not run isolated ('mcpServers.${server}.isolated')`;
  }
  return null;
}
