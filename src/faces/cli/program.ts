import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Command, CommanderError, InvalidArgumentError } from "commander";
import { fileErrorText } from "../../lib/files.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { shellQuote } from "../../lib/text/shell.ts";
import { sentence } from "../../lib/text/wording.ts";
import { version } from "../../lib/version.ts";
import { errorTable, PlaneError } from "../../model/errors.ts";
import type { CommandForm } from "../../operations/operation.ts";
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
  const said = message.replace(/^error: /, "").replaceAll(/(?<!\s)\s*\n/g, " ");
  const capital = `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
  return new PlaneError("USAGE", `${sentence(capital)} See '${wordsOf(command)} --help'.`);
}

/** Help that was asked for, and help instead of a missing verb, are no mistakes and stay what they are. */
function throwAsUsageError(thrown: CommanderError, command: Command): never {
  const isHelp = thrown.exitCode === 0 || thrown.code === "commander.help";
  if (isHelp) throw thrown;
  const other = thrown.code === "commander.unknownCommand" ? otherWord(command) : null;
  if (other !== null)
    throw usageError(
      `${thrown.message.replace(/(?<!\s)\s*\(Did you mean.*|\.$/s, "")} (Did you mean ${other}?)`,
      command,
    );
  const pair = thrown.code === "commander.unknownOption" ? asArgument(command) : null;
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
  const said = command.args[0] ?? "";
  if (command.parent === null)
    return Object.keys(otherCommands).find((name) => otherCommands[name]?.includes(said)) ?? null;
  const verbs = command.commands.map((verb) => verb.name());
  return (
    verbs.find((verb) => Object.hasOwn(otherWords, verb) && otherWords[verb]?.includes(said)) ??
    null
  );
}

/** `--message hi` behind `call` is what other programs call an argument of the tool. */
function asArgument(command: Command): { name: string; text: string } | null {
  if (command.registeredArguments.at(-1)?.name() !== "values") return null;
  const words = rootOf(command).rawArgs;
  const known = [...command.options, ...rootOf(command).options].flatMap(({ long }) => long ?? []);
  const at = words.findIndex(
    (word) => word.startsWith("--") && word !== "--" && !known.includes(word.split("=")[0] ?? ""),
  );
  const [, name, attached] = /^--([^=]+)=?(.*)$/s.exec(words[at] ?? "") ?? [];
  if (name === undefined || nearest(`--${name}`, known, 1).length > 0) return null;
  const next = words[at + 1];
  const given = attached || (next?.startsWith("-") ? undefined : next);
  const value = given === undefined ? "VALUE" : shellQuote(given);
  return { name, text: `${name}=${value}` };
}

function rootOf(command: Command): Command & { rawArgs: string[] } {
  return (command.parent === null ? command : rootOf(command.parent)) as Command & {
    rawArgs: string[];
  };
}

function wordsOf(command: Command): string {
  const own = command.name();
  return command.parent === null ? own : `${wordsOf(command.parent)} ${own}`;
}

/** Variables that are set already stay as they are; of several files the later one wins. */
const ours = new Set<string>();

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

const logLevels = ["error", "warn", "info", "debug"] as const;
type LogLevel = (typeof logLevels)[number];

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((one) => one === text);
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
  const asked = askedVerb(program, argv);
  const forms = [...ownCommands, ...operationCommands].filter(
    (form) => asked === null || verbIn(form) === asked,
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
  let at = 0;
  for (; argv[at]?.startsWith("-"); at++) {
    const [name, value] = argv[at]?.split("=", 2) ?? [];
    const option = program.options.find(({ long }) => long === name);
    if (option === undefined) return null;
    if (option.required && value === undefined) at += 1;
  }
  const isKnown = [...ownCommands, ...operationCommands].some((form) => verbIn(form) === argv[at]);
  return isKnown ? (argv[at] ?? null) : null;
}

/** As their bodies are; those without one come last. */
function inOrder(forms: readonly CommandForm[]): CommandForm[] {
  const places = new Map(Object.keys(commandBodies).map((command, at) => [command, at]));
  const place = ({ command }: CommandForm) => places.get(command) ?? places.size;
  return forms.toSorted((one, other) => place(one) - place(other));
}

/** The body of a command gets its arguments and, last, all options. */
function createAction(
  cli: Cli,
  { command, looks }: CommandForm,
  setExitCode: (code: number) => void,
) {
  return async (...given: unknown[]) => {
    const options = (given.at(-1) as Command).optsWithGlobals();
    const body =
      (await commandBodies[command]?.()) ??
      (await import("./run-operation.ts")).runCommandOf(command);
    const code = await body(
      looks ? looking(cli) : cli,
      ...(given.slice(0, -2) as never[]),
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
  const places = Object.values(helpSections).flatMap((verbs) => verbs.split(" "));
  for (const verb of program.commands) {
    const heading = Object.keys(helpSections).find((key) =>
      helpSections[key]?.split(" ").includes(verb.name()),
    );
    if (heading !== undefined) verb.helpGroup(`${heading}:`);
  }
  const place = (command: Command) => places.indexOf(command.name());
  program.configureHelp({
    visibleCommands: ({ commands }) => commands.toSorted((one, other) => place(one) - place(other)),
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

export function runCli(cli: Cli): Promise<number> {
  return runReported(cli, () => runWords(cli));
}

/** Its exit code. Rejects with what went wrong. */
async function runWords(cli: Cli): Promise<number> {
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
  const parse = async (program: CommandNode, words: string[]) => {
    try {
      await program.parseAsync(words, { from: "user" });
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
  const words = wordsFor(program, cli.argv);
  const unknown = unknownCommand(program, words);
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
  return parse(program, words);
}

/** What is none of our commands, and so may be one of an extension; `help` before it is `--help` behind it. */
function unknownCommand(
  program: CommandNode,
  words: readonly string[],
): { noun: string; words: string[] } | null {
  const places = operandPlaces(program, words);
  const [first = -1, ...others] = places;
  const isHelp = words[first] === "help";
  const [noun, verb] = (isHelp ? others : places).map((at) => words[at] ?? "");
  if (noun === undefined) return null;
  const known = program.commands.find((command) => command.name() === noun);
  const isGroup =
    known !== undefined && known.commands.length > 0 && known.registeredArguments.length === 0;
  const isKnown = isGroup
    ? verb === undefined || known.commands.some((one) => one.name() === verb)
    : known;
  if (isKnown) return null;
  return { noun, words: isHelp ? [...words.toSpliced(first, 1), "--help"] : [...words] };
}

/** Of the words that are neither options nor their values. */
function operandPlaces(program: CommandNode, words: readonly string[]): number[] {
  const takesValue = (word = "") =>
    program.options.some(({ long, required }) => long === word && required);
  return words.flatMap((word, at) => (word.startsWith("-") || takesValue(words[at - 1]) ? [] : at));
}

const commandLine: CommandLine = {
  names: [...new Set([...ownCommands, ...operationCommands].map(verbIn))],
  run: runWords,
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
function wordsFor(program: CommandNode, argv: readonly string[]): string[] {
  const [verb = -1] = operandPlaces(program, argv);
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  if (argv[verb] !== "add") return [...argv];
  return argv.map((word, at) => (word === "--user" && at > verb && at < end ? "--global" : word));
}

const verbMissing = new PlaneError("USAGE", "A command is missing. See 'toolplane --help'.");
