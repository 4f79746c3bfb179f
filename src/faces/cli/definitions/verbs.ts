import { Command, InvalidArgumentError, Option } from "commander";
import { largestPage } from "../../../model/page.ts";
import type { Cli } from "../cli.ts";

type Body = (cli: Cli, ...given: unknown[]) => unknown;

/** The bodies of commands are loaded when they run, so that help and short commands stay quick. */
export const bodies: Readonly<Record<string, () => Promise<object>>> = {
  add: () => import("../commands/add.ts"),
  agent: () => import("../agent/agent.ts"),
  approvals: () => import("../commands/approvals.ts"),
  audit: () => import("../commands/audit.ts"),
  batch: () => import("../batch/batch.ts"),
  bundled: async () => ({ demo: (cli: Cli) => cli.runDemoServer(), planner: (cli: Cli) => cli.runPlannerServer() }),
  call: () => import("../commands/call.ts"),
  "call-history": () => import("../commands/call-history.ts"),
  chat: () => import("../chat/chat.ts"),
  clients: () => import("../commands/clients.ts"),
  code: () => import("../commands/code.ts"),
  codegen: () => import("../commands/codegen.ts"),
  completion: () => import("../completion/scripts.ts"),
  config: () => import("../commands/config.ts"),
  "dead-letters": () => import("../commands/dead-letters.ts"),
  explain: () => import("../commands/explain.ts"),
  jobs: () => import("../commands/jobs.ts"),
  keys: () => import("../commands/keys.ts"),
  "plan-files": () => import("../commands/plan-files.ts"),
  plans: () => import("../commands/plans.ts"),
  "search-eval": () => import("../commands/search-eval.ts"),
  quality: () => import("../commands/quality.ts"),
  registry: () => import("../commands/registry.ts"),
  serve: () => import("../start/serve.ts"),
  serving: () => import("../start/serving.ts"),
  servers: () => import("../commands/servers.ts"),
  "edit-servers": () => import("../commands/edit-servers.ts"),
  state: () => import("../commands/state.ts"),
  tools: () => import("../commands/tools.ts"),
  trust: () => import("../commands/trust.ts"),
  wizard: () => import("../start/wizard.ts"),
};

/** A command with examples after its help. */
export class Verb extends Command {
  declare readonly commands: readonly Verb[];
  /** By how it is written in the usage, such as `<id>`. */
  argumentHelp: Readonly<Record<string, string>> = {};

  override createCommand(name?: string): Verb {
    return new Verb(name);
  }

  examples(...lines: string[]): this {
    return this.addHelpText("after", `\nExamples:\n${lines.map((line) => `  $ toolplane ${line}`).join("\n")}\n`);
  }
}

/** Of commands that call tools. */
export const tapes = `  --record <file> append every call to this file, with arguments and result; secrets are masked
  --replay <file> answer calls from such a recording; start no servers
  --replay-miss <what> {fail|live} if the recording lacks a call: fail (the default), or make the call`;

export const page = `  --limit <number> maximum number of entries, 1 to 1000
  --cursor <cursor> continue where an earlier page ended`;

/**
 * Adds the verbs of a text. Each begins with `words <argument>: about`; the lines below it say what an argument or an
 * option means, `> module.body` what runs, and `$ example`. Verbs share what their group says about arguments. Behind an
 * option, `{list}` names the kind of its value, `{a|b}` its choices, `{= a}` its default.
 */
