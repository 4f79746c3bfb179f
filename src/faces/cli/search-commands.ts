import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples } from "./command-parts.ts";

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
      (await import("./search.ts")).searchTools(cli, query.join(" "), command.optsWithGlobals()),
    );
  program
    .command("recommend")
    .description("the servers and tools that are worth having at hand for a task")
    .argument("<task...>", "the task, in a few sentences")
    .option("--limit <number>", "so many tools at most, up to 15", toCount)
    .addHelpText("after", examples("recommend 'take a screenshot of the shop and mail it to Ann'"))
    .action(async (task: string[], _, command: Command) =>
      (await import("./search.ts")).recommendTools(cli, task.join(" "), command.optsWithGlobals()),
    );
}

function toCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count > 0) return count;
  throw new InvalidArgumentError("Give a whole number from 1 on.");
}
