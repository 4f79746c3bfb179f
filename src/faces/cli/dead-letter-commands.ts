import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode } from "./command-parts.ts";

/** Calls that failed for good. */
export function addDeadLetterCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const letters = program.command("dead-letters").description("calls that failed for good");
  letters
    .command("list")
    .description("what failed, what becomes of it and what you can do")
    .option("--status <status>", "only these: pending, retrying, resolved or abandoned")
    .option("--tool <name>", "only calls of this tool")
    .option("--server <name>", "only calls of this server's tools")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .addHelpText("after", examples("dead-letters list", "dead-letters list --status pending --json"))
    .action(async (_, command: Command) =>
      (await import("./dead-letters.ts")).listDeadLetters(cli, command.optsWithGlobals()),
    );
  letters
    .command("retry")
    .description("make the call again, as whoever made it first")
    .argument("[id]", "the id, or its first characters")
    .option("--all", "every pending one that cannot have run already", false)
    .addHelpText("after", examples("dead-letters retry 3f2a", "dead-letters retry --all"))
    .action(async (id: string | undefined, _, command: Command) =>
      setExitCode(await (await import("./dead-letter-retry.ts")).retryDeadLetters(cli, id, command.optsWithGlobals())),
    );
  addOneLetterCommands(letters, cli);
}

function addOneLetterCommands(letters: Command, cli: Cli): void {
  const verbs = () => import("./dead-letters.ts");
  letters
    .command("show")
    .description("one of them: the call, the error and everything that happened to it")
    .argument("<id>", "the id, or its first characters")
    .addHelpText("after", examples("dead-letters show 3f2a"))
    .action(async (id: string, _, command: Command) =>
      (await verbs()).showDeadLetter(cli, id, command.optsWithGlobals()),
    );
  letters
    .command("resolve")
    .description("it has been taken care of in another way")
    .argument("<id>", "the id, or its first characters")
    .option("--note <text>", "how, for whoever looks later")
    .addHelpText("after", examples("dead-letters resolve 3f2a --note 'sent by hand'"))
    .action(async (id: string, _, command: Command) =>
      (await verbs()).settleDeadLetter(cli, id, "resolve", command.optsWithGlobals()),
    );
  letters
    .command("abandon")
    .description("give it up: it is not tried again by itself")
    .argument("<id>", "the id, or its first characters")
    .option("--note <text>", "why, for whoever looks later")
    .addHelpText("after", examples("dead-letters abandon 3f2a"))
    .action(async (id: string, _, command: Command) =>
      (await verbs()).settleDeadLetter(cli, id, "abandon", command.optsWithGlobals()),
    );
  letters
    .command("delete")
    .description("forget it, with its arguments")
    .argument("<id>", "the id, or its first characters")
    .addHelpText("after", examples("dead-letters delete 3f2a"))
    .action(async (id: string, _, command: Command) =>
      (await verbs()).deleteDeadLetter(cli, id, command.optsWithGlobals()),
    );
}
