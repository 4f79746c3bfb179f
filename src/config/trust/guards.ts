import { isDeepStrictEqual } from "node:util";
import { ConfigValues } from "../../model/config/config.ts";
import { isObject, type Path, renderPath, type UnknownObject } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import type { Merged } from "../merge-settings.ts";
import { expandEnvironment, findReferences, mapTexts } from "../secrets/references.ts";
import type { Setting } from "../shapes/reading.ts";
import { lineOf, type Stricter } from "./project-keys.ts";

export type Tightened = {
  /** Rules that deny come before all others, the rest after those of the user. */
  before: Setting[];
  after: Setting[];
  refused: { path: Path; why: string }[];
};

/** What of a project's guards is stricter than what is in force without it. */
export function tighten(
  settings: readonly Setting[],
  own: Merged,
  environment: Environment,
): Tightened {
  const found: Tightened = { before: [], after: [], refused: [] };
  const mineAt = (path: Path) => inForce(path, own, environment);
  /** What would be in force of another key with this project. */
  const sibling = (path: Path, key: string): unknown => {
    const place = [...path.slice(0, -1), key];
    const theirs = settings.find((setting) => renderPath(setting.path) === renderPath(place));
    const line = lineOf(place);
    const isCompared = theirs !== undefined && typeof line === "function";
    return isCompared ? line(mineAt(place), theirs.value, () => undefined) : mineAt(place);
  };
  for (const setting of settings) {
    const line = lineOf(setting.path);
    const stricter: Stricter | null = typeof line === "function" ? line : null;
    if (line === "rules") addRules(setting, found);
    else if (hasReference(setting.value))
      refuse(setting, "has a reference, which a project's guards cannot", found);
    else if (stricter === null) refuse(setting, "is not for a project to set", found);
    else
      addValue(
        setting,
        (mine, theirs) => stricter(mine, theirs, (key) => sibling(setting.path, key)),
        mineAt,
        found,
      );
  }
  // A rule of the project's must not exempt a tool from what the strict profile demands.
  const isStrict = [
    inForce(["policy", "profile"], own, environment),
    valueIn(found, "policy.profile"),
  ];
  const [asks] = found.after.filter(({ path }) => renderPath(path) === "policy.rules");
  if (
    asks &&
    isStrict.includes("strict") &&
    inForce(["policy", "isolation"], own, environment) === undefined
  )
    found.after.push({ path: ["policy", "isolation"], value: "required", origin: asks.origin });
  return found;
}

const loosens = "would loosen what is in force, so it is not used";

function refuse({ path }: Setting, why: string, found: Tightened): void {
  found.refused.push({ path, why });
}

function addValue(
  setting: Setting,
  stricter: (mine: unknown, theirs: unknown) => unknown,
  mineAt: (path: Path) => unknown,
  found: Tightened,
): void {
  const { path, value } = setting;
  const mine = mineAt(path);
  const chosen = stricter(mine, value);
  if (!isDeepStrictEqual(chosen, mine)) found.after.push({ ...setting, value: chosen });
  else if (!isDeepStrictEqual(value, mine)) refuse(setting, loosens, found);
}

function addRules(setting: Setting, found: Tightened): void {
  const { path, value } = setting;
  if (!Array.isArray(value)) return void found.after.push(setting);
  const deny: number[] = [];
  const others: number[] = [];
  for (const [at, rule] of value.entries()) {
    const verdict = isObject(rule) ? rule.verdict : undefined;
    if (hasReference(rule))
      found.refused.push({
        path: [...path, at],
        why: "has a reference, which a project's rules cannot",
      });
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

function inForce(
  [section = "", ...inner]: Path,
  { values }: Merged,
  environment: Environment,
): unknown {
  const own = expandEnvironment(values[section], environment, () => undefined);
  const schema = (
    ConfigValues.shape as unknown as Record<string, { parse(value: unknown): unknown } | undefined>
  )[section];
  const usual = schema?.parse(undefined);
  return valueAt(own, inner) ?? valueAt(usual, inner);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce(
    (inner, key) => (isObject(inner) ? (inner as UnknownObject)[key] : undefined),
    value,
  );
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
