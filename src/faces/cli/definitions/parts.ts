import { Command, InvalidArgumentError } from "commander";
import { largestPage } from "../../../model/page.ts";
import type { Cli } from "../cli.ts";

type Body = (cli: Cli, ...given: never[]) => unknown;

/** The action of a command: the body of that name gets the arguments, `more`, and all options. */
export type Run = <M>(
  load: () => Promise<M>,
  name: { [K in keyof M]: M[K] extends Body ? K : never }[keyof M],
  ...more: string[]
) => (...given: unknown[]) => Promise<void>;

/** Bodies are loaded when they run, so that help and short commands stay quick. A number they return is the exit code. */
export function createRun(cli: Cli, setExitCode: (code: number) => void): Run {
  return (load, name, ...more) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const body = (await load())[name] as Body;
      const code = await body(cli, ...([...given.slice(0, -2), ...more, command.optsWithGlobals()] as never[]));
      if (typeof code === "number") setExitCode(code);
    };
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** A command with examples after its help. */
export class Verb extends Command {
  declare readonly commands: readonly Verb[];

  override createCommand(name?: string): Verb {
    return new Verb(name);
  }

  verb(name: string, about: string): Verb {
    return this.command(name).description(about);
  }

  examples(...lines: string[]): this {
    return this.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ toolplane ${line}`).join("\n")}\n`);
  }
}

/** The filters of lists of tasks and jobs, as they are over HTTP. */
export function withWorkFilters(command: Verb): Verb {
  return command
    .option("--persona-filter <name>", "of this persona and shared; -shared leaves those out; repeatable", collect)
    .option("--query <words>", "whose name, summary or description contain these words")
    .option("--limit <number>", "so many at most, up to 1000")
    .option("--cursor <text>", "go on where an earlier page ended");
}

export function toSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new InvalidArgumentError("Give a number of seconds, 0 for no limit.");
}

function wholeNumber(least: number, most: number, hint = `Give a whole number from ${least} to ${most}.`) {
  return (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(hint);
  };
}

const largest = 999_999_999;
export const toCount = wholeNumber(1, largest, "Give a whole number from 1 on.");
export const toLimit = wholeNumber(1, largestPage);
export const toParallel = wholeNumber(1, 256);
export const toCharacters = wholeNumber(0, largest, "Give a number of characters, 0 for no limit.");
export const toMilliseconds = wholeNumber(0, largest, "Give a whole number of milliseconds.");
export const toPort = wholeNumber(0, 65_535, "Give a port between 0 and 65535.");
export const toDrainSeconds = wholeNumber(0, 600, "Give a whole number of seconds between 0 and 600.");

export function collectHosts(text: string, earlier: readonly string[] = []): string[] {
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text))
    throw new InvalidArgumentError("Give a name such as tools.example.org, without http:// and port.");
  return [...earlier, text];
}
