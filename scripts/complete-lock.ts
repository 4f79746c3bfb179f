import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A registry that offers only this platform's packages makes npm write a lock file which `npm ci` then
 * refuses, because the optional packages of other platforms are missing from it. This adds them.
 */
type Entry = {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  cpu?: string[];
  os?: string[];
  optionalDependencies?: Record<string, string>;
};

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

const file = join(import.meta.dirname, "..", "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };
const { "": root = {}, ...packages } = lock.packages;
for (const [path, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
  // Beside the package that wants it, where another version of it stands at the top.
  const beside = path.slice(0, path.lastIndexOf("node_modules/") + "node_modules/".length);
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const wanted = missing(name, version, dev);
    const top = packages[`node_modules/${name}`];
    if (top === undefined) packages[`node_modules/${name}`] = wanted;
    else if (top.version !== wanted.version && path !== `node_modules/${path.slice(beside.length)}`)
      packages[`${beside}${name}`] ??= wanted;
  }
}
const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(
  file,
  `${JSON.stringify({ ...lock, packages: { "": root, ...Object.fromEntries(sorted) } }, null, 2)}\n`,
);

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
