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
type CommandState = {
  command: Command;
  path: string;
  operands: string[];
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
  typed: readonly string[],
): Promise<number> {
  const { fitting, files } = await candidatesFor(cli, program, typed);
  const lines = fitting.map(({ value, about = "" }) => `${value}\t${oneLine(about)}`);
  if (files) lines.push(":files");
  if (fitting.length > 0 && fitting.every(({ value }) => value.endsWith("=")))
    lines.push(":nospace");
  for (const line of lines) terminal.stdout.write(`${line}\n`);
  return 0;
}

export async function candidatesFor(cli: Cli, program: Command, typed: readonly string[]) {
  const lastWord = typed.at(-1) ?? "";
  const state = readTyped(program, typed.slice(0, -1));
  const { candidates, files = false } = await offer(cli, program, state, lastWord).catch(
    () => nothing,
  );
  return {
    fitting: candidates.filter(({ value }) => value.startsWith(lastWord) && !/\s/.test(value)),
    files,
  };
}

function readTyped(program: Command, typed: readonly string[]): CommandState {
  const state: CommandState = {
    command: program,
    path: "",
    operands: [],
    pending: null,
    options: new Map(),
  };
  const addValue = (option: Option, value: string) => {
    const name = option.attributeName();
    state.options.set(name, [...(state.options.get(name) ?? []), value]);
  };
  for (const argument of typed) {
    if (state.pending !== null) {
      addValue(state.pending, argument);
      state.pending = null;
      continue;
    }
    const [flag = "", value] = argument.split(/=(.*)/s, 2);
    const option = argument.startsWith("-") ? optionOf(state.command, program, flag) : undefined;
    const isCommand = state.operands.length === 0;
    const inner = state.command.commands.find((verb) => isCommand && verb.name() === argument);
    if (option && value !== undefined) addValue(option, value);
    else if (option?.required) state.pending = option;
    else if (inner)
      Object.assign(state, { command: inner, path: `${state.path} ${argument}`.trim() });
    else if (!argument.startsWith("-")) state.operands.push(argument);
  }
  return state;
}

const optionsOf = (command: Command, program: Command) => [
  ...new Set([...command.options, ...program.options]),
];
const optionOf = (command: Command, program: Command, flag: string) =>
  optionsOf(command, program).find(({ long, short }) => long === flag || short === flag);

async function offer(
  cli: Cli,
  program: Command,
  state: CommandState,
  lastWord: string,
): Promise<Offer> {
  const { command, path, operands, pending } = state;
  const names = () => readNames(cli, state.options);
  if (pending) return valuesOf(pending, names);
  const [, flag = ""] = /^(--[^=]+)=/.exec(lastWord) ?? [];
  if (flag !== "") {
    const option = optionOf(command, program, flag);
    const { candidates } = option ? await valuesOf(option, names) : nothing;
    return {
      candidates: candidates.map(({ value, about = "" }) => ({ value: `${flag}=${value}`, about })),
    };
  }
  if (lastWord.startsWith("-")) {
    const help = { long: "--help", description: "show help" };
    const described = [...optionsOf(command, program), help].map(({ long, description }) => {
      return { value: long ?? "", about: description };
    });
    return { candidates: described.filter(({ value }) => value !== "") };
  }
  if (path === "help") {
    const commandAbove = operands.reduce<Command | undefined>(
      (verb, name) => verb?.commands.find((inner) => inner.name() === name),
      program,
    );
    return { candidates: verbsUnder(commandAbove) };
  }
  const registered = command.registeredArguments;
  const lastArgument = registered.at(-1);
  const argument = registered[operands.length] ?? (lastArgument?.variadic && lastArgument);
  const ofArgument = argument ? await argumentsOf(cli, state, argument.name(), names) : nothing;
  const verbs = operands.length === 0 ? verbsUnder(command) : [];
  return { ...ofArgument, candidates: [...verbs, ...ofArgument.candidates] };
}

const verbsUnder = (command: Command | undefined): Candidate[] =>
  (command?.commands ?? []).map((verb) => ({ value: verb.name(), about: verb.description() }));

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
  state: CommandState,
  argument: string,
  names: () => Promise<Names>,
): Promise<Offer> {
  const { path, operands } = state;
  const [noun = "", verb = ""] = path.split(" ");
  if (argument === "server" || (noun === "servers" && argument === "name" && verb !== "add"))
    return named((await names()).servers);
  if (argument === "tool" || ((noun === "tools" || noun === "pins") && argument === "name"))
    return named((await names()).tools);
  if (path === "call" || path === "policy test") {
    const tool = (await names()).tools.find(({ name }) => name === operands[0]);
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
    const setup = await cli.openSetup(planeOptionsOf(state.options));
    return {
      candidates: (await setup.clients()).map(({ client, title }) => ({
        value: client,
        about: title,
      })),
    };
  }
  return { candidates: [], files: argument === "file" || argument === "directory" };
}

function planeOptionsOf(options: CommandState["options"]): OpenPlaneOptions {
  const lastValue = (name: string) => options.get(name)?.at(-1);
  return {
    files: options.get("config") ?? [],
    directory: terminal.directory(),
    dataDirectory: lastValue("dataDir"),
    user: lastValue("user"),
    groups: options.get("group") ?? [],
    persona: lastValue("persona"),
    workspace: lastValue("workspace"),
    compliance: lastValue("compliance"),
    offline: true,
    standalone: true,
    asksNothing: true,
  };
}

async function readNames(cli: Cli, options: CommandState["options"]): Promise<Names> {
  await using plane = await cli.openPlane(planeOptionsOf(options));
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
  const describedEntries = (entries: Record<string, { description?: string }>) =>
    Object.entries(entries).map(([name, { description = "" }]) => ({
      name,
      about: oneLine(description),
    }));
  const summarized = (entries: readonly { name: string; summary: string | null }[]) =>
    entries.map(({ name, summary }) => ({ name, about: oneLine(summary ?? "") }));
  return {
    servers: describedEntries(servers),
    toolsets: describedEntries(toolsets as Record<string, object>),
    models: describedEntries(models as Record<string, object>),
    skills: summarized(skills.skills),
    jobs: summarized(jobs),
    tasks: summarized(tasks),
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      about: oneLine(description),
      arguments: describedEntries(
        (parameters.properties ?? {}) as Record<string, { description?: string }>,
      ),
    })),
  };
}

function oneLine(text: string): string {
  const line = plainText(text).replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxAbout) return line;
  return `${sliceText(line, 0, maxAbout - 1)}…`;
}
