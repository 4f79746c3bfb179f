import type { GlobalOptions, McpView } from "./cli.ts";

const texts = {
  "--user": "user",
  "--persona": "persona",
  "--compliance": "compliance",
  "--data-dir": "dataDir",
  "--log-level": "logLevel",
  "--mode": "mode",
  "--names": "names",
  "--toolset": "toolset",
  "--server": "server",
} as const satisfies Record<string, keyof (GlobalOptions & McpView)>;
const lists = { "--config": "config", "--group": "group" } as const;
const choices: Record<string, readonly string[]> = {
  "--log-level": ["error", "warn", "info", "debug"],
  "--mode": ["full", "lazy"],
  "--names": ["prefixed", "bare"],
};

/**
 * Reads `mcp` and its usual options without the whole command line, which takes longer to load than a client takes to
 * attach. Null for anything else: the command line knows what to say to that.
 */
export function readMcpWords(argv: readonly string[]): (GlobalOptions & McpView) | null {
  if (!argv.includes("mcp")) return null;
  const options: Record<string, string | string[]> = {};
  let commands = 0;
  for (let at = 0; at < argv.length; at++) {
    const [, name, joined] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(argv[at] ?? "") ?? [];
    if (name === undefined) {
      if (argv[at] !== "mcp") return null;
      commands += 1;
      continue;
    }
    const value = joined ?? argv[++at];
    if (value === undefined || value === "" || value.startsWith("-")) return null;
    if (Object.hasOwn(choices, name) && !choices[name]?.includes(value)) return null;
    if (Object.hasOwn(texts, name)) options[texts[name as keyof typeof texts]] = value;
    else if (Object.hasOwn(lists, name)) {
      const key = lists[name as keyof typeof lists];
      options[key] = [...(options[key] ?? []), value];
    } else return null;
  }
  return commands === 1 ? options : null;
}
