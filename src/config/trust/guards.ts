import { isDeepStrictEqual } from "node:util";
import { ConfigValues } from "../../model/config/config.ts";
import { isObject, type Path, renderPath, type UnknownObject } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import type { Merged } from "../merge-settings.ts";
import { expandEnvironment, findReferences, mapTexts } from "../secrets/references.ts";
import type { Setting } from "../shapes/reading.ts";

/** The stricter of two values; what is not understood is passed on, so that the check of the values refuses it. */
type Stricter = (mine: unknown, theirs: unknown) => unknown;

/** The later, the stricter. */
const rank =
  (...order: readonly unknown[]): Stricter =>
  (mine, theirs) => {
    // A mistake in the user's own file is reported, not covered.
    if (!order.includes(mine)) return mine;
    return !order.includes(theirs) || order.indexOf(theirs) > order.indexOf(mine) ? theirs : mine;
  };
const on = rank(false, true);
const off = rank(true, false);
const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
/** 0 is no limit where `noLimit` is 0. */
const least =
  (noLimit?: unknown): Stricter =>
  (mine, theirs) => {
    if (theirs === noLimit || (mine !== noLimit && !isCount(mine))) return mine;
    return mine === noLimit || !isCount(theirs) || theirs < Number(mine) ? theirs : mine;
  };
const most: Stricter = (mine, theirs) => (isCount(mine) && (!isCount(theirs) || theirs > mine) ? theirs : mine);
/** None named is any. */
const fewer: Stricter = (mine, theirs) => {
  if (!Array.isArray(mine)) return mine;
  if (!Array.isArray(theirs)) return theirs;
  return mine.length === 0 || (theirs.length > 0 && theirs.every((one) => mine.includes(one))) ? theirs : mine;
};
const lowerCost: Stricter = (mine, theirs) => (mine === null || isCount(mine) ? least(null)(mine, theirs) : mine);
/** The first pattern that matches counts. */
const moreWrites: Stricter = (mine, theirs) => {
  if (!isObject(mine)) return mine;
  if (!isObject(theirs)) return theirs;
  const writes = Object.fromEntries(Object.entries(theirs).filter(([, effect]) => effect !== "read"));
  return { ...writes, ...Object.fromEntries(Object.entries(mine).filter(([name]) => !Object.hasOwn(writes, name))) };
};

/** Only the user's own file says it. */
const ownOnly: Stricter = (mine) => mine;

/** In these sections a project may only tighten, trusted or not. */
export const guardSections: readonly unknown[] = [
  "policy",
  "security",
  "approvals",
  "budgets",
  "sampling",
  "audit",
  "quotas",
];

/** How each key is compared. A key without a row is never taken from a project. */
export const guards: Readonly<Record<string, Stricter>> = {
  "policy.profile": rank("personal", null, "guarded", "strict"),
  "policy.mode": rank("build", "debug", "plan", "review"),
  "policy.isolation": rank("off", undefined, "required"),
  "policy.effects": moreWrites,
  "security.pinning": rank("off", "warn", "quarantine"),
  "security.newTools": rank("accept", "quarantine"),
  "security.poisoning": rank("off", "warn", null, "quarantine"),
  "approvals.timeoutMs": least(),
  "approvals.allowEdit": off,
  "approvals.approvers": fewer,
  "approvals.rememberConsent": off,
  "approvals.fourEyes": on,
  "approvals.threshold": most,
  "budgets.maxToolDurationMs": least(0),
  "budgets.maxCost": lowerCost,
  "budgets.perPersona.*.maxCost": lowerCost,
  "sampling.enabled": off,
  "sampling.verdict": rank("allow", null, "ask", "deny"),
  "sampling.maxTokens": least(),
  "sampling.maxCallsPerToolCall": least(),
  "quotas.maxHeldOpen": least(),
  "quotas.maxSessionsPerCaller": least(),
  "audit.required": on,
  "audit.hmacKey": ownOnly,
  "security.egress.allow": ownOnly,
};

/** Which model answers is no guard: it is trusted like the other settings. */
const needsTrust: readonly string[] = ["sampling.model"];

