import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Command, CommanderError, InvalidArgumentError } from "commander";
import { fileErrorText } from "../../lib/files.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { shellQuote } from "../../lib/text/shell.ts";
import { sentence } from "../../lib/text/wording.ts";
import { version } from "../../lib/version.ts";
import { errorTable, PlaneError } from "../../model/errors.ts";
import type { CommandForm } from "../../operations/command-form.ts";
import { commandBodies } from "./bodies.ts";
import type { Cli, CommandLine } from "./cli.ts";
import { operationCommands } from "./command-table.ts";
import type { AddCommands } from "./extensions/added-commands.ts";
import { helpSections, ownCommands } from "./own-commands.ts";
import { runReported } from "./run-reported.ts";
import { printStatus, silenceWarnings } from "./terminal/output.ts";
import { terminal } from "./terminal/terminal.ts";
import { addCommand, appendValue, CommandNode } from "./verb.ts";

/** What is wrong with the words of a command, and which help explains them. */
function usageError(message: string, command: Command): PlaneError {
  const sentenceText = message.replace(/^error: /, "").replaceAll(/(?<!\s)\s*\n/g, " ");
  const capitalized = `${sentenceText.charAt(0).toUpperCase()}${sentenceText.slice(1)}`;
  return new PlaneError("USAGE", `${sentence(capitalized)} See '${wordsOf(command)} --help'.`);
}

/** Help that was asked for, and help instead of a missing verb, are no mistakes and stay what they are. */
function throwAsUsageError(thrown: CommanderError, command: Command): never {
  const isHelp = thrown.exitCode === 0 || thrown.code === "commander.help";
  if (isHelp) throw thrown;
  const otherName = thrown.code === "commander.unknownCommand" ? otherWord(command) : null;
  if (otherName !== null)
    throw usageError(
      `${thrown.message.replace(/(?<!\s)\s*\(Did you mean.*|\.$/s, "")} (Did you mean ${otherName}?)`,
      command,
    );
  const pair = thrown.code === "commander.unknownOption" ? argumentPair(command) : null;
  if (pair === null) throw usageError(thrown.message, command);
  throw usageError(
    `'${wordsOf(command)}' has no option --${pair.name}. Write tool arguments as ${pair.text}`,
    command,
  );
}

/** What other programs call a verb of ours: no misspelling leads there. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  refresh: ["reload", "reconnect"],
  connect: ["start", "up"],
  disconnect: ["stop", "down", "kill"],
  remove: ["delete", "rm", "uninstall"],
  delete: ["remove", "rm"],
  list: ["ls", "all"],
  show: ["get", "info", "describe", "inspect"],
  add: ["install", "new", "create"],
};

/** What they call a command of ours that stands under a noun. */
const otherCommands: Readonly<Record<string, readonly string[]>> = {
  serve: ["start", "up", "run", "daemon"],
  "servers list": ["list", "ls", "status", "ps"],
  "servers show": ["show", "get", "info", "describe", "inspect"],
  "servers remove": ["remove", "rm", "delete", "uninstall"],
  "servers login": ["login", "auth"],
  "servers logs": ["logs"],
  "config validate": ["validate", "check"],
  add: ["install", "new", "create"],
};

function otherWord(command: Command): string | null {
  const typedVerb = command.args[0] ?? "";
  if (command.parent === null)
    return (
      Object.keys(otherCommands).find((name) => otherCommands[name]?.includes(typedVerb)) ?? null
    );
  const verbs = command.commands.map((verb) => verb.name());
  return (
    verbs.find(
      (verb) => Object.hasOwn(otherWords, verb) && otherWords[verb]?.includes(typedVerb),
    ) ?? null
  );
}

