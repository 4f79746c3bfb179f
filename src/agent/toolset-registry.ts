import { nearest } from "../lib/text/nearest.ts";
import type { AgentCounters } from "../model/agent/agent-run.ts";
import { ToolsetDefinition } from "../model/config/config.ts";
import type { ToolsetInput } from "../model/config/config-input.ts";
import { describeIssue } from "../model/config/describe-issue.ts";
import { PlaneError } from "../model/errors.ts";

/** A toolset that was asked for: its alias, looked up anew each time, or a definition of the program. */
export type ToolsetRef = string | ToolsetDefinition;

export type ToolsetRegistry = {
  /** Throws where no toolset has this alias, naming the nearest, and where a definition is not valid. */
  refer(asked: string | ToolsetInput): ToolsetRef;
  definition(toolset: ToolsetRef): ToolsetDefinition;
  register(alias: string, definition: unknown): void;
  /** Null stands for the runs with every tool. */
  count(toolset: ToolsetRef | null, counters: AgentCounters): void;
  usage(toolset: ToolsetRef | null): AgentCounters;
};

const none: AgentCounters = {
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
): ToolsetRegistry {
  const registered = new Map<string, ToolsetDefinition>();
  const inline = new WeakSet<object>();
  const usedByName = new Map<string | null, AgentCounters>();
  const usedInline = new WeakMap<object, AgentCounters>();
  const usage = (toolset: ToolsetRef | null) =>
    (isDefinition(toolset) ? usedInline.get(toolset) : usedByName.get(toolset)) ?? none;

  function named(alias: string): ToolsetDefinition {
    const known = configured();
    const found = registered.get(alias) ?? (Object.hasOwn(known, alias) ? known[alias] : undefined);
    if (found) return found;
    const why = broken(alias);
    if (why) throw why;
    const near = nearest(alias, [...registered.keys(), ...Object.keys(known)], 1);
    const meant = near.map((name) => ` Did you mean '${name}'?`).join("");
    throw new PlaneError("NOT_FOUND", `No toolset '${alias}' is configured.${meant} Add it under 'toolsets'.`, {
      data: { toolset: alias, nearest: near },
    });
  }

  return {
    refer(asked) {
      if (typeof asked === "string") {
        named(asked);
        return asked;
      }
      // What was read before is the same toolset: it has counters of its own.
      if (inline.has(asked)) return asked as ToolsetDefinition;
      const definition = readDefinition(asked, "This is not a toolset");
      inline.add(definition);
      return definition;
    },
    definition: (toolset) => (isDefinition(toolset) ? toolset : named(toolset)),
    register(alias, definition) {
      if (typeof alias !== "string" || alias.trim() === "") throw new PlaneError("USAGE", "A toolset needs an alias.");
      registered.set(alias, readDefinition(definition, `Toolset '${alias}' cannot be registered`));
    },
    count(toolset, counters) {
      const before = usage(toolset);
      const sum = Object.fromEntries(
        Object.entries(counters).map(([name, count]) => [name, count + before[name as keyof AgentCounters]]),
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

function readDefinition(definition: unknown, wrong: string): ToolsetDefinition {
  const read = ToolsetDefinition.safeParse(definition);
  if (read.success) return read.data;
  const problems = read.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(unknownKey).join("; ")
      : `${issue.path.join(".") || "it"} ${describeIssue(issue, definition)}`,
  );
  const example = 'Give an alias, or a definition such as { providers: ["demo"], allow_tools: ["add"] }.';
  throw new PlaneError("USAGE", `${wrong}: ${problems.join("; ")}. ${example}`);
}

function unknownKey(key: string): string {
  const [near] = nearest(key, Object.keys(ToolsetDefinition.shape), 1);
  return `'${key}' is not a key of it${near === undefined ? "" : `; did you mean '${near}'?`}`;
}
