import { type Command, InvalidArgumentError } from "commander";

export type SetExitCode = (code: number) => void;

/** For options that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ toolplane ${line}`).join("\n")}\n`;
}

/** The filters of lists of tasks and jobs, as they are over HTTP. */
export function withWorkFilters(command: Command): Command {
  return command
    .option("--persona-filter <name>", "of this persona and shared; -shared leaves those out; repeatable", collect)
    .option("--query <words>", "whose name, summary or description contain these words")
    .option("--limit <number>", "so many at most, up to 1000")
    .option("--cursor <text>", "go on where an earlier page ended");
}

export function toSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !Number.isFinite(seconds) || seconds < 0) {
    throw new InvalidArgumentError("Give a number of seconds, 0 for no limit.");
  }
  return seconds;
}

export function toCharacters(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Give a number of characters, 0 for no limit.");
  return Number(text);
}

export function toPort(text: string): number {
  const port = Number(text);
  if (text.trim() === "" || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError("Give a port between 0 and 65535.");
  }
  return port;
}

/** Repeatable, like `collect`. */
export function collectHosts(text: string, earlier: readonly string[] = []): string[] {
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text))
    throw new InvalidArgumentError("Give a name such as tools.example.org, without http:// and port.");
  return [...earlier, text];
}

export function toMilliseconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Give a whole number of milliseconds.");
  return Number(text);
}

export function toDrainSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !Number.isInteger(seconds) || seconds < 0 || seconds > 600) {
    throw new InvalidArgumentError("Give a whole number of seconds between 0 and 600.");
  }
  return seconds;
}