/** `--message hi` behind `call` is what other programs call an argument of the tool. */
function argumentPair(command: Command): { name: string; text: string } | null {
  if (command.registeredArguments.at(-1)?.name() !== "values") return null;
  const typed = rootOf(command).rawArgs;
  const knownFlags = [...command.options, ...rootOf(command).options].flatMap(
    ({ long }) => long ?? [],
  );
  const index = typed.findIndex((argument) => {
    const [flag = ""] = argument.split("=");
    return argument.startsWith("--") && argument !== "--" && !knownFlags.includes(flag);
  });
  const [, name, attached] = /^--([^=]+)=?(.*)$/s.exec(typed[index] ?? "") ?? [];
  if (name === undefined || nearest(`--${name}`, knownFlags, 1).length > 0) return null;
  const value = attached || typed[index + 1];
  const isMissing = value === undefined || (!attached && value.startsWith("-"));
  return { name, text: `${name}=${isMissing ? "VALUE" : shellQuote(value)}` };
}

function rootOf(command: Command): Command & { rawArgs: string[] } {
  if (command.parent !== null) return rootOf(command.parent);
  return command as Command & { rawArgs: string[] };
}

function wordsOf(command: Command): string {
  const name = command.name();
  return command.parent === null ? name : `${wordsOf(command.parent)} ${name}`;
}

/** Variables that are set already stay as they are; of several files the later one wins. */
const loadedNames = new Set<string>();

function loadEnvFile(file: string, earlier: readonly string[] = []): string[] {
  for (const [name, value] of Object.entries(parseEnv(readEnvFile(file)))) {
    if (terminal.env[name] !== undefined && !loadedNames.has(name)) continue;
    terminal.env[name] = value;
    loadedNames.add(name);
  }
  return [...earlier, file];
}

function readEnvFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new InvalidArgumentError(`The file cannot be read: ${fileErrorText(thrown)}.`);
  }
}

const logLevels = ["error", "warn", "info", "debug"] as const;
type LogLevel = (typeof logLevels)[number];

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((candidate) => candidate === text);
  if (level === undefined) throw new InvalidArgumentError(`Give one of ${logLevels.join(", ")}.`);
  if (level === "error") silenceWarnings();
  return level;
}

/**
 * The verbs, or only the one that `argv` asks for. Each one's work is loaded when it is called, so that help and short
 * commands stay quick.
 */
