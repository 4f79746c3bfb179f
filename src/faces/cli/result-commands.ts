import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples } from "./command-parts.ts";

/** Results that were too large to be shown whole. */
export function addResultCommands(program: Command, cli: Cli): void {
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
    .action(async (id: string, _, command: Command) =>
      (await verbs()).getResult(cli, id, command.optsWithGlobals()),
    );
  results
    .command("list")
    .description("what is kept, newest first")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .addHelpText("after", examples("results list", "results list --json"))
    .action(async (_, command: Command) => (await verbs()).listResults(cli, command.optsWithGlobals()));
}
