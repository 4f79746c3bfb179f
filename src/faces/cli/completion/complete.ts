import type { Command, Option } from "commander";
import { sliceText } from "../../../lib/text/cut-text.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { errorTable } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { codegenKinds } from "../../../model/plane-work.ts";
import type { Cli, OpenPlaneOptions } from "../cli.ts";
import { terminal } from "../terminal/terminal.ts";
import { shells } from "./scripts.ts";

type Named = { name: string; about: string };
/** What a plane knows without asking a server. */
type Names = Record<"servers" | "toolsets" | "models" | "skills" | "jobs" | "tasks", Named[]> & {
  tools: (Named & { arguments: Named[] })[];
};
type Candidate = { value: string; about?: string };
/** `files` asks the shell for names of files. */
type Offer = { candidates: Candidate[]; files?: boolean };
type Read = {
  command: Command;
  path: string;
  given: string[];
  pending: Option | null;
  options: Map<string, string[]>;
};

const maxAbout = 80;
const nothing: Offer = { candidates: [] };

/**
 * What may stand in the place of the last word: one candidate a line, its description behind a tab; `:files` for names of
 * files, `:nospace` where the word goes on. It starts no server and says nothing where it cannot know.
 */
export async function complete(
  cli: Cli,
  program: Command,
  words: readonly string[],
): Promise<number> {
  const { fitting, files } = await candidatesFor(cli, program, words);
  const lines = fitting.map(({ value, about = "" }) => `${value}\t${oneLine(about)}`);
  if (files) lines.push(":files");
  if (fitting.length > 0 && fitting.every(({ value }) => value.endsWith("=")))
    lines.push(":nospace");
  for (const line of lines) terminal.stdout.write(`${line}\n`);
  return 0;
}

export async function candidatesFor(cli: Cli, program: Command, words: readonly string[]) {
  const current = words.at(-1) ?? "";
  const read = readWords(program, words.slice(0, -1));
  const { candidates, files = false } = await offer(cli, program, read, current).catch(
    () => nothing,
  );
  return {
    fitting: candidates.filter(({ value }) => value.startsWith(current) && !/\s/.test(value)),
    files,
  };
}

function readWords(program: Command, words: readonly string[]): Read {
  const read: Read = { command: program, path: "", given: [], pending: null, options: new Map() };
  const take = (option: Option, value: string) => {
    const name = option.attributeName();
    read.options.set(name, [...(read.options.get(name) ?? []), value]);
  };
  for (const word of words) {
    if (read.pending !== null) {
      take(read.pending, word);
      read.pending = null;
      continue;
    }
    const [flag = "", value] = word.split(/=(.*)/s, 2);
    const option = word.startsWith("-") ? optionOf(read.command, program, flag) : undefined;
    const inner =
      read.given.length === 0
        ? read.command.commands.find((verb) => verb.name() === word)
        : undefined;
    if (option && value !== undefined) take(option, value);
    else if (option?.required) read.pending = option;
    else if (inner) Object.assign(read, { command: inner, path: `${read.path} ${word}`.trim() });
    else if (!word.startsWith("-")) read.given.push(word);
  }
  return read;
}

const optionsOf = (command: Command, program: Command) => [
  ...new Set([...command.options, ...program.options]),
];
const optionOf = (command: Command, program: Command, flag: string) =>
  optionsOf(command, program).find(({ long, short }) => long === flag || short === flag);

async function offer(cli: Cli, program: Command, read: Read, current: string): Promise<Offer> {
  const { command, path, given, pending } = read;
  const names = () => readNames(cli, read.options);
  if (pending) return valuesOf(pending, names);
  const [, flag = ""] = /^(--[^=]+)=/.exec(current) ?? [];
  if (flag !== "") {
    const option = optionOf(command, program, flag);
    const { candidates } = option ? await valuesOf(option, names) : nothing;
    return {
      candidates: candidates.map(({ value, about = "" }) => ({ value: `${flag}=${value}`, about })),
    };
  }
  if (current.startsWith("-"))
    return {
      candidates: [
        ...optionsOf(command, program),
        { long: "--help", description: "show help" },
      ].flatMap(({ long, description }) => (long ? [{ value: long, about: description }] : [])),
    };
  const words = path === "help" ? given : [];
  const below = words.reduce<Command | undefined>(
    (verb, word) => verb?.commands.find((one) => one.name() === word),
    path === "help" ? program : command,
  );
  const verbs = (given.length === words.length ? (below?.commands ?? []) : []).map((verb) => ({
    value: verb.name(),
    about: verb.description(),
  }));
  const own = command.registeredArguments;
  const argument = own[given.length] ?? (own.at(-1)?.variadic ? own.at(-1) : undefined);
  const rest =
    argument && path !== "help" ? await argumentsOf(cli, read, argument.name(), names) : nothing;
  return { ...rest, candidates: [...verbs, ...rest.candidates] };
}

