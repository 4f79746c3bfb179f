import { type Command, InvalidArgumentError } from "commander";
import { largestPage } from "../../model/page.ts";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode } from "./command-parts.ts";

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
      setExitCode(await (await import("./lint.ts")).lintTools(cli, command.optsWithGlobals())),
    );
  program
    .command("stats")
    .description("what the definitions of tools cost in the context of a model, by server")
    .option("--server <name>", "only the tools of this server")
    .option("--tools", "each tool, too, the dearest first", false)
    .option("--limit <number>", "of the tools only so many, up to 1000; all when left out", toLimit)
    .addHelpText("after", examples("stats", "stats --server demo --tools --limit 10", "stats --json"))
    .action(async (_, command: Command) => (await import("./stats.ts")).showStats(cli, command.optsWithGlobals()));
}

function toLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= largestPage) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${largestPage}.`);
}
