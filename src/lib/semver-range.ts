import { compareVersions, parseVersion, type Version } from "./semver.ts";

export type VersionRange = { accepts(version: string): boolean };

type Test = (version: Version) => boolean;

/**
 * Clauses joined by a comma or a space have to hold all, alternatives joined by `||` one of them. A bare version is
 * that version; `1.x` is a range. Comparisons follow the order of versions alone, so `<2.0.0` takes 2.0.0-beta;
 * `^`, `~` and `x` never reach into the prereleases of the next version.
 */
export function parseVersionRange(text: string): VersionRange | { problem: string } {
  const alternatives: Test[][] = [];
  for (const part of text.split("||")) {
    const clauses = readClauses(part);
    if ("problem" in clauses) return clauses;
    alternatives.push(clauses);
  }
  return {
    accepts(version) {
      const parsed = parseVersion(version);
      return parsed !== null && alternatives.some((tests) => tests.every((test) => test(parsed)));
    },
  };
}

const clauseShape = /^(\^|~>?|!=|[<>]=?|={1,2})?\s*([^\s,^~!<>=]+)(?:[\s,]+|$)/;

function readClauses(text: string): Test[] | { problem: string } {
  const tests: Test[] = [];
  let rest = text.trim();
  if (rest === "") return { problem: "a clause is missing" };
  while (rest !== "") {
    const [clause, operator = "=", version = ""] = clauseShape.exec(rest) ?? [];
    if (clause === undefined) return { problem: `'${rest}' is no clause` };
    const partial = readPartial(version);
    if (partial === null) return { problem: `'${version}' is no version` };
    tests.push(translate(operator, partial));
    rest = rest.slice(clause.length);
  }
  return tests;
}

/** A version of which the last parts may be missing or open. */
type PartialVersion = { low: Version; given: 0 | 1 | 2 | 3; isOpen: boolean };

const openShape = /^v?(?:(\d{1,15})\.)?(?:(\d{1,15})\.)?[x*](?:\.[x*])*$/i;

function readPartial(text: string): PartialVersion | null {
  const open = openShape.exec(text);
  if (open) {
    const parts = open.slice(1).filter((part) => part !== undefined);
    const [major = 0, minor = 0] = parts.map(Number);
    return { low: versionOf(major, minor, 0), given: parts.length as 0 | 1 | 2, isOpen: true };
  }
  const low = parseVersion(text);
  if (low === null) return null;
  const given = text.split(/[-+]/)[0]?.split(".").length as 1 | 2 | 3;
  return { low, given, isOpen: false };
}

function translate(operator: string, partial: PartialVersion): Test {
  const { low, given, isOpen } = partial;
  if (operator === "^") return within(low, afterCaret(low, given));
  if (operator.startsWith("~")) return within(low, given === 0 ? null : after(low, given === 1 ? 0 : 1));
  if (isOpen) return compareOpen(operator, low, given === 0 ? null : after(low, given === 1 ? 0 : 1));
  return compare(operator, low);
}

/** `1.x` stands for all of its versions: above it is above the last, below it is below the first. */
function compareOpen(operator: string, low: Version, end: Version | null): Test {
  const isInside = within(low, end);
  const isAbove: Test = (version) => end !== null && compareVersions(version, end) >= 0;
  if (operator === "!=") return (version) => !isInside(version);
  if (operator === ">=") return (version) => isInside(version) || isAbove(version);
  if (operator === ">") return isAbove;
  const isBelow: Test = (version) => !isInside(version) && !isAbove(version);
  if (operator === "<=") return (version) => !isAbove(version);
  return operator === "<" ? isBelow : isInside;
}

function compare(operator: string, wanted: Version): Test {
  const test = comparisons[operator] ?? comparisons["="];
  return (version) => test?.(compareVersions(version, wanted)) ?? false;
}

const comparisons: Record<string, (order: number) => boolean> = {
  "=": (order) => order === 0,
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
};

/** Without an end every version fits, those before 0.0.0 too. */
function within(low: Version, end: Version | null): Test {
  if (end === null) return () => true;
  return (version) => compareVersions(version, low) >= 0 && compareVersions(version, end) < 0;
}

/** The leftmost part that is not 0 may not change. */
function afterCaret(low: Version, given: number): Version | null {
  if (given === 0) return null;
  const firstSet = low.core.findIndex((part) => part > 0);
  const last = given - 1;
  return after(low, firstSet === -1 || firstSet > last ? last : firstSet);
}

/** The earliest version in which this part is one higher. */
function after({ core: [major, minor, patch] }: Version, part: number): Version {
  if (part === 0) return versionOf(major + 1, 0, 0, ["0"]);
  if (part === 1) return versionOf(major, minor + 1, 0, ["0"]);
  return versionOf(major, minor, patch + 1, ["0"]);
}

function versionOf(major: number, minor: number, patch: number, prerelease: string[] = []): Version {
  return { core: [major, minor, patch], prerelease };
}
