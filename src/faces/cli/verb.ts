import { Command, InvalidArgumentError, Option } from "commander";
import { isProxyEntry } from "../../lib/net/client-address.ts";
import { isLoopback } from "../../model/config/settings.ts";
import { largestPage } from "../../model/page.ts";
import type { CommandForm, CommandOption, ValueKind } from "../../operations/command-form.ts";
import { commandGroups } from "./own-commands.ts";

/** A command with examples after its help. */
export class CommandNode extends Command {
  declare readonly commands: readonly CommandNode[];
  override createCommand(name?: string): CommandNode {
    return new CommandNode(name);
  }

  examples(...lines: string[]): this {
    return this.addHelpText(
      "after",
      `\nExamples:\n${lines.map((line) => `  $ toolplane ${line}`).join("\n")}\n`,
    );
  }
}

/** Adds a command under its group. */
export function addCommand(
  program: CommandNode,
  form: CommandForm,
  run: (...args: unknown[]) => Promise<void>,
): void {
  const [group = "", name] = form.command.split(" ");
  const parent = name === undefined ? program : groupOf(program, group);
  const verb = parent.command(name ?? group).description(form.about);
  for (const [usage, about] of Object.entries(form.arguments ?? {})) verb.argument(usage, about);
  for (const [flags, about] of Object.entries(form.options ?? {}))
    verb.addOption(toOption(flags, about));
  verb.action(run).examples(...form.examples);
}

function groupOf(program: CommandNode, name: string): CommandNode {
  const group = program.commands.find((verb) => verb.name() === name);
  if (group) return group;
  const { about = "", examples = [] } = commandGroups[name] ?? {};
  return program
    .command(name)
    .description(about)
    .examples(...examples);
}

function toOption(flags: string, declared: string | CommandOption): Option {
  if (typeof declared === "string") return new Option(flags, declared);
  const { about, kind, choices, default: defaultValue, required = false } = declared;
  const option = new Option(flags, about).makeOptionMandatory(required);
  const parse = kind && readers[kind];
  if (parse) option.argParser<unknown>(parse);
  if (choices) option.choices(choices);
  if (defaultValue !== undefined)
    option.default(parse && defaultValue !== false ? parse(defaultValue) : defaultValue);
  return option;
}

export function appendValue(value: string, before: unknown = []): string[] {
  return [...(before as string[]), value];
}

function wholeNumber(
  minimum: number,
  maximum: number,
  hint = `Give an integer from ${minimum} to ${maximum}.`,
) {
  return (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(hint);
  };
}

const largest = 999_999_999;

/** How the value of an option is read. */
const readers: Readonly<Record<ValueKind, (text: string, before?: unknown) => unknown>> = {
  list: appendValue,
  count: wholeNumber(1, largest, "Give an integer >= 1."),
  limit: wholeNumber(1, largestPage),
  parallel: wholeNumber(1, 256),
  characters: wholeNumber(0, largest, "Give a number of characters, 0 for no limit."),
  ms: wholeNumber(0, largest, "Give milliseconds as an integer."),
  port: wholeNumber(0, 65_535, "Give a port between 0 and 65535."),
  drain: wholeNumber(0, 600, "Give seconds as an integer from 0 to 600."),
  workers(text) {
    if (text === "auto") return process.getBuiltinModule("node:os").availableParallelism();
    return wholeNumber(1, 256, "Give a number from 1 to 256, or 'auto'.")(text);
  },
  seconds(text) {
    const seconds = Number(text);
    if (text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0) return seconds;
    throw new InvalidArgumentError("Give a number of seconds, 0 for no limit.");
  },
  hosts(text, before) {
    if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return appendValue(text, before);
    throw new InvalidArgumentError(
      "Give a name such as tools.example.org, without http:// and port.",
    );
  },
  publicUrl(text) {
    const url = URL.parse(text);
    const isSafe =
      url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
    if (url !== null && isSafe && url.href === `${url.origin}/`) return url.origin;
    throw new InvalidArgumentError(
      "Give an address such as https://tools.example.org, without a path.",
    );
  },
  proxies(text, before) {
    if (isProxyEntry(text)) return appendValue(text, before);
    throw new InvalidArgumentError("Give an IP address, or a network such as 10.0.0.0/8.");
  },
  span(text) {
    const ms = spanMs(/^\d{1,4}[smhdw]$/, text);
    if (ms > 0) return ms;
    throw new InvalidArgumentError("Give a time such as 30m, 12h or 30d.");
  },
  moment: toMoment,
};

const unitMs = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
} as const;

function spanMs(form: RegExp, text: string): number {
  const span = form.exec(text.trim())?.[0];
  if (span === undefined) return Number.NaN;
  return Number.parseInt(span, 10) * unitMs[span.at(-1) as keyof typeof unitMs];
}

export function toMoment(text: string): string {
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text.trim());
  const moment = new Date(isDate ? text.trim() : Date.now() + spanMs(/^\d{1,6}[mhdwy]$/, text));
  if (moment.getTime() > Date.now()) return moment.toISOString();
  throw new InvalidArgumentError(
    "Give a time from now such as 12h, 30d or 1y, or a date to come such as 2030-01-31.",
  );
}
