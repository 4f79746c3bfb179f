import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode } from "./command-parts.ts";

/** What was called, and how it went. */
export function addCallHistoryCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const verbs = () => import("./call-history.ts");
  const calls = program.command("calls").description("the record of calls");
  calls
    .command("list")
    .description("what was called, newest first; with --user only what they called")
    .option("--tool <name>", "only calls of the tool of exactly this name")
    .option("--status <status>", "only these: succeeded, tool_error, failed, refused, waiting, cancelled, dry_run")
    .option("--run <id>", "only calls that this run of an agent made")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .addHelpText("after", examples("calls list", "calls list --status failed --limit 20", "calls list --user ann"))
    .action(async (_, command: Command) => (await verbs()).listCalls(cli, command.optsWithGlobals()));
  calls
    .command("show")
    .description("one call: who, what, how it was decided, and where its time went; or a whole run of an agent")
    .argument("<id>", "the id, as 'calls list' or 'calls runs' shows it")
    .addHelpText("after", examples("calls show 0mwhdikxj-1a2b3c4d5e6f7g8h"))
    .action(async (id: string, _, command: Command) => (await verbs()).showCall(cli, id, command.optsWithGlobals()));
  calls
    .command("runs")
    .description("what agents were asked and how it went, newest first; with --user only what they asked")
    .option("--outcome <outcome>", "only these: completed, max-iterations, budget, failed, cancelled")
    .option("--model <name>", "only runs with this model")
    .option("--toolset <alias>", "only runs with this toolset")
    .option("--conversation <id>", "only runs of this conversation")
    .option("--since <time>", "only those that began then or later, such as 2026-11-15T09:00:00Z")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .addHelpText("after", examples("calls runs", "calls runs --outcome failed --since 2026-11-15"))
    .action(async (_, command: Command) => (await import("./run-history.ts")).listRuns(cli, command.optsWithGlobals()));
  calls
    .command("verify")
    .description("is the record as it was written? Tells the first call at which it is not")
    .option("--head <hash>", "a hash that an earlier run gave: it has to be in the record still")
    .addHelpText("after", examples("calls verify", "calls verify --head 9f86d081884c7d65…"))
    .action(async (_, command: Command) =>
      setExitCode(await (await verbs()).verifyCalls(cli, command.optsWithGlobals())),
    );
}
