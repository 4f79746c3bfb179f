import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Given, keepListing, recallListing, stampFiles } from "./local-listing.ts";
import { endEarly, launchKey, startEarly } from "./servers/early-start.ts";

/** Where the entry of a server is written. Its values stay there: they may be secret. */
type Place = { file: string; section: string; server: string };
type Entry = Omit<Parameters<typeof startEarly>[0], "parentEnvironment">;
type Options = { args?: string; config?: string[]; dataDir?: string };

const sections = ["mcpServers", "servers"];

/**
 * Starts the server of a call before the call is loaded, where the last such call started exactly what these files say.
 * Returns what is to be done when the call has ended.
 */
export function startServerOf(given: Given, tool: string, options: Options): (isGood: boolean) => Promise<void> {
  const { args: _, ...words } = options;
  const place = words.dataDir === undefined ? [] : ["--data-dir", words.dataDir];
  const key = { ...given, argv: ["call", tool, JSON.stringify(words), ...place], output: "" };
  const kept = recallListing(key);
  const entry = kept === null ? null : readKept(kept);
  if (entry !== null) startEarly({ ...entry, parentEnvironment: given.environment });
  return async (isGood) => {
    const started = await endEarly();
    if (kept !== null || !isGood || started === undefined) return;
    const { startingFiles } = await import("./local-files.ts");
    const { config: files = [], dataDir: dataDirectory } = words;
    const deciding = startingFiles({ files, dataDirectory, directory: given.directory });
    const found = findEntry(deciding, tool, started);
    if (found !== null) keepListing(key, stampFiles(deciding), JSON.stringify(found));
  };
}

/** Entries with references, a relative command, or a container start something else than what is written, and are not found. */
function findEntry(files: readonly string[], tool: string, started: string): Place | null {
  if (files.some(pullsInOthers)) return null;
  const server = tool.slice(0, tool.indexOf("."));
  const places = files.flatMap((file) => sections.map((section) => ({ file, section, server })));
  return places.find((place) => isSame(readEntry(place), started)) ?? null;
}

/** Does the content of other files count as well? They are looked at when the configuration is read, which is too late here. */
function pullsInOthers(file: string): boolean {
  try {
    return /"(?:manifests|hooks|openapi)"|\$\{file:/.test(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}

const isSame = (entry: Entry | null, started: string) => entry !== null && launchKey(entry) === started;

function readKept(text: string): Entry | null {
  try {
    return readEntry(JSON.parse(text));
  } catch {
    return null;
  }
}

function readEntry({ file, section, server }: Place): Entry | null {
  try {
    const { [section]: entries } = JSON.parse(readFileSync(file, "utf8"));
    const { command, args = [], env = {}, cwd = dirname(file), inheritEnv } = entries[server];
    return typeof command === "string" ? { command, args, env, cwd, inheritEnv } : null;
  } catch {
    return null;
  }
}
