import { once } from "../../lib/once.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { requireScope } from "../../model/principal.ts";
import { failOnLevels, type QualityReport, qualityThreshold } from "../../model/quality.ts";
import type { QualityVerbs } from "../../model/quality-verbs.ts";
import type { ToolId } from "../../model/tool.ts";
import type { Catalogue } from "../tool-listing.ts";
import type { Guard, GuardParts } from "./guard.ts";
import { asWritten, isTrusted } from "./judge.ts";

export type QualityParts = GuardParts & { defaultPrincipal: Principal; revision(): number };

type Faces = Pick<Plane, "queryTools" | "tool"> & Pick<Catalogue, "meant">;

/** What can be asked about definitions, and decided. Each one's work is loaded when it is asked for. */
export function createQualityVerbs(
  { config, revision, store, emit, tools, defaultPrincipal }: QualityParts,
  faces: () => Faces,
  guarded: () => Promise<Guard>,
): QualityVerbs {
  type Asked = { server?: string; tool?: string };
  type Patient = Caller & { waitMs?: number };
  /** With what is to be said against each. */
  const listed = async ({ server, tool }: Asked, caller: Patient) =>
    tool === undefined
      ? (await faces().queryTools({ server: server ?? null, includeProviderHealth: false }, caller)).tools
      : [await faces().tool(tool, caller)];
  const meant = async ({ server, tool }: Asked, caller: Patient) =>
    tool === undefined ? faces().meant(server ?? null, caller) : [await faces().tool(tool, caller)];
  const weigh = once(async () => {
    const { createWeigh } = await import("./weight.ts");
    return createWeigh(() => config().lazy.summaryDescriptionLimit);
  });
  const decide = async (
    asked: string | ToolId,
    decision: "accepted" | "rejected",
    { reason }: { reason?: string },
    caller: Caller,
  ) => {
    const { principal = defaultPrincipal } = caller;
    requireScope(principal, "admin", "decide about definitions of tools");
    const tool = await faces().tool(asked, { principal });
    const { decidePin } = await import("./pin-verbs.ts");
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
      const { threshold = qualityThreshold, requireExamples = false, failOn = "high" } = asked;
      requireThreshold(threshold);
      requireFailOn(failOn);
      const { scoreDefinition } = await import("./score.ts");
      const tools = (await listed(asked, caller)).map((tool) => {
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
    async stats({ tools: withTools = false, limit, ...asked } = {}, caller = {}) {
      const { countContext } = await import("../tokens/context-stats.ts");
      const tools = await meant(asked, { ...caller, face: "mcp" });
      const stats = await countContext(tools, config().lazy, withTools);
      return stats.tools ? { ...stats, tools: stats.tools.slice(0, limit) } : stats;
    },
    weigh: async (tools) => (await weigh())(tools),
    async isLazy({ tools: given, ...caller } = {}) {
      const { lazy } = config();
      if (lazy.mode !== "auto") return lazy.mode === "always";
      const { isAboveThreshold } = await import("../tokens/context-stats.ts");
      return isAboveThreshold(given ?? (await meant({}, { ...caller, face: "mcp" })), lazy);
    },
    async pins(filter = {}, caller = {}) {
      const { viewPins } = await import("./pin-verbs.ts");
      const tools = await meant(filter, caller);
      return viewPins(tools, filter, { guard: await guarded(), store });
    },
    async pin(asked, { principal = defaultPrincipal } = {}) {
      const tool = await faces().tool(asked, { principal });
      const { diffPin } = await import("./pin-verbs.ts");
      return diffPin(tool, { guard: await guarded(), store });
    },
    acceptPin: (asked, options = {}, caller = {}) => decide(asked, "accepted", options, caller),
    rejectPin: (asked, options = {}, caller = {}) => decide(asked, "rejected", options, caller),
  };
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
