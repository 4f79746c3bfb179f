/** A version as semver.org orders them; what stands behind a plus sign says nothing about the order. */
export type Version = {
  /** Major, minor, patch. */
  core: readonly [number, number, number];
  prerelease: readonly string[];
};

const shape = /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([0-9a-z.-]+))?(?:\+[0-9a-z.-]+)?$/i;

/** Parts that are missing are 0: 1.2 is 1.2.0. */
export function parseVersion(text: string): Version | null {
  const [, major, minor = "0", patch = "0", suffix] = shape.exec(text.trim()) ?? [];
  if (major === undefined) return null;
  const prerelease = suffix === undefined ? [] : suffix.split(".");
  if (prerelease.includes("")) return null;
  return { core: [Number(major), Number(minor), Number(patch)], prerelease };
}

/** Below 0, 0 or above 0, for sorting. */
export function compareVersions(a: Version, b: Version): number {
  for (const at of [0, 1, 2] as const) {
    if (a.core[at] !== b.core[at]) return a.core[at] < b.core[at] ? -1 : 1;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

/** What is not released yet comes before what is. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at], b[at]];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    const order = compareIdentifiers(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

const digits = /^\d+$/;

function compareIdentifiers(a: string, b: string): number {
  const [isNumberA, isNumberB] = [digits.test(a), digits.test(b)];
  if (isNumberA && isNumberB) return Math.sign(Number(a) - Number(b));
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
