import type { ToolsetInput } from "../../generated/config/config-input.ts";
import { ownField } from "../lib/json/plain-data.ts";
import { passesFilter } from "../lib/text/glob.ts";
import { nearest } from "../lib/text/nearest.ts";
import {
  countCalls,
  finishOf,
  readResponse,
  refuseCalls,
  toToolMessage,
} from "../model/agent/asked-calls.ts";
import { isCutOff } from "../model/agent/broken-replies.ts";
import type { AskedCall } from "../model/agent/chat.ts";
import type { AgentCounters } from "../model/agent/run-schema.ts";
import { unknownToolset } from "../model/agent/unknown-toolset.ts";
import type { CallAnswer, ProcessOptions, SelectedTool, Toolset } from "../model/agent.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import {
  isToolFormat,
  type ToolFormatName,
  type ToolFormats,
  toolFormats,
} from "../model/catalogue/tool-formats.ts";
import { ToolsetDefinition } from "../model/config/config.ts";
import { describeIssue } from "../model/config/describe-issue.ts";
import { PlaneError } from "../model/errors.ts";

/** A toolset: its alias, looked up each time, or a definition of the program. */
export type ToolsetRef = string | ToolsetDefinition;

/** A tool under its name for a model. */
export type NamedTool<T extends Tool = Tool> = { name: string; tool: T };

export type ToolsetRegistry = {
  /** Throws where no toolset has this alias, naming the nearest, and where a definition is not valid. */
  refer(asked: string | ToolsetInput): ToolsetRef;
  definition(toolset: ToolsetRef): ToolsetDefinition;
  register(alias: string, definition: unknown): void;
  /** Null stands for the runs with every tool. */
  count(toolset: ToolsetRef | null, counters: AgentCounters): void;
  usage(toolset: ToolsetRef | null): AgentCounters;
};

const noCounts: AgentCounters = {
  totalToolCalls: 0,
  totalToolCallTurns: 0,
  totalGenerations: 0,
  generationsWithTools: 0,
};

/** The configuration's toolsets and those of the program; of two with one alias the program's counts. */
export function createToolsetRegistry(
  configured: () => Readonly<Record<string, ToolsetDefinition>>,
  /** What is wrong with one that is configured and cannot be used. */
  broken: (alias: string) => PlaneError | null,
  /** Configured servers, also those with a mistake. */
  servers: () => readonly string[] = () => [],
): ToolsetRegistry {
  const registered = new Map<string, ToolsetDefinition>();
  const inline = new WeakSet<object>();
  const usedByName = new Map<string | null, AgentCounters>();
  const usedInline = new WeakMap<object, AgentCounters>();
  const usage = (toolset: ToolsetRef | null) =>
    (isDefinition(toolset) ? usedInline.get(toolset) : usedByName.get(toolset)) ?? noCounts;

  function definitionOf(alias: string): ToolsetDefinition {
    const definitions = configured();
    const definition = registered.get(alias) ?? ownField(definitions, alias);
    if (definition) return definition;
    const problem = broken(alias);
    if (problem) throw problem;
    throw unknownToolset(alias, [...registered.keys(), ...Object.keys(definitions)]);
  }

  return {
    refer(reference) {
      if (typeof reference === "string") {
        definitionOf(reference);
        return reference;
      }
      // What was read before is the same toolset: it has counters of its own.
      if (inline.has(reference)) return reference as ToolsetDefinition;
      const definition = readDefinition(reference, "This is not a toolset");
      inline.add(definition);
      return definition;
    },
    definition: (toolset) => (isDefinition(toolset) ? toolset : definitionOf(toolset)),
    register(alias, definition) {
      if (typeof alias !== "string" || alias.trim() === "")
        throw new PlaneError("USAGE", "A toolset needs an alias.");
      const failure = `Toolset '${alias}' cannot be registered`;
      const registeredDefinition = readDefinition(definition, failure);
      const serverNames = servers();
      const unknownName = registeredDefinition.providers.find(
        (name) => serverNames.length > 0 && !serverNames.includes(name),
      );
      if (unknownName !== undefined) throw unknownServer(failure, unknownName, serverNames);
      registered.set(alias, registeredDefinition);
    },
    count(toolset, counters) {
      const previous = usage(toolset);
      const sum = Object.fromEntries(
        Object.entries(counters).map(([name, count]) => [
          name,
          count + previous[name as keyof AgentCounters],
        ]),
      ) as AgentCounters;
      if (isDefinition(toolset)) usedInline.set(toolset, sum);
      else usedByName.set(toolset, sum);
    },
    usage,
  };
}

function isDefinition(toolset: ToolsetRef | null): toolset is ToolsetDefinition {
  return typeof toolset === "object" && toolset !== null;
}

