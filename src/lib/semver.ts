import SemverRange from "semver/classes/range.js";
import SemVer from "semver/classes/semver.js";

type VersionRange = { accepts(version: string): boolean };

type Test = (version: SemVer) => boolean;

/** 01.2.0 is 1.2.0. */
const options = { loose: true };
const versionShape =
  /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z.-]+)?$/i;
const openShape = /^v?(?:\d{1,15}\.){0,2}[x*](?:\.[x*])*$/i;
const clauseShape = /^(\^|~>?|!=|[<>]=?|={1,2})?\s*([^\s,^~!<>=]+)(?:[\s,]+|$)/;

/** 1.2 is 1.2.0. */
export function parseVersion(text: string): SemVer | null {
  const [, major, minor = "0", patch = "0", suffix = ""] = versionShape.exec(text.trim()) ?? [];
  if (major === undefined) return null;
  try {
    return new SemVer(`${major}.${minor}.${patch}${suffix}`, options);
  } catch {
    // Longer than semver reads.
    return null;
  }
}

export function compareVersions(a: SemVer, b: SemVer): number {
  return a.compare(b);
}

const maxRange = 1_000;

/**
 * Comma or space means all, `||` means one. A bare version is exact. Comparisons follow the order alone, so `<2.0.0`
 * includes 2.0.0-beta; `^`, `~` and `x` exclude the next version's prereleases.
 */
export function parseVersionRange(text: string): VersionRange | { problem: string } {
  if (text.length > maxRange) return { problem: `it has more than ${maxRange} characters` };
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

function readClauses(text: string): Test[] | { problem: string } {
  const tests: Test[] = [];
  let unread = text.trim();
  if (unread === "") return { problem: "a clause is missing" };
  while (unread !== "") {
    const [clause, operator = "=", version = ""] = clauseShape.exec(unread) ?? [];
    if (clause === undefined) return { problem: `'${unread}' is not a valid clause` };
    const test = readClause(operator, version);
    if (test === null) return { problem: `'${version}' is not a valid version` };
    tests.push(test);
    unread = unread.slice(clause.length);
  }
  return tests;
}

/** semver has no `!=` and `==`, and reads 1.2 as 1.2.x. */
function readClause(operator: string, version: string): Test | null {
  const full = parseVersion(version);
  if (full === null && !openShape.test(version)) return null;
  const isSpan = operator === "^" || operator.startsWith("~");
  const isShort = isSpan && full?.prerelease.length === 0;
  const comparedVersion = full === null || isShort ? version : full.version;
  const isNegated = operator === "!=";
  const comparator = isNegated || operator === "==" ? "=" : operator;
  const test = testOf(`${comparator}${comparedVersion}`);
  if (test === null || !isNegated) return test;
  return (candidate) => !test(candidate);
}

/** Comparators only: a whole range refuses prereleases it does not name. */
function testOf(range: string): Test | null {
  try {
    const { set } = new SemverRange(range, options);
    return (version) => set.some((tests) => tests.every((comparator) => comparator.test(version)));
  } catch {
    return null;
  }
}
