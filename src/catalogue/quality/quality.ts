import { once } from "../../lib/async/once.ts";
import { failOnLevels, type QualityReport, qualityThreshold, type ToolReview } from "../../model/catalogue/quality.ts";
import type { ProviderSpec, Tool, ToolId } from "../../model/catalogue/tool.ts";
import type { ClientContext, ClientSource } from "../../model/client-context.ts";
import { PlaneError } from "../../model/errors.ts";

import type { ClientVerbs } from "../../model/verbs.ts";
import { quarantineHints } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { Caller } from "../../model/plane.ts";
import { mayDo, type Principal, requireScope } from "../../model/principal.ts";
import type { KnownServer, ServerDefinition } from "../../model/servers/server.ts";
import type { QualityVerbs, Verbs } from "../../model/verbs.ts";

import type { Catalogue } from "../tool-listing.ts";
import type { Guard, GuardParts } from "./guard.ts";
import { asWritten, isTrusted } from "./judge.ts";

type Parts = { emit(event: PlaneEvent): void; defaultPrincipal: Principal };

/** So many texts are counted before others have their turn. */
const slice = 50;

/** The MCP clients that are connected, and what each of them has in its context. */
function createClients({ emit, defaultPrincipal }: Parts) {
  const open = new Set<ClientSource>();

  async function measure(principal: Principal): Promise<ClientContext[]> {
    const isTheirs = ({ user }: ClientSource) => mayDo(principal, "admin") || user === principal.user;
    const measured = [...open].filter(isTheirs).map(async ({ measure: ask, ...source }) => ({
      ...source,
      ...(await ask()),
    }));
    // One that goes while it is measured is gone.
    return (await Promise.allSettled(measured)).flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  }

  return {
    verbs: ({ stats }: Pick<QualityVerbs, "stats">): ClientVerbs & Pick<QualityVerbs, "stats"> => ({
      async stats(options, caller = {}) {
        const told = await stats(options, caller);
        return { ...told, sessions: await measure(caller.principal ?? defaultPrincipal) };
      },
      watchClient(source) {
        open.add(source);
        return {
          loaded: (tools, loadedTokens) =>
            emit({ type: "tool.dynamicLoad", session: source.id, tools: [...tools], loadedTokens }),
          close: () => void open.delete(source),
        };
      },
      async countTokens(texts) {
        const { loadTokenCounter } = await import("../tokens/count-tokens.ts");
        const count = await loadTokenCounter();
        const counts: number[] = [];
        for (const text of texts) {
          counts.push(count(text));
          if (counts.length % slice === 0) await new Promise(setImmediate);
        }
        return counts;
      },
    }),
  };
}

type Listening = {
  onKnown(known: KnownServer, server: string, definition: ServerDefinition): void;
  onRemoved(server: string): void;
  onTools(server: string, definition: ServerDefinition, listed: unknown[], era: "legacy" | "modern"): void;
};

export type PlaneQuality = ReturnType<typeof createPlaneQuality>;

/** How good definitions are, what they cost, and whether they are still those that somebody has looked at. */
export function createPlaneQuality(parts: QualityParts) {
  const { config } = parts;
  const waiting = new Map<string, Parameters<Guard["listed"]>>();
  const asked = new Set<string>();
  let guard: Guard | undefined;
  const open = once(async () => {
    const { createGuard } = await import("./guard.ts");
    guard = createGuard(parts);
    for (const listing of waiting.values()) guard.listed(...listing);
    for (const server of asked) guard.asked(server);
    return guard;
  });
  const review = ({ id }: Pick<Tool, "id">): ToolReview | null =>
    id.server === null ? null : (guard?.review(id.server, id.tool) ?? null);
  const heldOf = ({ id }: Pick<Tool, "id">): string | null =>
    id.server === null ? null : (guard?.held(id.server, id.tool) ?? null);
  const known = new WeakMap<readonly Tool[], { by: object; left: readonly Tool[] }>();
  /** What models may read of a list; the same list again where nothing is held. */
  const withoutHeld = (tools: readonly Tool[]): readonly Tool[] => {
    if (!guard) return tools;
    const by = guard.heldBy();
    const before = known.get(tools);
    if (before?.by === by) return before.left;
    const left = tools.filter((tool) => heldOf(tool) === null);
    known.set(tools, { by, left: left.length === tools.length ? tools : left });
    return known.get(tools)?.left ?? left;
  };
  const heldProvider = ({ name, config: { server, tool } }: ProviderSpec): string | null =>
    name === "mcp" && typeof server === "string" && typeof tool === "string"
      ? (guard?.held(server, tool) ?? null)
      : null;
  /** From here on `review` knows about all that is listed. */
  const loaded = async (): Promise<void> => {
    const { security } = config();
    if (security.pinning === "off" && security.poisoning === "off" && !guard) return;
    await (await open()).loaded();
  };

  const trust = (tool: Tool, mayUse: boolean): Tool => {
    const held = mayUse ? heldOf(tool) : null;
    if (held === null) return tool;
    throw new PlaneError("TOOL_QUARANTINED", `'${tool.name}' is held back: ${held}.`, {
      data: {
        tool: tool.name,
        ...(tool.id.server === null ? {} : { server: tool.id.server }),
        personHints: quarantineHints(tool.name),
      },
    });
  };

  return {
    loaded,
    review,
    heldProvider,
    isHeld: (tool: Tool) => heldOf(tool) !== null,
    withoutHeld,
    /** Another plane may have decided about definitions. */
    pinsChanged: () => guard?.pinned.doubt(),
    /** Tells the guard what servers list, and whoever else is told. */
    watching: ({ onKnown, onRemoved, onTools }: Listening): Listening => ({
      onKnown(known, server, definition) {
        onKnown(known, server, definition);
        if (guard) guard.asked(server);
        else asked.add(server);
      },
      onRemoved(server) {
        guard?.pinned.forget(server);
        waiting.delete(server);
        onRemoved(server);
      },
      onTools(server, definition, listed, era) {
        if (guard) guard.listed(server, definition, listed);
        else waiting.set(server, [server, definition, listed]);
        onTools(server, definition, listed, era);
      },
    }),
    /** The tool that is meant, unless it is held back from whoever could call it otherwise. */
    requireTrusted(tool: Tool, mayUse: boolean): Tool | Promise<Tool> {
      return guard?.isLoaded() ? trust(tool, mayUse) : loaded().then(() => trust(tool, mayUse));
    },
    verbs(faces: Parameters<typeof createQualityVerbs>[1]) {
      const verbs = createQualityVerbs(parts, faces, open);
      return { ...verbs, ...createClients(parts).verbs(verbs) };
    },
    async settled(): Promise<void> {
      if (config().security.pinning !== "off" && asked.size > 0) await open();
      await guard?.settled();
    },
  };
}

type QualityParts = GuardParts & { defaultPrincipal: Principal; revision(): number };

type Faces = Pick<Verbs, "queryTools" | "tool"> & Pick<Catalogue, "meant">;

/** What can be asked about definitions, and decided. Each one's work is loaded when it is asked for. */
function createQualityVerbs(
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
      tools.sort((a, b) => a.score - b.score || b.findings.length - a.findings.length || (a.name < b.name ? -1 : 1));
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
