import { type Command, InvalidArgumentError } from "commander";
import { largestPage } from "../../../model/page.ts";
import type { Cli } from "../cli.ts";
import { collect, examples, type SetExitCode } from "./parts.ts";

/** What is there: `tools`, `registry`. */
export function addToolCommands(program: Command, cli: Cli): void {
  const tools = program.command("tools").description("the catalogue");
  addFilters(tools.command("list").description("every tool you may call, or those that are meant"))
    .addHelpText(
      "after",
      examples(
        "tools list --server demo",
        "tools list --capability web_search --min-success-rate 80%",
        "tools list --version-range '^1.2' --side-effects none --json",
      ),
    )
    .action(async (_, command: Command) =>
      (await import("../commands/tools.ts")).listTools(cli, command.optsWithGlobals()),
    );
  tools
    .command("show")
    .description("one tool: arguments, metadata, providers, health")
    .argument("<name>", "any spelling: server.tool, server_tool, mcp__server__tool, or the bare name if it is unique")
    .addHelpText("after", examples("tools show demo.greet"))
    .action(async (name: string, _, command: Command) =>
      (await import("../commands/tools.ts")).showTool(cli, name, command.optsWithGlobals()),
    );
  tools
    .command("export")
    .description("what you may call, as a model's API takes it; JSON on standard output")
    .requiredOption("--format <name>", "openai, anthropic, mcp, ai-sdk, json-schema or openai-responses")
    .option("--server <name>", "only the tools of this server")
    .option("--tool <name>", "only this tool, in any spelling; repeatable", collect)
    .option("--defer", "for models that search for tools themselves: anthropic, openai-responses")
    .addHelpText(
      "after",
      examples(
        "tools export --format openai",
        "tools export --format anthropic --server demo > tools.json",
        "tools export --format anthropic --defer",
      ),
    )
    .action(async (_, command: Command) =>
      (await import("../commands/tools.ts")).exportTools(cli, command.optsWithGlobals()),
    );
  program
    .command("registry")
    .description("the registry as a whole")
    .command("summary")
    .description("what it holds for you, or for the persona you call as, in short")
    .addHelpText("after", examples("registry summary", "registry summary --persona Atlas --json"))
    .action(async (_, command: Command) =>
      (await import("../commands/registry.ts")).showSummary(cli, command.optsWithGlobals()),
    );
}

function addFilters(command: Command): Command {
  return command
    .option("--server <name>", "only the tools of this server")
    .option("--persona-filter <name>", "of this persona and shared; -shared leaves those out; repeatable", collect)
    .option("--provider <name>", "executed by this kind of provider; repeatable, all are needed", collect)
    .option("--capability <tag>", "with this capability; repeatable, all are needed", collect)
    .option("--version-range <range>", "of these versions: ^1.2, '>=1.2, <2', 1.x")
    .option("--side-effects <kind>", "with this side effect; repeatable, one is enough", collect)
    .option("--safety-level <level>", "low, medium or high; repeatable, one is enough", collect)
    .option("--min-success-rate <share>", "that worked so often: 0.8, 80 or 80%")
    .option("--include-unused <flag>", "also those that nobody has called: true or false")
    .option("--tool-group <name>", "of this group of tools; repeatable, * for all, default when left out", collect)
    .option("--state <name>", "that are there in this state")
    .option("--query <words>", "whose name, description or capabilities contain these words")
    .option("--limit <number>", "so many at most, up to 1000")
    .option("--cursor <text>", "go on where an earlier page ended");
}

/** Finding what fits: `search`, `recommend`. */
export function addSearchCommands(program: Command, cli: Cli): void {
  program
    .command("search")
    .description("the tools that fit best, by words, name or pattern")
    .argument("[query...]", "what to do with what; select:NAME,NAME takes tools by name; without it the first by name")
    .option("--and <query>", "look for this at the same time; repeatable", collect)
    .option("--regex", "the query is a pattern, looked for in names, texts and parameters")
    .option("--server <name>", "only tools of this server, or of those that a glob fits")
    .option("--limit <number>", "so many at most, up to 100", toCount)
    .addHelpText(
      "after",
      examples(
        "search send an email",
        "search 'read a file' --server 'git*'",
        "search '^get_.*weather' --regex --json",
        "search 'take a screenshot' --and 'write a pdf'",
      ),
    )
    .action(async (query: string[], _, command: Command) =>
      (await import("../commands/tools.ts")).searchTools(cli, query.join(" "), command.optsWithGlobals()),
    );
  program
    .command("recommend")
    .description("the servers and tools that are worth having at hand for a task")
    .argument("<task...>", "the task, in a few sentences")
    .option("--limit <number>", "so many tools at most, up to 15", toCount)
    .addHelpText("after", examples("recommend 'take a screenshot of the shop and mail it to Ann'"))
    .action(async (task: string[], _, command: Command) =>
      (await import("../commands/tools.ts")).recommendTools(cli, task.join(" "), command.optsWithGlobals()),
    );
}

function toCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count > 0) return count;
  throw new InvalidArgumentError("Give a whole number from 1 on.");
}

/** What people change in the catalogue, and what happened to it: `tools`, `registry`, `activity`. */
export function addToolEditCommands(program: Command, cli: Cli): void {
  const named = (name: string) => program.commands.find((command) => command.name() === name) ?? program.command(name);
  addSet(named("tools"), cli);
  addChanges(named("tools"), cli);
  addBundles(named("registry"), cli);
  program
    .command("activity")
    .description("the last 100 calls of the plane that serves, in short")
    .option("--follow", "go on with what happens, until Ctrl-C")
    .addHelpText("after", examples("activity", "activity --follow"))
    .action(async (_, command: Command) =>
      (await import("../commands/call-history.ts")).showActivity(cli, command.optsWithGlobals()),
    );
}

