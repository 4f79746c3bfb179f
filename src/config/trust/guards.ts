import { isDeepStrictEqual } from "node:util";
import { ConfigValues } from "../../model/config/config.ts";
import {
  isObject,
  objectOrEmpty,
  type Path,
  renderPath,
  type UnknownObject,
} from "../../model/json.ts";
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
  ownConfiguration: Merged,
  environment: Environment,
): Tightened {
  const tightened: Tightened = { before: [], after: [], refused: [] };
  const ownValueAt = (path: Path) => inForce(path, ownConfiguration, environment);
  /** What would be in force of another key with this project. */
  const sibling = (path: Path, key: string): unknown => {
    const siblingPath = [...path.slice(0, -1), key];
    const siblingSetting = settings.find(
      (setting) => renderPath(setting.path) === renderPath(siblingPath),
    );
    const line = lineOf(siblingPath);
    const isCompared = siblingSetting !== undefined && typeof line === "function";
    if (isCompared) return line(ownValueAt(siblingPath), siblingSetting.value, () => undefined);
    return ownValueAt(siblingPath);
  };
  for (const setting of settings) {
    const line = lineOf(setting.path);
    const stricter: Stricter | null = typeof line === "function" ? line : null;
    if (line === "rules") addRules(setting, tightened);
    else if (hasReference(setting.value))
      refuse(setting, "has a reference, which a project's guards cannot", tightened);
    else if (stricter === null) refuse(setting, "is not for a project to set", tightened);
    else
      addValue(
        setting,
        (mine, theirs) => stricter(mine, theirs, (key) => sibling(setting.path, key)),
        ownValueAt,
        tightened,
      );
  }
  // A rule of the project's must not exempt a tool from what the strict profile demands.
  const isStrict = [
    inForce(["policy", "profile"], ownConfiguration, environment),
    valueIn(tightened, "policy.profile"),
  ];
  const [askingRules] = tightened.after.filter(({ path }) => renderPath(path) === "policy.rules");
  if (
    askingRules &&
    isStrict.includes("strict") &&
    inForce(["policy", "isolation"], ownConfiguration, environment) === undefined
  )
    tightened.after.push({
      path: ["policy", "isolation"],
      value: "required",
      origin: askingRules.origin,
    });
  return tightened;
}

const wouldLoosen = "would loosen what is in force, so it is not used";

function refuse({ path }: Setting, why: string, tightened: Tightened): void {
  tightened.refused.push({ path, why });
}

function addValue(
  setting: Setting,
  stricter: (mine: unknown, theirs: unknown) => unknown,
  ownValueAt: (path: Path) => unknown,
  tightened: Tightened,
): void {
  const { path, value } = setting;
  const ownValue = ownValueAt(path);
  const chosen = stricter(ownValue, value);
  if (!isDeepStrictEqual(chosen, ownValue)) tightened.after.push({ ...setting, value: chosen });
  else if (!isDeepStrictEqual(value, ownValue)) refuse(setting, wouldLoosen, tightened);
}

function addRules(setting: Setting, tightened: Tightened): void {
  const { path, value } = setting;
  if (!Array.isArray(value)) return void tightened.after.push(setting);
  const denyIndexes: number[] = [];
  const otherIndexes: number[] = [];
  for (const [index, rule] of value.entries()) {
    const verdict = objectOrEmpty(rule).verdict;
    if (hasReference(rule))
      tightened.refused.push({
        path: [...path, index],
        why: "has a reference, which a project's rules cannot",
      });
    else if (verdict === "allow")
      tightened.refused.push({ path: [...path, index], why: wouldLoosen });
    else (verdict === "deny" ? denyIndexes : otherIndexes).push(index);
  }
  if (denyIndexes.length > 0) tightened.before.push(pick(setting, denyIndexes));
  if (otherIndexes.length > 0) tightened.after.push(pick(setting, otherIndexes));
}

/** Some entries of a list, each still with its own place. */
function pick(setting: Setting, indexes: readonly number[]): Setting {
  const { path, origin } = setting;
  const value = indexes.map((index) => (setting.value as unknown[])[index]);
  const originInside = ([index, ...inner]: Path) =>
    setting.originInside?.([indexes[Number(index)] ?? 0, ...inner]) ?? origin;
  return { path, origin, value, originInside };
}

function inForce(
  [section = "", ...inner]: Path,
  { values }: Merged,
  environment: Environment,
): unknown {
  const written = expandEnvironment(values[section], environment, () => undefined);
  const schema = (
    ConfigValues.shape as unknown as Record<string, { parse(value: unknown): unknown } | undefined>
  )[section];
  const defaults = schema?.parse(undefined);
  return valueAt(written, inner) ?? valueAt(defaults, inner);
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
  let isReferring = false;
  mapTexts(value, (text) => {
    isReferring ||= findReferences(text).length > 0;
    return text;
  });
  return isReferring;
}
