import type { Command, CommanderError } from "commander";
import { sentence } from "../../lib/sentence.ts";
import { PlaneError } from "../../model/errors.ts";

/** What is wrong with the words of a command, and which help explains them. */
export function usageError(message: string, command: Command): PlaneError {
  const said = message.replace(/^error: /, "").replaceAll(/\s*\n/g, " ");
  return new PlaneError("USAGE", `${sentence(said)} See '${wordsOf(command)} --help'.`);
}

/** Help that was asked for, and help in the place of a missing verb, are no mistakes and stay what they are. */
export function throwAsUsageError(thrown: CommanderError, command: Command): never {
  const isHelp = thrown.exitCode === 0 || thrown.code === "commander.help";
  throw isHelp ? thrown : usageError(thrown.message, command);
}

function wordsOf(command: Command): string {
  const own = command.name();
  return command.parent === null ? own : `${wordsOf(command.parent)} ${own}`;
}
