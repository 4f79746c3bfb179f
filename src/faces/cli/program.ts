import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { Command, InvalidArgumentError, Option } from "commander";
import { fileErrorText } from "../../lib/files.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { version } from "../../lib/version.ts";
import { policyModes } from "../../model/calls/call.ts";
import { addAgentCommands } from "./agent-commands.ts";
import { addApprovalCommands } from "./approval-commands.ts";
import { addBatchCommands } from "./batch-commands.ts";
import { addCallCommands } from "./call-commands.ts";
import { addCallHistoryCommands } from "./call-history-commands.ts";
import type { Cli } from "./cli.ts";
import { collect, examples, type SetExitCode, withWorkFilters } from "./command-parts.ts";
import { addDeadLetterCommands } from "./dead-letter-commands.ts";
import { arrangeHelp } from "./help-sections.ts";
import { addJobCommands } from "./job-commands.ts";
import { addKeyCommands } from "./key-commands.ts";
import { addLintCommands } from "./lint-commands.ts";
import { addOfferCommands } from "./offer-commands.ts";
import { silenceWarnings } from "./output.ts";
import { addPlanCommands } from "./plan-commands.ts";
import { addSearchCommands } from "./search-commands.ts";
import { addServerCommands } from "./server-commands.ts";
import { addSetupCommands } from "./setup-commands.ts";
import { addSkillCommands } from "./skill-commands.ts";
import { terminal } from "./terminal.ts";
import { addToolCommands } from "./tool-commands.ts";
import { addToolEditCommands } from "./tool-edit-commands.ts";
import { throwAsUsageError, usageError } from "./usage-error.ts";

const faces = ["cli", "http", "mcp", "workbench", "library", "agent"];

/** What the policy says. */
function addPolicyCommands(program: Command, cli: Cli): void {
  program
    .command("policy")
    .description("what may run, what is asked about and what is refused")
    .command("test")
    .description("what the policy says about a call, without making it")
    .argument("<tool>", "the tool, in any spelling")
    .argument("[values...]", "key=value or key:=json")
    .option("--args <json>", "arguments as JSON, @FILE, or - for standard input")
    .addOption(new Option("--face <face>", "as if called through this").choices(faces).default("cli"))
    .addOption(new Option("--mode <mode>", "as if in this mode, where it is the stricter").choices(policyModes))
    .addHelpText("after", examples("policy test git.push branch=main", "policy test git.push --face mcp --json"))
    .action(async (tool: string, values: string[], _, command: Command) =>
      (await import("./policy-verdict.ts")).testPolicy(cli, tool, values, command.optsWithGlobals()),
    );
}

/** Variables that are set already stay as they are; of several files the later one wins. */
const ours = new Set<string>();

/** Reads variables from a file, for the `${NAME}` of configurations. */
function loadEnvFile(file: string, earlier: readonly string[] = []): string[] {
  for (const [name, value] of Object.entries(parseEnv(read(file)))) {
    if (terminal.env[name] !== undefined && !ours.has(name)) continue;
    terminal.env[name] = value;
    ours.add(name);
  }
  return [...earlier, file];
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new InvalidArgumentError(`The file cannot be read: ${fileErrorText(thrown)}.`);
  }
}

/** How much a command tells on standard error beside its answer and its errors. */
const logLevels = ["error", "warn", "info", "debug"] as const;
type LogLevel = (typeof logLevels)[number];

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((one) => one === text);
  if (level === undefined) throw new InvalidArgumentError(`Give one of ${logLevels.join(", ")}.`);
  if (level === "error") silenceWarnings();
  return level;
}