function readDefinition(definition: unknown, failure: string): ToolsetDefinition {
  const parsed = ToolsetDefinition.safeParse(definition);
  if (parsed.success) {
    const repetition = describeRepetition(parsed.data);
    if (repetition === undefined) return parsed.data;
    throw new PlaneError("USAGE", `${failure}: ${repetition}. Name it once.`);
  }
  const problems = parsed.error.issues.map((issue) => {
    if (issue.code === "unrecognized_keys") return issue.keys.map(unknownKey).join("; ");
    return `${issue.path.join(".") || "it"} ${describeIssue(issue, definition)}`;
  });
  const example =
    'Give an alias, or a definition such as { providers: ["demo"], allow_tools: ["add"] }.';
  throw new PlaneError("USAGE", `${failure}: ${problems.join("; ")}. ${example}`);
}

function unknownServer(failure: string, name: string, servers: readonly string[]): PlaneError {
  const [suggestion] = nearest(name, servers, 1);
  const hint =
    suggestion === undefined ? `There are ${servers.join(", ")}.` : `Did you mean '${suggestion}'?`;
  return new PlaneError("USAGE", `${failure}: no server '${name}' is configured. ${hint}`);
}

function describeRepetition({ providers, allow_tools }: ToolsetDefinition): string | undefined {
  for (const [key, names] of Object.entries({ providers, allow_tools: allow_tools ?? [] })) {
    const repeatedName = names.find((name, index) => names.indexOf(name) !== index);
    if (repeatedName !== undefined) return `'${repeatedName}' is named twice in '${key}'`;
  }
  return undefined;
}

function unknownKey(key: string): string {
  const [suggestion] = nearest(key, Object.keys(ToolsetDefinition.shape), 1);
  return `'${key}' is not a key of it${suggestion === undefined ? "" : `; did you mean '${suggestion}'?`}`;
}

/** What a toolset can call, for one caller. */
type ToolsetParts = {
  /** Null where it has no name: an inline definition, or every tool. */
  alias: string | null;
  definition(): ToolsetDefinition;
  /** Looked up again each time: a toolset that was registered again counts at once. */
  tools(): Promise<NamedTool[]>;
  /** A reply that was cut off may end in the middle of a call. */
  answer(
    calls: readonly AskedCall[],
    options: ProcessOptions,
    isCut: boolean,
  ): Promise<CallAnswer[]>;
  generate: Toolset["generate"];
  usage: Toolset["usage"];
};

/** For programs that run a model themselves: schemas for its request, and messages for its answer. */
export function createToolset(parts: ToolsetParts): Toolset {
  const answer = async (
    calls: readonly AskedCall[],
    options: ProcessOptions = {},
    isCut = false,
  ) => (calls.length === 0 ? [] : parts.answer(calls, options, isCut));

  return {
    alias: parts.alias,
    get providers() {
      return parts.definition().providers;
    },
    get allow_tools() {
      return parts.definition().allow_tools;
    },
    get max_tool_call_turns() {
      return parts.definition().max_tool_call_turns;
    },
    get timeout_sec() {
      return parts.definition().timeout_sec;
    },
    async schemas<Format extends ToolFormatName = "openai">(format?: Format) {
      const name = format ?? "openai";
      if (!isToolFormat(name)) {
        const formats = Object.keys(toolFormats).join(", ");
        throw new PlaneError(
          "USAGE",
          `'${String(name)}' is not a tool format. Use one of ${formats}.`,
        );
      }
      const tools = await parts.tools();
      const described = tools.map((namedTool) => ({
        ...namedTool.tool,
        modelName: namedTool.name,
      }));
      // The catalogue's own are frozen, and libraries write into what they are given.
      return structuredClone(toolFormats[name](described)) as ToolFormats[Format];
    },
    toolCallCount: countCalls,
    hasToolCalls: (response) => countCalls(response) > 0,
    async processResponse(response, options) {
      const message = readResponse(response);
      const answers = await answer(message.tool_calls ?? [], options, isCutOff(finishOf(response)));
      return [message, ...answers.map(toToolMessage)];
    },
    answerCalls: (calls, options) => answer(calls, options),
    refuseResponse: (response, text) => refuseCalls(readResponse(response), text),
    generate: parts.generate,
    usage: parts.usage,
  };
}

/**
 * Is a tool in a toolset? Those of its servers are, as far as `allow_tools` lets them, by its own or its
 * whole name. A tool written by hand is when
 * it leads to one of the servers, or when it is named.
 */
export function isInToolset(
  { providers, allow_tools }: ToolsetDefinition,
  tool: SelectedTool,
): boolean {
  const { server, tool: name } = tool.id;
  const names = server === null ? [name] : [name, `${server}.${name}`];
  if (!names.some((toolName) => passesFilter(toolName, allow_tools, null))) return false;
  if (server !== null) return providers.includes(server);
  if (allow_tools !== null || tool.source === "builtin") return true;
  return (tool.providers ?? []).some(
    ({ name: kind, config }) => kind === "mcp" && providers.includes(String(config.server)),
  );
}