const plain = (values: readonly string[]): Offer => ({
  candidates: values.map((value) => ({ value })),
});
const named = (values: readonly Named[]): Offer => ({
  candidates: values.map(({ name, about }) => ({ value: name, about })),
});

async function valuesOf(
  { argChoices, long, flags }: Option,
  names: () => Promise<Names>,
): Promise<Offer> {
  if (argChoices) return plain(argChoices);
  if (long === "--log-level") return plain(["error", "warn", "info", "debug"]);
  if (long === "--server") return named((await names()).servers);
  if (long === "--toolset") return named((await names()).toolsets);
  if (long === "--model") return named((await names()).models);
  if (long === "--tool") return named((await names()).tools);
  return { candidates: [], files: /<(file|directory)>/.test(flags) };
}

async function argumentsOf(
  cli: Cli,
  read: Read,
  argument: string,
  names: () => Promise<Names>,
): Promise<Offer> {
  const { path, given } = read;
  const [noun = "", verb = ""] = path.split(" ");
  if (argument === "server" || (noun === "servers" && argument === "name" && verb !== "add"))
    return named((await names()).servers);
  if (argument === "tool" || ((noun === "tools" || noun === "pins") && argument === "name"))
    return named((await names()).tools);
  if (path === "call" || path === "policy test") {
    const tool = (await names()).tools.find(({ name }) => name === given[0]);
    return {
      candidates: tool?.arguments.map(({ name, about }) => ({ value: `${name}=`, about })) ?? [],
    };
  }
  if (argument === "name" && (noun === "skills" || noun === "jobs" || noun === "tasks"))
    return named((await names())[noun]);
  if (argument === "code") return plain(Object.keys(errorTable));
  if (argument === "kind" && noun === "codegen") return plain(codegenKinds);
  if (argument === "shell") return plain(shells);
  if (argument === "client") {
    const setup = await cli.openSetup(placeOf(read.options));
    return {
      candidates: (await setup.clients()).map(({ client, title }) => ({
        value: client,
        about: title,
      })),
    };
  }
  return { candidates: [], files: argument === "file" || argument === "directory" };
}

function placeOf(options: Read["options"]): OpenPlaneOptions {
  const one = (name: string) => options.get(name)?.at(-1);
  return {
    files: options.get("config") ?? [],
    directory: terminal.directory(),
    dataDirectory: one("dataDir"),
    user: one("user"),
    groups: options.get("group") ?? [],
    persona: one("persona"),
    workspace: one("workspace"),
    compliance: one("compliance"),
    offline: true,
    standalone: true,
    asksNothing: true,
  };
}

async function readNames(cli: Cli, options: Read["options"]): Promise<Names> {
  await using plane = await cli.openPlane(placeOf(options));
  return await namesIn(plane);
}

async function namesIn(plane: Plane): Promise<Names> {
  const { servers, toolsets, models } = plane.config();
  const waitMs = 0;
  const [tools, skills, jobs, tasks] = await Promise.all([
    plane.tools.list({ waitMs }),
    plane.skills.page({}, { waitMs }),
    plane.jobs.list(),
    plane.tasks.list(),
  ]);
  const of = (entries: Record<string, { description?: string }>) =>
    Object.entries(entries).map(([name, { description = "" }]) => ({
      name,
      about: oneLine(description),
    }));
  const listed = (entries: readonly { name: string; summary: string | null }[]) =>
    entries.map(({ name, summary }) => ({ name, about: oneLine(summary ?? "") }));
  return {
    servers: of(servers),
    toolsets: of(toolsets as Record<string, object>),
    models: of(models as Record<string, object>),
    skills: listed(skills.skills),
    jobs: listed(jobs),
    tasks: listed(tasks),
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      about: oneLine(description),
      arguments: of((parameters.properties ?? {}) as Record<string, { description?: string }>),
    })),
  };
}

function oneLine(text: string): string {
  const line = plainText(text).replaceAll(/\s+/g, " ").trim();
  return line.length > maxAbout ? `${sliceText(line, 0, maxAbout - 1)}…` : line;
}
