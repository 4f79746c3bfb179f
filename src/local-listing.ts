import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { version } from "./lib/version.ts";
import type { Config } from "./model/config/config.ts";

/** What a command printed, and all that it was made of. */
type Kept = { of: string; made: Record<string, string>; text: string };

/** What a process was given. */
export type Given = {
  argv: readonly string[];
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** How wide, and for people or programs. */
  output: string;
};

/** Other words of these commands decide about files that are not looked at here. */
const unlikely = /^--(env-file|store|log-level|quality|help|offline|standalone)\b|^-h$/;

/** `tools list`, as far as what it prints can be kept. */
export function isListing(argv: readonly string[]): boolean {
  return argv[0] === "tools" && argv[1] === "list" && !argv.some((word) => unlikely.test(word));
}

/** What it printed last, where nothing that it is made of has changed; null otherwise. */
export function recallListing(given: Given): string | null {
  try {
    const { of, made, text } = JSON.parse(readFileSync(placeOf(given), "utf8")) as Kept;
    const isSame = of === keyOf(given) && Object.entries(made).every(([path, stamp]) => stampOf(path) === stamp);
    return isSame ? text : null;
  } catch {
    return null;
  }
}

/** How the files are before they are read. */
export function stampFiles(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, stampOf(path)]));
}

/** Keeps it unless a file changed meanwhile, or so shortly before that the next change may look the same. */
export function keepListing(given: Given, made: Kept["made"], text: string): void {
  if (Object.entries(made).some(([path, stamp]) => stampOf(path) !== stamp || isYoung(path))) return;
  const place = placeOf(given);
  const fresh = `${place}.${process.pid}`;
  try {
    const directory = join(place, "..");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const others = readdirSync(directory);
    if (others.length >= maxListings) for (const name of others) rmSync(join(directory, name), { force: true });
    writeFileSync(fresh, JSON.stringify({ of: keyOf(given), made, text } satisfies Kept), { mode: 0o600 });
    renameSync(fresh, place);
  } catch {
    // Without it, the next one is made again.
  }
}

/** Does what is listed depend on nothing but the files of the configuration and of the data directory? */
export function isOfFilesOnly({ manifests, store, policy, tools, servers }: Config): boolean {
  const isTimed = policy.rules.some(({ time }) => time !== undefined);
  const isOfFile = Object.values(servers).some(({ openapi = "" }) => openapi !== "" && !/^https?:/i.test(openapi));
  return manifests.length === 0 && store === "sqlite" && !isTimed && !isOfFile && Object.keys(tools).length === 0;
}

const maxYoungMs = 100;
const maxListings = 50;

function isYoung(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory() && Date.now() - found.mtimeMs < maxYoungMs;
}

/** Of a directory, its files: their names and stamps. */
function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "";
  if (!found.isDirectory()) return stamp(found);
  const names = readdirSync(path).filter((name) => !/-shm$|\.tmp$|^listings$/.test(name));
  const files = names
    .sort()
    .map((name) => {
      const inside = statSync(join(path, name), { throwIfNoEntry: false });
      return inside?.isFile() ? `${name} ${stamp(inside)}` : name;
    })
    .join("\n");
  // A listing warns of a directory that others can write into.
  return `${found.mode}\n${files}`;
}

function stamp({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
}

/** The usual place needs no home directory of its own: a listing that is not found is made again. */
function placeOf({ argv, environment }: Given): string {
  const at = argv.findIndex((word) => /^--data-dir(=|$)/.test(word));
  const said = argv[at]?.split("=", 2)[1] ?? argv[at + 1];
  const data = at < 0 || said === undefined ? null : said;
  const usual = environment.XDG_CACHE_HOME || environment.LOCALAPPDATA || join(homedir(), ".cache");
  return join(data ?? join(usual, "toolplane"), "listings", `${hash(argv.join("\0"))}.json`);
}

/** Terminals set these for each command. */
const passing = new Set(["_", "OLDPWD", "SHLVL"]);

function keyOf({ argv, directory, environment, output }: Given): string {
  const variables = Object.entries(environment).filter(([name]) => !passing.has(name));
  return JSON.stringify([version, process.getuid?.(), argv, directory, output, hash(JSON.stringify(variables.sort()))]);
}

/** Quick, and not to be turned round: it tells whether variables changed, and nothing about them. */
function hash(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b) ^ (other >>> 13);
  }
  return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
