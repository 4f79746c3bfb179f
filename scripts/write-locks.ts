import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the lock files of the project and of the packages beside it, without download addresses. Three things are put right:
 * - npm leaves out native parts of other platforms that it did not see, and `npm ci` then refuses the lock. They are added.
 * - Such entries have no hash, so `npm ci` would take any bytes for them. The registry's hash is filled in. A version that the
 *   registry does not have for every platform is refused: choose one that it has.
 * - Libraries that name a newer Node than npm's own cause warnings, although the project brings its Node. `engines` is left out.
 */
const packages = ["", "examples", "test/peers", "scripts/tools"];

type Entry = {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  optionalDependencies?: Record<string, string>;
  engines?: object;
};
type Lock = { packages: Record<string, Entry> };

const platforms = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "wasi",
  "win32",
];
const processors = [
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

for (const directory of packages) {
  const cwd = join(import.meta.dirname, "..", directory);
  execFileSync(
    "npm",
    [
      "install",
      "--package-lock-only",
      "--omit-lockfile-registry-resolved",
      "--no-audit",
      "--no-fund",
    ],
    {
      cwd,
      stdio: "inherit",
    },
  );
  const file = join(cwd, "package-lock.json");
  const lock = complete(JSON.parse(readFileSync(file, "utf8")));
  fillHashes(lock, file);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

function fillHashes({ packages: entries }: Lock, file: string): void {
  const lacking: string[] = [];
  for (const [path, entry] of Object.entries(entries)) {
    const name = path.includes("node_modules/")
      ? path.slice(path.lastIndexOf("node_modules/") + 13)
      : "";
    if (name === "" || entry.link || entry.integrity) continue;
    const integrity = hashOf(`${name}@${entry.version}`);
    if (integrity === "") lacking.push(`${name}@${entry.version}`);
    else entry.integrity = integrity;
  }
  if (lacking.length > 0)
    throw new Error(`${file}: the registry does not have ${lacking.join(", ")}.`);
}

/** From the registry that npm is configured with; empty where it has no such version. */
function hashOf(wanted: string): string {
  try {
    return execFileSync("npm", ["view", wanted, "dist.integrity"], {
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  } catch {
    return "";
  }
}

function complete(lock: Lock): Lock {
  const { "": root = {}, ...entries } = lock.packages;
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(entries)) {
    // Beside the package that wants it, where another version of it stands at the top.
    const beside = path.slice(0, path.lastIndexOf("node_modules/") + "node_modules/".length);
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const wanted = missing(name, version, dev);
      const top = entries[`node_modules/${name}`];
      if (top === undefined) entries[`node_modules/${name}`] = wanted;
      else if (
        top.version !== wanted.version &&
        path !== `node_modules/${path.slice(beside.length)}`
      )
        entries[`${beside}${name}`] ??= wanted;
    }
  }
  for (const entry of Object.values(entries)) delete entry.engines;
  const sorted = Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: { "": root, ...Object.fromEntries(sorted) } };
}

function missing(name: string, version: string, dev: boolean | undefined): Entry {
  const words = name.split(/[-/]/);
  const os = platforms.filter((platform) => words.includes(platform));
  const cpu = processors.filter((processor) => words.includes(processor));
  return {
    version: version.replace(/^[~^]/, ""),
    ...(dev ? { dev } : {}),
    optional: true,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}