/** The verbs. Each one's work is loaded when it is called, so that help and short commands stay quick. */
export function createProgram(cli: Cli, setExitCode: SetExitCode, writeErr: (text: string) => void): Command {
  const program = new Command("toolplane")
    .description("Every MCP server in one catalogue, every call on one path.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help of a command")
    .option("--config <file>", "configuration file; repeatable, later ones win", collect)
    .option("--json", "print exactly one JSON document")
    .option("--user <name>", "call as this user")
    .option("--group <name>", "call as a member of this group; repeatable", collect)
    .option("--persona <name>", "call as this persona")
    .option("--compliance <level>", "the level of the data you work with")
    .option("--data-dir <directory>", "where state is kept")
    .option("--store <url>", "'sqlite' or 'postgres://…', in the place of the configured one")
    .option("--env-file <file>", "variables for ${NAME} in configurations; repeatable", loadEnvFile)
    .option("--log-level <level>", `log level: ${logLevels.join(", ")}`, parseLogLevel)
    .option("--offline", "start no servers; use the cached catalogue")
    .option("--standalone", "do not use a plane that serves already")
    .addHelpText("after", examples("import --dry-run", "tools list", "call demo.greet name=Ann", "serve --open"))
    .showSuggestionAfterError();
  addToolCommands(program, cli);
  addSearchCommands(program, cli);
  addToolEditCommands(program, cli);
  addLintCommands(program, cli, setExitCode);
  addPinCommands(program, cli);
  addSkillCommands(program, cli, setExitCode);
  addTaskCommands(program, cli);
  addJobCommands(program, cli, setExitCode);
  addCallCommands(program, cli, setExitCode);
  addBatchCommands(program, cli, setExitCode);
  addAgentCommands(program, cli, setExitCode);
  addCallHistoryCommands(program, cli, setExitCode);
  addResultCommands(program, cli);
  addApprovalCommands(program, cli, setExitCode);
  addPlanCommands(program, cli, setExitCode);
  addPolicyCommands(program, cli);
  addServerCommands(program, cli, setExitCode);
  addOfferCommands(program, cli);
  addDeadLetterCommands(program, cli, setExitCode);
  addKeyCommands(program, cli);
  addStateCommands(program, cli, setExitCode);
  addSetupCommands(program, cli, setExitCode);
  addHelpCommand(program);
  arrangeHelp(program);
  for (const command of withChildren(program)) {
    command
      .exitOverride((thrown) => throwAsUsageError(thrown, command))
      .configureOutput({
        writeErr,
        writeOut: (text) => void terminal.stdout.write(text),
        getOutHelpWidth: () => (terminal.stdout.isTTY ? (terminal.stdout.columns ?? 80) : 80),
        outputError: () => undefined,
      });
  }
  return program;
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)];
}

/** What jobs are made of: `tasks`. */
function addTaskCommands(program: Command, cli: Cli): void {
  const tasks = program.command("tasks").description("pieces of work, and when each counts as done");
  withWorkFilters(tasks.command("list"))
    .description("every task that is there for you, or for the personas that are meant")
    .addHelpText("after", examples("tasks list", "tasks list --query report --json"))
    .action(async (_, command: Command) => (await import("./tasks.ts")).listTasks(cli, command.optsWithGlobals()));
  tasks
    .command("show")
    .description("one task: its skills, what it needs and when it is done")
    .argument("<name>", "its name")
    .addHelpText("after", examples("tasks show gather"))
    .action(async (name: string, _, command: Command) =>
      (await import("./tasks.ts")).showTask(cli, name, command.optsWithGlobals()),
    );
}

/** `help tools lint`. The library's own looks at one word only, and says nothing about one that it does not know. */
function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command("help")
    .description("show help of a command")
    .argument("[command...]")
    .addHelpText("after", examples("help", "help tools lint"))
    .action((words: string[]) => words.reduce(verbOf, program).outputHelp());
}

function verbOf(command: Command, word: string): Command {
  const found = command.commands.find((verb) => verb.name() === word);
  if (found) return found;
  const [guess] = nearest(
    word,
    command.commands.map((verb) => verb.name()),
  );
  const hint = guess === undefined ? "" : ` (Did you mean ${guess}?)`;
  throw usageError(`Unknown command '${word}'${hint}`, command);
}

function addStateCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const state = program.command("state").description("take everything that is stored from one store to another");
  state
    .command("export")
    .description("write the whole state as lines of JSON, to a file or to standard output")
    .argument("[file]", "standard output when left out or -")
    .addHelpText("after", examples("state export state.jsonl", "state export | gzip > state.jsonl.gz"))
    .action(async (file: string | undefined, _, command: Command) =>
      setExitCode(await (await import("./state.ts")).exportState(cli, file, command.optsWithGlobals())),
    );
  state
    .command("import")
    .description("take an export into an empty store")
    .argument("<file>")
    .option("--dry-run", "check the file and the store, and change nothing")
    .addHelpText(
      "after",
      examples("state import state.jsonl --store postgres://…", "state import state.jsonl --dry-run"),
    )
    .action(async (file: string, _, command: Command) =>
      setExitCode(await (await import("./state.ts")).importState(cli, file, command.optsWithGlobals())),
    );
}

/** The definitions of tools that are taken for good. */
function addPinCommands(program: Command, cli: Cli): void {
  const verbs = () => import("./pins.ts");
  const pins = program.command("pins").description("definitions of tools that are taken for good");
  pins
    .command("list")
    .description("how the definitions of today stand to those that were first seen or accepted")
    .option("--server <name>", "only the tools of this server")
    .option("--status <status>", "only these: pinned, changed, new or rejected")
    .addHelpText("after", examples("pins list", "pins list --status changed --json"))
    .action(async (_, command: Command) => (await verbs()).listPins(cli, command.optsWithGlobals()));
  pins
    .command("diff")
    .description("what is different from what was pinned")
    .argument("<name>", "the tool, in any spelling")
    .addHelpText("after", examples("pins diff demo.greet"))
    .action(async (name: string, _, command: Command) => (await verbs()).diffPin(cli, name, command.optsWithGlobals()));
  for (const [verb, description] of [
    ["accept", "take the definition of today for good"],
    ["reject", "hold the tool back until its definition is the pinned one again, or accepted"],
  ] as const) {
    pins
      .command(verb)
      .description(description)
      .argument("<name>", "the tool, in any spelling")
      .option("--reason <text>", "why, for whoever looks later")
      .addHelpText("after", examples(`pins ${verb} demo.greet --reason 'read the release notes'`))
      .action(async (name: string, _, command: Command) =>
        (await verbs()).decidePin(cli, name, verb, command.optsWithGlobals()),
      );
  }
}

/** Results that were too large to be shown whole. */
function addResultCommands(program: Command, cli: Cli): void {
  const verbs = () => import("./results.ts");
  const results = program.command("results").description("large results that are kept for a while");
  results
    .command("get")
    .description("one of them, whole or in parts")
    .argument("<id>", "the id that was given in its place")
    .option("--offset <number>", "where to begin: a character, a line or a match")
    .option("--limit <number>", "at most so many of them; everything when left out")
    .option(
      "--path <path>",
      "only this part of JSON: items.0.name or /items/0/name; '$result' is the result as it came",
    )
    .option("--grep <pattern>", "only lines in which this is found, with those around them")
    .option("--lines", "count lines instead of characters")
    .addHelpText(
      "after",
      examples(
        "results get r_0123456789abcdef0123",
        "results get r_0123456789abcdef0123 --path items.0",
        "results get r_0123456789abcdef0123 --grep 'ERROR|WARN' --limit 20",
      ),
    )
    .action(async (id: string, _, command: Command) => (await verbs()).getResult(cli, id, command.optsWithGlobals()));
  results
    .command("list")
    .description("what is kept, newest first")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .addHelpText("after", examples("results list", "results list --json"))
    .action(async (_, command: Command) => (await verbs()).listResults(cli, command.optsWithGlobals()));
}
