import type { Command, CommanderError } from "commander";
import { nearest } from "../../lib/text/nearest.ts";
import { shellQuote } from "../../lib/text/shell.ts";
import { sentence } from "../../lib/text/wording.ts";
import { PlaneError } from "../../model/errors.ts";

/** What is wrong with the words of a command, and which help explains them. */
export function usageError(message: string, command: Command): PlaneError {
  const said = message.replace(/^error: /, "").replaceAll(/\s*\n/g, " ");
  const capital = `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
  return new PlaneError("USAGE", `${sentence(capital)} See '${wordsOf(command)} --help'.`);
}

/** Help that was asked for, and help in the place of a missing verb, are no mistakes and stay what they are. */
export function throwAsUsageError(thrown: CommanderError, command: Command): never {
  const isHelp = thrown.exitCode === 0 || thrown.code === "commander.help";
  if (isHelp) throw thrown;
  const pair = thrown.code === "commander.unknownOption" ? asArgument(command) : null;
  if (pair === null) throw usageError(thrown.message, command);
  throw usageError(`'${wordsOf(command)}' has no option --${pair.name}. Write tool arguments as ${pair.text}`, command);
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
  return (command.parent === null ? command : rootOf(command.parent)) as Command & { rawArgs: string[] };
}

function wordsOf(command: Command): string {
  const own = command.name();
  return command.parent === null ? own : `${wordsOf(command.parent)} ${own}`;
}
