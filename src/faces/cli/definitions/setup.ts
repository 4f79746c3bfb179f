import { InvalidArgumentError } from "commander";
import { collect, type Run, type Verb } from "./parts.ts";

const bodies = {
  init: () => import("../commands/init.ts"),
  clients: () => import("../commands/clients.ts"),
  servers: () => import("../commands/servers.ts"),
  explain: () => import("../commands/explain.ts"),
  config: () => import("../commands/config.ts"),
  keys: () => import("../commands/keys.ts"),
  state: () => import("../commands/state.ts"),
};

/** Getting and keeping it configured: `init`, `import`, `connect`, `disconnect`, `config`, `doctor`. */
export function addSetupCommands(program: Verb, run: Run): void {
  program
    .verb("init", "write a starter configuration; asks on a terminal")
    .option("--force", "replace a file that is already there")
    .option("--to <file>", "the file to write", "toolplane.json")
    .option("--yes", "ask nothing")
    .examples("init", "init --yes --to .mcp.json")
    .action(run(bodies.init, "init"));
  program
    .verb("import", "take over the servers of other MCP clients")
    .argument("[client...]", "all clients when none is named")
    .option("--dry-run", "show what would be imported")
    .option("--to <file>", "the file to write; default: toolplane.json")
    .examples("import --dry-run", "import cursor vscode")
    .action(run(bodies.clients, "importClients"));
  addClientCommands(program, run);
  program
    .verb("doctor", "examine a server, or all of them, and say what to try first")
    .argument("[server]")
    .examples("doctor", "doctor filesystem --json")
    .action(run(bodies.servers, "runDoctor"));
  program
    .verb("explain", "explain an error code: what happened and what to do")
    .argument("[code]", "the code behind a message, such as TIMEOUT; all codes when left out")
    .examples("explain", "explain TIMEOUT", "explain PLAN_QUEUED --json")
    .action(run(bodies.explain, "explainError"));
  addConfigCommands(program.verb("config", "the configuration itself"), run);
}

function addClientCommands(program: Verb, run: Run): void {
  program
    .verb("connect", "move a client's servers into Toolplane and make Toolplane the client's server; keeps a backup")
    .argument("[client]", "without one, lists the clients")
    .option("--keep", "leave the client's servers where they are")
    .option("--project", "write the client's file of this project")
    .option("--global", "write the client's file for all projects")
    .option("--dry-run", "show what would be changed")
    .option("--to <file>", "the configuration that takes the servers")
    .option("--yes", "ask nothing; without a terminal nothing is asked anyway")
    .examples("connect", "connect cursor --dry-run", "connect claude-code --project")
    .action(run(bodies.clients, "connectClient"));
  program
    .verb("disconnect", "give a client its servers back and take Toolplane out; what you changed since stays")
    .argument("<client>")
    .option("--remove", "take the moved servers out of Toolplane's configuration as well")
    .option("--project", "the client's file of this project")
    .option("--global", "the client's file for all projects")
    .examples("disconnect claude-code", "disconnect cursor --remove")
    .action(run(bodies.clients, "disconnectClient"));
}

function addConfigCommands(config: Verb, run: Run): void {
  config
    .verb("validate", "all problems of all files; exit code 1 when there are errors")
    .option("--strict", "warnings count as errors")
    .examples("config validate", "config validate --config .mcp.json --json")
    .action(run(bodies.config, "validateConfig"));
  config
    .verb("show", "what was understood, with secrets masked")
    .examples("config show")
    .action(run(bodies.config, "showConfig"));
  config
    .verb("explain", "a value with the file and line it comes from")
    .argument("<key>", "for example filesystem.timeoutMs, or filesystem for all of it")
    .examples("config explain filesystem", "config explain policy.profile")
    .action(run(bodies.config, "explainConfig"));
  config
    .verb("schema", "the JSON Schema of the native configuration")
    .examples("config schema > toolplane.schema.json")
    .action(run(bodies.config, "printSchema"));
}

export function addKeyCommands(program: Verb, run: Run): void {
  const keys = program.verb("keys", "API keys for people and programs that call over HTTP");
  keys
    .verb("create", "make a key for --user, --group and --persona; it is shown once")
    .argument("<name>", "what it is for")
    .option("--key-persona <name>", "calls with this key use this persona")
    .option("--scope <scope>", "read, call, admin or *; repeatable, call when left out", collect)
    .option("--workspace <name>", "the workspace it is for")
    .option("--tool-group <name>", "a group of tools it may ask for; repeatable, * for all", collect)
    .option("--expires <time>", "12h, 30d, 1y or a date; never when left out", toMoment)
    .examples(
      "keys create laptop",
      "keys create ci --user build@example.org --group ops --expires 30d",
      "keys create dashboard --scope read --json",
    )
    .action(run(bodies.keys, "createKey"));
  keys
    .verb("list", "every key, whose it is and when it was used last")
    .examples("keys list", "keys list --json")
    .action(run(bodies.keys, "listKeys"));
  keys
    .verb("revoke", "revoke a key")
    .argument("<id>", "as 'keys list' shows it")
    .option("--forget", "take its record away, too")
    .examples("keys revoke 3f9a01c2de")
    .action(run(bodies.keys, "revokeKey"));
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;

export function toMoment(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([mhdwy])$/.exec(text.trim()) ?? [];
  const at =
    amount === undefined
      ? new Date(/^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? text.trim() : Number.NaN)
      : new Date(Date.now() + Number(amount) * unitMs[unit as keyof typeof unitMs]);
  if (Number.isNaN(at.getTime()) || at.getTime() <= Date.now())
    throw new InvalidArgumentError(
      "Give a time from now such as 12h, 30d or 1y, or a date to come such as 2030-01-31.",
    );
  return at.toISOString();
}

export function addStateCommands(program: Verb, run: Run): void {
  const state = program.verb("state", "take everything that is stored from one store to another");
  state
    .verb("export", "write the whole state as lines of JSON, to a file or to standard output")
    .argument("[file]", "standard output when left out or -")
    .examples("state export state.jsonl", "state export | gzip > state.jsonl.gz")
    .action(run(bodies.state, "exportState"));
  state
    .verb("import", "take an export into an empty store")
    .argument("<file>")
    .option("--dry-run", "check the file and the store, and change nothing")
    .examples("state import state.jsonl --store postgres://…", "state import state.jsonl --dry-run")
    .action(run(bodies.state, "importState"));
}
