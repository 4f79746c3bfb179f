import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode } from "./command-parts.ts";

/** Getting and keeping it configured: `init`, `import`, `connect`, `disconnect`, `config`, `doctor`. */
export function addSetupCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  program
    .command("init")
    .description("write a starter configuration; asks on a terminal")
    .option("--force", "replace a file that is already there")
    .option("--to <file>", "the file to write", "toolplane.json")
    .option("--yes", "ask nothing")
    .addHelpText("after", examples("init", "init --yes --to .mcp.json"))
    .action(async (_, command: Command) => (await import("./init.ts")).init(cli, command.optsWithGlobals()));
  program
    .command("import")
    .description("take over the servers of other MCP clients")
    .argument("[client...]", "all clients when none is named")
    .option("--dry-run", "show what would be imported")
    .option("--to <file>", "the file to write; default: toolplane.json")
    .addHelpText("after", examples("import --dry-run", "import cursor vscode"))
    .action(async (clients: string[], _, command: Command) =>
      (await import("./clients.ts")).importClients(cli, clients, command.optsWithGlobals()),
    );
  addClientCommands(program, cli);
  program
    .command("doctor")
    .description("examine a server, or all of them, and say what to try first")
    .argument("[server]")
    .addHelpText("after", examples("doctor", "doctor filesystem --json"))
    .action(async (server: string | undefined, _, command: Command) =>
      setExitCode(await (await import("./doctor.ts")).runDoctor(cli, server, command.optsWithGlobals())),
    );
  program
    .command("explain")
    .description("explain an error code: what happened and what to do")
    .argument("[code]", "the code behind a message, such as TIMEOUT; all codes when left out")
    .addHelpText("after", examples("explain", "explain TIMEOUT", "explain PLAN_QUEUED --json"))
    .action(async (code: string | undefined, _, command: Command) =>
      (await import("./explain.ts")).explainError(code, command.optsWithGlobals()),
    );
  addConfigCommands(program.command("config").description("the configuration itself"), cli, setExitCode);
}

function addClientCommands(program: Command, cli: Cli): void {
  program
    .command("connect")
    .description("move a client's servers into Toolplane and make Toolplane the client's server; keeps a backup")
    .argument("[client]", "without one, lists the clients")
    .option("--keep", "leave the client's servers where they are")
    .option("--project", "write the client's file of this project")
    .option("--global", "write the client's file for all projects")
    .option("--dry-run", "show what would be changed")
    .option("--to <file>", "the configuration that takes the servers")
    .option("--yes", "ask nothing; without a terminal nothing is asked anyway")
    .addHelpText("after", examples("connect", "connect cursor --dry-run", "connect claude-code --project"))
    .action(async (client: string | undefined, _, command: Command) =>
      (await import("./clients.ts")).connectClient(cli, client, command.optsWithGlobals()),
    );
  program
    .command("disconnect")
    .description("give a client its servers back and take Toolplane out; what you changed since stays")
    .argument("<client>")
    .option("--remove", "take the moved servers out of Toolplane's configuration as well")
    .option("--project", "the client's file of this project")
    .option("--global", "the client's file for all projects")
    .addHelpText("after", examples("disconnect claude-code", "disconnect cursor --remove"))
    .action(async (client: string, _, command: Command) =>
      (await import("./clients.ts")).disconnectClient(cli, client, command.optsWithGlobals()),
    );
}

function addConfigCommands(config: Command, cli: Cli, setExitCode: SetExitCode): void {
  config
    .command("validate")
    .description("all problems of all files; exit code 1 when there are errors")
    .option("--strict", "warnings count as errors")
    .addHelpText("after", examples("config validate", "config validate --config .mcp.json --json"))
    .action(async (_, command: Command) =>
      setExitCode(await (await import("./config.ts")).validateConfig(cli, command.optsWithGlobals())),
    );
  config
    .command("show")
    .description("what was understood, with secrets masked")
    .addHelpText("after", examples("config show"))
    .action(async (_, command: Command) => (await import("./config.ts")).showConfig(cli, command.optsWithGlobals()));
  config
    .command("explain")
    .description("a value with the file and line it comes from")
    .argument("<key>", "for example filesystem.timeoutMs, or filesystem for all of it")
    .addHelpText("after", examples("config explain filesystem", "config explain policy.profile"))
    .action(async (key: string, _, command: Command) =>
      (await import("./config.ts")).explainConfig(cli, key, command.optsWithGlobals()),
    );
  config
    .command("schema")
    .description("the JSON Schema of the native configuration")
    .addHelpText("after", examples("config schema > toolplane.schema.json"))
    .action(async (_, command: Command) => (await import("./config.ts")).printSchema(cli, command.optsWithGlobals()));
}