export function createProgram(
  cli: Cli,
  setExitCode: (code: number) => void,
  writeErr: (text: string) => void,
  argv: readonly string[] = [],
  addMore: AddCommands = () => undefined,
): CommandNode {
  const program = new CommandNode("toolplane")
    .description("Every MCP server in one catalogue, every call on one path.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help of a command")
    .option("--config <file>", "configuration file; repeatable, later ones win", appendValue)
    .option("--json", "print exactly one JSON document")
    .option("--user <name>", "call as this user")
    .option("--group <name>", "call as a member of this group; repeatable", appendValue)
    .option("--persona <name>", "call as this persona")
    .option("--workspace <name>", "call from this workspace")
    .option("--compliance <level>", "the level of the data you work with")
    .option("--data-dir <directory>", "where state is kept")
    .option("--store <url>", "'sqlite' or 'postgres://…', instead of the configured one")
    .option("--env-file <file>", "variables for ${NAME} in configurations; repeatable", loadEnvFile)
    .option("--log-level <level>", `log level: ${logLevels.join(", ")}`, parseLogLevel)
    .option("--offline", "start no servers; use the cached catalogue")
    .option("--standalone", "do not use a plane that serves already")
    .examples("import --dry-run", "tools list", "call demo.greet name=Ann", "serve --open")
    .addHelpText("after", "Extensions add commands; 'toolplane extensions list' shows them.\n")
    .showSuggestionAfterError();
  const askedName = askedVerb(program, argv);
  const forms = [...ownCommands, ...operationCommands].filter(
    (form) => askedName === null || verbIn(form) === askedName,
  );
  for (const form of inOrder(forms))
    addCommand(program, form, createAction(cli, form, setExitCode));
  // What is added has options of its own.
  program.commands.find((verb) => verb.name() === "add")?.allowUnknownOption();
  addMore(program);
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

const verbIn = ({ command }: Pick<CommandForm, "command">) => command.split(" ", 1)[0] ?? "";

/** Null where a list of all verbs is needed: for help, for a mistake and for a shell that completes words. */
function askedVerb(program: CommandNode, argv: readonly string[]): string | null {
  let index = 0;
  for (; argv[index]?.startsWith("-"); index++) {
    const [name, value] = argv[index]?.split("=", 2) ?? [];
    const option = program.options.find(({ long }) => long === name);
    if (option === undefined) return null;
    if (option.required && value === undefined) index += 1;
  }
  const verb = argv[index] ?? null;
  return [...ownCommands, ...operationCommands].some((form) => verbIn(form) === verb) ? verb : null;
}

/** As their bodies are; those without one come last. */
function inOrder(forms: readonly CommandForm[]): CommandForm[] {
  const positions = new Map(Object.keys(commandBodies).map((command, index) => [command, index]));
  const positionOf = ({ command }: CommandForm) => positions.get(command) ?? positions.size;
  return forms.toSorted((first, second) => positionOf(first) - positionOf(second));
}

/** The body of a command gets its arguments and, last, all options. */
function createAction(
  cli: Cli,
  { command, looks }: CommandForm,
  setExitCode: (code: number) => void,
) {
  return async (...args: unknown[]) => {
    const options = (args.at(-1) as Command).optsWithGlobals();
    const body =
      (await commandBodies[command]?.()) ??
      (await import("./run-operation.ts")).runCommandOf(command);
    const code = await body(
      looks ? looking(cli) : cli,
      ...(args.slice(0, -2) as never[]),
      options as never,
    );
    if (typeof code === "number") setExitCode(code);
  };
}

/** It leaves nothing behind where Toolplane was never set up. */
function looking(cli: Cli): Cli {
  return { ...cli, openPlane: (options) => cli.openPlane({ ...options, looks: true }) };
}

/** Puts every verb under its heading, in the order in which a person needs them. */
function arrangeHelp(program: CommandNode): void {
  const order = Object.values(helpSections).flatMap((verbs) => verbs.split(" "));
  for (const verb of program.commands) {
    const heading = Object.keys(helpSections).find((key) =>
      helpSections[key]?.split(" ").includes(verb.name()),
    );
    if (heading !== undefined) verb.helpGroup(`${heading}:`);
  }
  const positionOf = (command: Command) => order.indexOf(command.name());
  program.configureHelp({
    visibleCommands: ({ commands }) =>
      commands.toSorted((first, second) => positionOf(first) - positionOf(second)),
    groupItems: (_, inOrder, headingOf) => Map.groupBy(inOrder, headingOf),
  });
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)];
}

/** `help tools lint`. The library's own looks at one word only, and says nothing about one that it does not know. */
function addHelpCommand(program: CommandNode): void {
  program
    .helpCommand(false)
    .command("help")
    .description("show help of a command")
    .argument("[command...]")
    .examples("help", "help tools lint")
    .action((path: string[]) => path.reduce(verbOf, program).outputHelp());
}

function verbOf(command: Command, name: string): Command {
  const inner = command.commands.find((verb) => verb.name() === name);
  if (inner) return inner;
  const [likeliest] = nearest(
    name,
    command.commands.map((verb) => verb.name()),
  );
  const hint = likeliest === undefined ? "" : ` (Did you mean ${likeliest}?)`;
  throw usageError(`Unknown command '${name}'${hint}`, command);
}

export function runCli(cli: Cli): Promise<number> {
  return runReported(cli, () => runTyped(cli));
}

