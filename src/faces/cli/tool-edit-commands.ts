import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples } from "./command-parts.ts";

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
      (await import("./activity.ts")).showActivity(cli, command.optsWithGlobals()),
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
      (await import("./tool-edit.ts")).setTool(cli, file, command.optsWithGlobals()),
    );
  tools
    .command("delete")
    .description("delete a tool that was set; one of a file is there again")
    .argument("<name>", "its name; with --persona that persona's")
    .option("--reason <text>", "why, for the history")
    .addHelpText("after", examples("tools delete lookup --reason 'not needed any more'"))
    .action(async (name: string, _, command: Command) =>
      (await import("./tool-edit.ts")).deleteTool(cli, name, command.optsWithGlobals()),
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
      (await import("./tool-edit-changes.ts")).listChanges(cli, name, command.optsWithGlobals()),
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
      (await import("./registry-bundles.ts")).exportBundle(cli, names, command.optsWithGlobals()),
    );
  registry
    .command("delete")
    .description("take away a skill, task or job that a bundle brought")
    .argument("<kind>", "skill, task or job")
    .argument("<name>", "its name; with --persona the one of that persona")
    .option("--reason <text>", "why, for the history")
    .addHelpText("after", examples("registry delete job digest --reason 'not needed any more'"))
    .action(async (kind: string, name: string, _, command: Command) =>
      (await import("./registry-delete.ts")).deleteEntry(cli, kind, name, command.optsWithGlobals()),
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
      (await import("./registry-bundles.ts")).importBundle(cli, file, command.optsWithGlobals()),
    );
}
