import { nearest } from "../lib/nearest.ts";
import type { AgentCounters } from "../model/agent-run.ts";
import { ToolsetDefinition } from "../model/config.ts";
import { describeIssue } from "../model/describe-issue.ts";
import { PlaneError } from "../model/errors.ts";

export type ToolsetRegistry = {
  /** Throws where no toolset has this alias, naming the nearest. */
  definition(alias: string): ToolsetDefinition;
  register(alias: string, definition: unknown): void;
  count(alias: string, counters: AgentCounters): void;
  usage(alias: string): AgentCounters;
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
  const used = new Map<string, AgentCounters>();
  return {
    definition(alias) {
      const known = configured();
      const found = registered.get(alias) ?? (Object.hasOwn(known, alias) ? known[alias] : undefined);
      if (found) return found;
      const why = broken(alias);
      if (why) throw why;
      const near = nearest(alias, [...registered.keys(), ...Object.keys(known)], 1);
      const meant = near.map((name) => ` Did you mean '${name}'?`).join("");
      throw new PlaneError(
        "NOT_FOUND",
        `No toolset '${alias}' is configured.${meant} Add it under 'toolsets'.`,
        {
          data: { toolset: alias, nearest: near },
        },
      );
    },
    register(alias, definition) {
      if (typeof alias !== "string" || alias.trim() === "")
        throw new PlaneError("USAGE", "A toolset needs an alias.");
      const read = ToolsetDefinition.safeParse(definition);
      if (!read.success) {
        const problems = read.error.issues.map(
          (issue) => `${issue.path.join(".") || "it"} ${describeIssue(issue, definition)}`,
        );
        throw new PlaneError("USAGE", `Toolset '${alias}' cannot be registered: ${problems.join("; ")}.`);
      }
      registered.set(alias, read.data);
    },
    count(alias, counters) {
      const before = used.get(alias) ?? none;
      const sum = Object.entries(counters).map(([name, count]) => [
        name,
        count + before[name as keyof AgentCounters],
      ]);
      used.set(alias, Object.fromEntries(sum) as AgentCounters);
    },
    usage: (alias) => used.get(alias) ?? none,
  };
}