export function addVerbs(
  program: Verb,
  text: string,
  run: (body: string) => (...given: unknown[]) => Promise<void>,
): void {
  for (const written of text.trim().split(/\n(?=\S)/)) {
    const [head = "", ...lines] = written.split("\n").map((line) => line.trim());
    const [, usage = "", about = ""] = /^(.+?): (.*)$/.exec(head) ?? [];
    const [group, name = group] = usage.match(/^[a-z-]+(?: [a-z-]+)?/)?.[0].split(" ") ?? [];
    const parent = (name !== group && program.commands.find((verb) => verb.name() === group)) || program;
    const verb = parent.command(name ?? "").description(about);
    const below = (mark: RegExp) => lines.filter((line) => mark.test(line));
    const help = below(/^[<[]/).map((line) => line.split(/ (.*)/, 2) as [string, string]);
    verb.argumentHelp = { ...parent.argumentHelp, ...Object.fromEntries(help) };
    for (const word of usage.match(/[<[]\S+/g) ?? []) verb.argument(word, verb.argumentHelp[word]);
    for (const line of below(/^-/)) verb.addOption(readOption(line));
    for (const body of below(/^> /)) verb.action(run(body.slice(2).split(" $ ", 1)[0] ?? ""));
    verb.examples(...below(/(^| )\$ /).flatMap((line) => line.split(/(?:^| )\$ /).slice(1)));
  }
}

function readOption(line: string): Option {
  const [, flags = "", note = "", about] =
    /^((?:-\w, )?--\S+(?: <[^>]+>| \[\w+\])?)(?: \{(.*?)\})? (.*)$/.exec(line) ?? [];
  const [kind = "", usual] = note.split(/ ?= /);
  const option = new Option(flags, about).makeOptionMandatory(kind === "required");
  const parse = kinds[kind];
  if (parse) option.argParser<unknown>(parse);
  else if (kind.includes("|")) option.choices(kind.split("|"));
  if (usual !== undefined) option.default(usual === "false" ? false : parse ? parse(usual) : usual);
  return option;
}

/** The action of a command: its body gets the arguments, further words of the definition, and all options. */
export function createRun(cli: Cli, setExitCode: (code: number) => void) {
  return (body: string) => {
    const [path = "", ...more] = body.split(" ");
    const [module = "", name = ""] = path.split(".");
    return async (...given: unknown[]) => {
      const options = (given.at(-1) as Command).optsWithGlobals();
      const run = Reflect.get((await bodies[module]?.()) ?? {}, name) as Body;
      const code = await run(cli, ...given.slice(0, -2), ...more, options);
      if (typeof code === "number") setExitCode(code);
    };
  };
}

export function collect(value: string, before: unknown = []): string[] {
  return [...(before as string[]), value];
}

function wholeNumber(least: number, most: number, hint = `Give a whole number from ${least} to ${most}.`) {
  return (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(hint);
  };
}

const largest = 999_999_999;

/** How the value of an option is read, by the kind that its definition names. */
const kinds: Readonly<Record<string, (text: string, before?: unknown) => unknown>> = {
  list: collect,
  count: wholeNumber(1, largest, "Give a whole number from 1 on."),
  limit: wholeNumber(1, largestPage),
  parallel: wholeNumber(1, 256),
  characters: wholeNumber(0, largest, "Give a number of characters, 0 for no limit."),
  ms: wholeNumber(0, largest, "Give a whole number of milliseconds."),
  port: wholeNumber(0, 65_535, "Give a port between 0 and 65535."),
  drain: wholeNumber(0, 600, "Give a whole number of seconds between 0 and 600."),
  seconds(text) {
    const seconds = Number(text);
    if (text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0) return seconds;
    throw new InvalidArgumentError("Give a number of seconds, 0 for no limit.");
  },
  hosts(text, before) {
    if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return collect(text, before);
    throw new InvalidArgumentError("Give a name such as tools.example.org, without http:// and port.");
  },
  span(text) {
    const ms = spanMs(/^\d{1,4}[smhdw]$/, text);
    if (ms > 0) return ms;
    throw new InvalidArgumentError("Give a time such as 30m, 12h or 30d.");
  },
  moment: toMoment,
};

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;

function spanMs(form: RegExp, text: string): number {
  const span = form.exec(text.trim())?.[0];
  return span === undefined ? Number.NaN : Number.parseInt(span, 10) * unitMs[span.at(-1) as keyof typeof unitMs];
}

export function toMoment(text: string): string {
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text.trim());
  const at = new Date(isDate ? text.trim() : Date.now() + spanMs(/^\d{1,6}[mhdwy]$/, text));
  if (at.getTime() > Date.now()) return at.toISOString();
  throw new InvalidArgumentError("Give a time from now such as 12h, 30d or 1y, or a date to come such as 2030-01-31.");
}
