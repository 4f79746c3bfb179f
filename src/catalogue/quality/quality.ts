import { once } from "../../lib/once.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ToolReview } from "../../model/quality.ts";
import type { KnownServer, ServerDefinition } from "../../model/server.ts";
import type { ProviderSpec, Tool } from "../../model/tool.ts";
import { createClients } from "../tokens/clients.ts";
import type { Guard } from "./guard.ts";
import { createQualityVerbs, type QualityParts } from "./quality-verbs.ts";

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
      data: { tool: tool.name, ...(tool.id.server === null ? {} : { server: tool.id.server }) },
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
