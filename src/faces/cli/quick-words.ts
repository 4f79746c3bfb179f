import type { GlobalOptions, McpView } from "./cli.ts";

const texts: Record<string, string> = {
  "--user": "user",
  "--persona": "persona",
  "--workspace": "workspace",
  "--compliance": "compliance",
  "--data-dir": "dataDir",
  "--log-level": "logLevel",
  "--mode": "mode",
  "--names": "names",
  "--toolset": "toolset",
  "--server": "server",
};
const lists: Record<string, string> = { "--config": "config", "--group": "group" };
const choices: Record<string, readonly string[]> = {
  "--log-level": ["error", "warn", "info", "debug"],
  "--mode": ["full", "lazy", "code"],
  "--names": ["prefixed", "bare"],
};

/**
 * Reads `mcp` and its usual options without the whole command line, which takes longer to load than a client takes to
 * attach. Null for anything else: the command line knows what to say to that.
 */
export function readMcpWords(argv: readonly string[]): (GlobalOptions & McpView) | null {
  return argv.filter((word) => word === "mcp").length === 1 ? readOptions(argv, "mcp", texts) : null;
}

/** The same for what a client starts where no plane serves; see `local-attach.ts`. */
export function readBackgroundWords(argv: readonly string[]): (GlobalOptions & { idleExit: number }) | null {
  const [command, flag, ...rest] = argv;
  if (command !== "serve" || flag !== "--background") return null;
  const { idleExit, ...options } = readOptions(rest, "", { ...texts, "--idle-exit": "idleExit" }) ?? {};
  return /^\d{1,9}$/.test(String(idleExit)) ? { ...options, idleExit: Number(idleExit) } : null;
}

export type QuickCall = { tool: string; values: string[]; options: GlobalOptions & { args?: string; yes?: boolean } };

const textsOfCalls: Record<string, string> = {
  "--user": "user",
  "--persona": "persona",
  "--workspace": "workspace",
  "--compliance": "compliance",
  "--data-dir": "dataDir",
  "--args": "args",
};
const switches: Record<string, string> = { "--json": "json", "--yes": "yes", "--standalone": "standalone" };

/** `call` with arguments and the options that nearly every call has. */
export function readCallWords(argv: readonly string[]): QuickCall | null {
  const [command, tool = "", ...rest] = argv;
  if (command !== "call" || tool === "" || tool.startsWith("-")) return null;
  const first = rest.findIndex((word) => word.startsWith("-"));
  const values = first < 0 ? rest : rest.slice(0, first);
  if (!values.every((word) => word.includes("="))) return null;
  const words = first < 0 ? [] : rest.slice(first);
  const given = words.filter((word) => switches[word] !== undefined);
  // A switch where a value is expected is for the command line to refuse.
  const options = readOptions(
    words.filter((word) => switches[word] === undefined),
    "",
    textsOfCalls,
  );
  const isPaired = words.every((word, at) => switches[word] === undefined || !isOpen(words[at - 1]));
  if (options === null || !isPaired) return null;
  return { tool, values, options: { ...options, ...Object.fromEntries(given.map((word) => [switches[word], true])) } };
}

/** An option that waits for its value. */
function isOpen(word = ""): boolean {
  return textsOfCalls[word] !== undefined || lists[word] !== undefined;
}

function readOptions(
  argv: readonly string[],
  command: string,
  known: Readonly<Record<string, string>>,
): Record<string, string | string[]> | null {
  const options: Record<string, string | string[]> = {};
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === command) continue;
    const [, name, joined] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) return null;
    const value = joined ?? argv[++at];
    if (value === undefined || value === "" || value.startsWith("-")) return null;
    if (choices[name]?.includes(value) === false) return null;
    const [text, list] = [known[name], lists[name]];
    if (text !== undefined) options[text] = value;
    else if (list !== undefined) options[list] = [...(options[list] ?? []), value];
    else return null;
  }
  return options;
}
