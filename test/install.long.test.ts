import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");

type Entry = {
  version?: string;
  link?: boolean;
  integrity?: string;
  os?: string[] | string;
  cpu?: string[] | string;
  libc?: string[] | string;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
};

const directories = ["", "examples", "scripts/tools", "test/peers"];

function entriesOf(directory: string): [path: string, entry: Entry][] {
  const lock = readFileSync(join(root, directory, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { packages: Record<string, Entry> };
  return Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && !link,
  );
}

/** Whether a machine with this processor, Linux and glibc installs the package. */
function runsOn(cpu: string, path: string, entry: Entry): boolean {
  const takes = (allowed: string[] | string | undefined, value: string) =>
    allowed === undefined || [allowed].flat().includes(value);
  const isMusl = [entry.libc ?? []].flat().includes("musl") || /musl/.test(path);
  return takes(entry.os, "linux") && takes(entry.cpu, cpu) && !isMusl;
}

const isNative = ({ os, cpu }: Entry) => os !== undefined || cpu !== undefined;
const nameOf = (path: string) =>
  path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

for (const directory of directories) {
  const entries = entriesOf(directory);
  const lock = join(directory, "package-lock.json");

  test(`${lock} pins the content of every package for Linux on x64 and arm64`, () => {
    assert.ok(entries.length > 10);
    for (const cpu of ["x64", "arm64"]) {
      const unpinned = entries.filter(
        ([path, entry]) => runsOn(cpu, path, entry) && entry.integrity === undefined,
      );
      assert.deepEqual(
        unpinned.map(([path]) => path),
        [],
        `Without integrity for linux-${cpu}. Take a version whose native parts are all to be had, then run 'npm run lock'.`,
      );
    }
  });

  test(`${lock} has one version of each package with native parts`, () => {
    const versions = new Map<string, Set<string>>();
    const hosts = entries.filter(([, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).some((name) =>
        entries.some(([path, entry]) => nameOf(path) === name && isNative(entry)),
      ),
    );
    const parts = entries.filter(([, entry]) => isNative(entry));
    for (const [path, { version = "" }] of [...hosts, ...parts])
      versions.set(nameOf(path), (versions.get(nameOf(path)) ?? new Set()).add(version));
    const double = [...versions].filter(([, found]) => found.size > 1);
    assert.deepEqual(double, []);
  });

  test(`${lock} names no download address`, () => {
    assert.doesNotMatch(readFileSync(join(root, lock), "utf8"), /"resolved": "https?:/);
  });
}

test("every native part that this machine needs is installed", {
  skip: process.platform !== "linux",
}, () => {
  const missing = entriesOf("").filter(
    ([path, entry]) =>
      isNative(entry) &&
      runsOn(process.arch, path, entry) &&
      !existsSync(join(root, path, "package.json")),
  );
  assert.deepEqual(
    missing.map(([path]) => path),
    [],
    "Run 'npm ci' again; an optional package that cannot be fetched is left out without an error.",
  );
});
