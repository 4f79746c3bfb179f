import type { Command } from "commander";
import { nearest } from "../../lib/nearest.ts";
import { examples } from "./command-parts.ts";
import { usageError } from "./usage-error.ts";

/** `help tools lint`. The library's own looks at one word only, and says nothing about one that it does not know. */
export function addHelpCommand(program: Command): void {
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