function addSet(tools: Command, cli: Cli): void {
  tools
    .command("set")
    .description("set a tool for good; it stands before one of the same name in a file")
    .argument("<file>", "a manifest, - for standard input; with --server and --tool the name of the tool")
    .option("--server <name>", "call a tool of this server")
    .option("--tool <name>", "the tool of that server")
    .option("--description <text>", "what it does; the server's words when left out")
    .option("--argument <name:type:text>", "an argument, name?: for an optional one; repeatable", collect)
    .option("--side-effects <kind>", "none, write, network, …")
    .option("--reason <text>", "why, for the history")
    .addHelpText(
      "after",
      examples(
        "tools set lookup.json --reason 'for the help desk'",
        "tools set weather --server demo --tool greet --argument 'name:string:Whom to greet: a first name'",
        "tools set - < lookup.json",
      ),
    )
    .action(async (file: string, _, command: Command) =>
      (await import("../commands/tool-edit.ts")).setTool(cli, file, command.optsWithGlobals()),
    );
  tools
    .command("delete")
    .description("delete a tool that was set; one of a file is there again")
    .argument("<name>", "its name; with --persona that persona's")
    .option("--reason <text>", "why, for the history")
    .addHelpText("after", examples("tools delete lookup --reason 'not needed any more'"))
    .action(async (name: string, _, command: Command) =>
      (await import("../commands/tool-edit.ts")).deleteTool(cli, name, command.optsWithGlobals()),
    );
}

function addChanges(tools: Command, cli: Cli): void {
  tools
    .command("changes")
    .description("what changed in the catalogue, when, by whom and why; newest first")
    .argument("[name]", "only of this tool")
    .option("--kind <kind>", "added, changed, removed or listed")
    .option("--limit <number>", "so many at most, up to 1000; 50")
    .option("--offset <number>", "leave out so many of the newest")
    .addHelpText("after", examples("tools changes", "tools changes lookup --limit 5", "tools changes --json"))
    .action(async (name: string | undefined, _, command: Command) =>
      (await import("../commands/tool-edit.ts")).listChanges(cli, name, command.optsWithGlobals()),
    );
}

function addBundles(registry: Command, cli: Cli): void {
  registry
    .command("export")
    .description("hand-written tools, skills, tasks and jobs as one signed bundle on standard output")
    .argument("[names...]", "only these")
    .option("--kind <kind>", "tool, skill, task or job; repeatable", collect)
    .addHelpText("after", examples("registry export > all.bundle", "registry export lookup > lookup.bundle"))
    .action(async (names: string[], _, command: Command) =>
      (await import("../commands/registry.ts")).exportBundle(cli, names, command.optsWithGlobals()),
    );
  registry
    .command("delete")
    .description("take away a skill, task or job that a bundle brought")
    .argument("<kind>", "skill, task or job")
    .argument("<name>", "its name; with --persona the one of that persona")
    .option("--reason <text>", "why, for the history")
    .addHelpText("after", examples("registry delete job digest --reason 'not needed any more'"))
    .action(async (kind: string, name: string, _, command: Command) =>
      (await import("../commands/registry.ts")).deleteEntry(cli, kind, name, command.optsWithGlobals()),
    );
  registry
    .command("import")
    .description("take over everything in a bundle, or nothing")
    .argument("<file>", "a bundle, - for standard input")
    .option("--reason <text>", "why, for the history; needed unless --dry-run")
    .option("--dry-run", "only show what would change")
    .addHelpText(
      "after",
      examples("registry import all.bundle --dry-run", "registry import all.bundle --reason 'release 7'"),
    )
    .action(async (file: string, _, command: Command) =>
      (await import("../commands/registry.ts")).importBundle(cli, file, command.optsWithGlobals()),
    );
}

/** How good definitions are and what they cost: `tools lint`, `stats`. */
export function addLintCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const tools = program.commands.find((command) => command.name() === "tools") ?? program.command("tools");
  tools.commands
    .find((command) => command.name() === "list")
    ?.option("--quality", "with the score of each definition and what is wrong with it", false);
  tools
    .command("lint")
    .description(
      "how well definitions tell a model what tools are for, and what they hide, worst first; 1 when one does not pass",
    )
    .option("--server <name>", "only the tools of this server")
    .option("--threshold <score>", "the score a tool needs to pass, 0 to 100; 40 when left out")
    .option("--require-examples", "a description without an example loses points", false)
    .option(
      "--fail-on <severity>",
      "a tool with such a finding or a worse one does not pass: high, medium or low; none looks at the score alone",
      "high",
    )
    .addHelpText(
      "after",
      examples("tools lint", "tools lint --server demo --threshold 80 --json", "tools lint --fail-on medium"),
    )
    .action(async (_, command: Command) =>
      setExitCode(await (await import("../commands/quality.ts")).lintTools(cli, command.optsWithGlobals())),
    );
  program
    .command("stats")
    .description("what the definitions of tools cost in the context of a model, by server")
    .option("--server <name>", "only the tools of this server")
    .option("--tools", "each tool, too, the dearest first", false)
    .option("--limit <number>", "of the tools only so many, up to 1000; all when left out", toLimit)
    .addHelpText("after", examples("stats", "stats --server demo --tools --limit 10", "stats --json"))
    .action(async (_, command: Command) =>
      (await import("../commands/quality.ts")).showStats(cli, command.optsWithGlobals()),
    );
}

function toLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= largestPage) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${largestPage}.`);
}

/** The definitions of tools that are taken for good. */
export function addPinCommands(program: Command, cli: Cli): void {
  const verbs = () => import("../commands/pins.ts");
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