export function isGuard(path: Path): boolean {
  return guardSections.includes(path[0]) && !needsTrust.includes(renderPath(path));
}

export type Tightened = {
  /** Rules that deny come before all others, the rest after those of the user. */
  before: Setting[];
  after: Setting[];
  refused: { path: Path; why: string }[];
};

/** What of a project's guards is stricter than what is in force without it. */
export function tighten(settings: readonly Setting[], own: Merged, environment: Environment): Tightened {
  const found: Tightened = { before: [], after: [], refused: [] };
  for (const setting of settings) {
    const name = renderPath(setting.path);
    if (name === "policy.rules") addRules(setting, found);
    else addValue(setting, ruleFor(name), inForce(setting.path, own, environment), found);
  }
  // A rule of the project's must not exempt a tool from what the strict profile demands.
  const isStrict = [inForce(["policy", "profile"], own, environment), valueIn(found, "policy.profile")];
  const [asks] = found.after.filter(({ path }) => renderPath(path) === "policy.rules");
  if (asks && isStrict.includes("strict") && inForce(["policy", "isolation"], own, environment) === undefined)
    found.after.push({ path: ["policy", "isolation"], value: "required", origin: asks.origin });
  return found;
}

const loosens = "would loosen what is in force, so it is not used";

function addValue(setting: Setting, stricter: Stricter | undefined, mine: unknown, found: Tightened): void {
  const { path, value } = setting;
  if (hasReference(value)) found.refused.push({ path, why: "has a reference, which a project's guards cannot" });
  else if (stricter === undefined) found.refused.push({ path, why: "is not for a project to set" });
  else {
    const chosen = stricter(mine, value);
    if (!isDeepStrictEqual(chosen, mine)) found.after.push({ ...setting, value: chosen });
    else if (!isDeepStrictEqual(value, mine)) found.refused.push({ path, why: loosens });
  }
}

function addRules(setting: Setting, found: Tightened): void {
  const { path, value } = setting;
  if (!Array.isArray(value)) return void found.after.push(setting);
  const deny: number[] = [];
  const others: number[] = [];
  for (const [at, rule] of value.entries()) {
    const verdict = isObject(rule) ? rule.verdict : undefined;
    if (hasReference(rule))
      found.refused.push({ path: [...path, at], why: "has a reference, which a project's rules cannot" });
    else if (verdict === "allow") found.refused.push({ path: [...path, at], why: loosens });
    else (verdict === "deny" ? deny : others).push(at);
  }
  if (deny.length > 0) found.before.push(pick(setting, deny));
  if (others.length > 0) found.after.push(pick(setting, others));
}

/** Some entries of a list, each still with its own place. */
function pick(setting: Setting, indexes: readonly number[]): Setting {
  const { path, origin } = setting;
  const value = indexes.map((at) => (setting.value as unknown[])[at]);
  const originInside = ([index, ...inner]: Path) =>
    setting.originInside?.([indexes[Number(index)] ?? 0, ...inner]) ?? origin;
  return { path, origin, value, originInside };
}

function ruleFor(name: string): Stricter | undefined {
  return guards[name] ?? guards[name.replace(/^budgets\.perPersona\..+\.maxCost$/, "budgets.perPersona.*.maxCost")];
}

function inForce([section = "", ...inner]: Path, { values }: Merged, environment: Environment): unknown {
  const own = expandEnvironment(values[section], environment, () => undefined);
  const schema = (ConfigValues.shape as unknown as Record<string, { parse(value: unknown): unknown } | undefined>)[
    section
  ];
  const usual = schema?.parse(undefined);
  return valueAt(own, inner) ?? valueAt(usual, inner);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner, key) => (isObject(inner) ? (inner as UnknownObject)[key] : undefined), value);
}

function valueIn({ after }: Tightened, name: string): unknown {
  return after.find(({ path }) => renderPath(path) === name)?.value;
}

function hasReference(value: unknown): boolean {
  let found = false;
  mapTexts(value, (text) => {
    found ||= findReferences(text).length > 0;
    return text;
  });
  return found;
}
