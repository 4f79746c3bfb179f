import { PlaneError } from "../model/errors.ts";
import type { Caller, Plane, ToolListing } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import { requireScope } from "../model/principal.ts";
import {
  type FailOn,
  failOnLevels,
  type QualityReport,
  qualityThreshold,
  severities,
  type ToolQuality,
} from "../model/quality.ts";
import type { QualityVerbs } from "../model/quality-verbs.ts";
import { fallbackDescription, type ToolId } from "../model/tool.ts";
import type { Guard, GuardParts } from "./quality-guard.ts";

export type QualityParts = GuardParts & { everybody: Principal; revision(): number };

type Faces = Pick<Plane, "queryTools" | "tool">;

/** What can be asked about definitions, and decided. Each one's work is loaded when it is asked for. */
export function createQualityVerbs(
  { config, revision, store, emit, tools, everybody }: QualityParts,
  faces: () => Faces,
  guarded: () => Promise<Guard>,
): QualityVerbs {
  const listed = async (server: string | undefined, caller: Caller & { patienceMs?: number }) =>
    (await faces().queryTools({ server: server ?? null, includeProviderHealth: false }, caller)).tools;
  const decide = async (
    asked: string | ToolId,
    decision: "accepted" | "rejected",
    { reason }: { reason?: string },
    caller: Caller,
  ) => {
    const { principal = everybody } = caller;
    requireScope(principal, "admin", "decide about definitions of tools");
    const tool = await faces().tool(asked, { principal });
    const { decidePin } = await import("./quality-pins.ts");
    const view = await decidePin(
      tool,
      decision,
      { reason, caller, principal },
      { guard: await guarded(), store, emit, revision },
    );
    // Models see another list from now on.
    emit({ type: "registry.changed", revision: revision(), tools: tools().length });
    return view;
  };
  return {
    async quality(asked = {}, caller = {}) {
      const { server, threshold = qualityThreshold, requireExamples = false, failOn = "high" } = asked;
      requireThreshold(threshold);
      requireFailOn(failOn);
      const { scoreDefinition } = await import("../quality/score.ts");
      const tools = (await listed(server, caller)).map((tool) => {
        const found = scoreDefinition(asWritten(tool), { requireExamples });
        const { findings = [], held = null } = tool.review ?? {};
        const passed = found.score >= threshold && isTrusted({ findings, held }, failOn);
        return { name: tool.name, id: tool.id, ...found, passed, findings, held };
      });
      // Of those that are equally good the suspicious ones first.
      tools.sort(
        (a, b) => a.score - b.score || b.findings.length - a.findings.length || (a.name < b.name ? -1 : 1),
      );
      const passed = tools.filter((tool) => tool.passed).length;
      return { threshold, failOn, total: tools.length, passed, tools } satisfies QualityReport;
    },
    async stats({ server, tools: withTools = false } = {}, caller = {}) {
      const { countContext } = await import("../tokens/context-stats.ts");
      const tools = await listed(server, { ...caller, face: "mcp" });
      return countContext(tools, config().lazy, withTools);
    },
    async isLazy({ tools: given, ...caller } = {}) {
      const { lazy } = config();
      if (lazy.mode !== "auto") return lazy.mode === "always";
      const { isAboveThreshold } = await import("../tokens/context-stats.ts");
      return isAboveThreshold(given ?? (await listed(undefined, { ...caller, face: "mcp" })), lazy);
    },
    async pins(filter = {}, caller = {}) {
      const { viewPins } = await import("./quality-pins.ts");
      const tools = await listed(filter.server, caller);
      return viewPins(tools, filter, { guard: await guarded(), store });
    },
    async pin(asked, { principal = everybody } = {}) {
      const tool = await faces().tool(asked, { principal });
      const { diffPin } = await import("./quality-pins.ts");
      return diffPin(tool, { guard: await guarded(), store });
    },
    acceptPin: (asked, options = {}, caller = {}) => decide(asked, "accepted", options, caller),
    rejectPin: (asked, options = {}, caller = {}) => decide(asked, "rejected", options, caller),
  };
}

/** As its author named it, and without the description that we give what has none. */
function asWritten({ id, description, parameters }: ToolListing) {
  const isOurs = id.server !== null && description === fallbackDescription(id.server, id.tool);
  return { name: id.tool, description: isOurs ? "" : description, parameters };
}

/** A tool that nobody can call, or that says what it should not, does not pass for being well described. */
function isTrusted({ findings, held }: Pick<ToolQuality, "findings" | "held">, failOn: FailOn): boolean {
  if (failOn === "none") return true;
  const least = severities.indexOf(failOn);
  return held === null && findings.every(({ severity }) => severities.indexOf(severity) < least);
}

function requireFailOn(failOn: unknown): void {
  if (failOnLevels.some((level) => level === failOn)) return;
  throw new PlaneError("USAGE", `'failOn' must be one of ${failOnLevels.join(", ")}.`, {
    data: { parameter: "failOn" },
  });
}

function requireThreshold(threshold: unknown): void {
  if (typeof threshold === "number" && threshold >= 0 && threshold <= 100) return;
  throw new PlaneError("USAGE", "'threshold' must be a number from 0 to 100.", {
    data: { parameter: "threshold" },
  });
}