/** Its exit code. Rejects with what went wrong. */
async function runTyped(cli: Cli): Promise<number> {
  let exitCode = 0;
  let written = "";
  const create = (addMore?: AddCommands) =>
    createProgram(
      { ...cli, commandLine },
      (code) => {
        exitCode = code;
      },
      (text) => {
        written += text;
      },
      cli.argv,
      addMore,
    );
  const parse = async (program: CommandNode, typed: string[]) => {
    try {
      await program.parseAsync(typed, { from: "user" });
      return exitCode;
    } catch (thrown) {
      if (!(thrown instanceof CommanderError)) throw thrown;
      if (thrown.exitCode === 0) return 0;
      if (thrown.code !== "commander.help" || cli.argv.includes("--json")) throw verbMissing;
      printStatus(written.trimEnd());
      return errorTable.USAGE.exit;
    }
  };
  const program = create();
  if (cli.argv[0] === "__complete")
    return (await import("./completion/complete.ts")).complete(cli, program, cli.argv.slice(1));
  if (cli.argv.length === 0 && (await cli.findsClients())) {
    await (await import("./commands/servers.ts")).listServers(looking(cli), {});
    printStatus("'toolplane tools list' shows their tools, 'toolplane --help' all commands.");
    return 0;
  }
  const typed = typedArguments(program, cli.argv);
  const unknown = unknownCommand(program, typed);
  if (unknown !== null) {
    // Options are read twice, so by a program of their own.
    const options = create();
    options.parseOptions(unknown.words);
    const { runAdded } = await import("./extensions/added-commands.ts");
    const code = await runAdded(cli, unknown.noun, options.opts(), (add) =>
      parse(create(add), unknown.words),
    );
    if (code !== null) return code;
  }
  return parse(program, typed);
}

/** What is none of our commands, and so may be one of an extension; `help` before it is `--help` behind it. */
function unknownCommand(
  program: CommandNode,
  typed: readonly string[],
): { noun: string; words: string[] } | null {
  const operands = operandIndexes(program, typed);
  const [first = -1, ...otherOperands] = operands;
  const isHelp = typed[first] === "help";
  const [noun, verb] = (isHelp ? otherOperands : operands).map((index) => typed[index] ?? "");
  if (noun === undefined) return null;
  const ownCommand = program.commands.find((command) => command.name() === noun);
  if (ownCommand !== undefined && hasVerb(ownCommand, verb)) return null;
  return { noun, words: isHelp ? [...typed.toSpliced(first, 1), "--help"] : [...typed] };
}

/** What is no group takes whatever follows it. */
function hasVerb({ commands, registeredArguments }: CommandNode, name: string | undefined) {
  const isGroup = commands.length > 0 && registeredArguments.length === 0;
  return !isGroup || name === undefined || commands.some((verb) => verb.name() === name);
}

/** Of the words that are neither options nor their values. */
function operandIndexes(program: CommandNode, typed: readonly string[]): number[] {
  const takesValue = (flag = "") =>
    program.options.some(({ long, required }) => long === flag && required);
  const isOperand = (index: number) =>
    !typed[index]?.startsWith("-") && !takesValue(typed[index - 1]);
  return [...typed.keys()].filter(isOperand);
}

const commandLine: CommandLine = {
  names: [...new Set([...ownCommands, ...operationCommands].map(verbIn))],
  run: runTyped,
  async complete(cli, words) {
    const program = createProgram(
      cli,
      () => undefined,
      () => undefined,
    );
    const { candidatesFor } = await import("./completion/complete.ts");
    return (await candidatesFor(cli, program, words)).fitting.map(({ value }) => value);
  },
};

/** Behind `add`, `--user` says whose file is written; elsewhere it names who calls. */
function typedArguments(program: CommandNode, argv: readonly string[]): string[] {
  const [verb = -1] = operandIndexes(program, argv);
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  if (argv[verb] !== "add") return [...argv];
  return argv.map((argument, index) =>
    argument === "--user" && index > verb && index < end ? "--global" : argument,
  );
}

const verbMissing = new PlaneError("USAGE", "A command is missing. See 'toolplane --help'.");
