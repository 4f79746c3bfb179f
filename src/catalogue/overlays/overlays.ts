import { checkManifestEntry } from "../../config/config.ts";
import type {
  NamedOverlay,
  OverlayView,
  Tool,
  ToolId,
  ToolOverlay,
} from "../../model/catalogue/tool.ts";
import type { SeenDefinition } from "../../model/catalogue/tool-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneTools } from "../../model/plane-tools.ts";
import { type Inside, type Principal, requireScope } from "../../model/principal.ts";
import { type EditPorts, invalidEntry } from "../changes/change-verbs.ts";
import { isStoredSource, storedForAll } from "../changes/entries.ts";
import { entryKey } from "../changes/entry.ts";
import type { Registry } from "../registry.ts";
import { type EffectiveOverlay, hideFixed, keepFixed, overlayTool } from "./overlay.ts";

type OverlayPorts = EditPorts & { registry: Pick<Registry, "asListed" | "snapshot"> };

/** Of the summary, whose count is not used here. */
const summaryLimit = 100;

export function createOverlayVerbs(
  ports: OverlayPorts,
): Pick<Inside<PlaneTools>, "overlay" | "previewOverlay"> {
  const { entries, environment, discovered, registry } = ports;
  const find = async (name: string, principal: Principal) => {
    requireScope(principal, "admin", "look at overlays");
    await entries.loaded();
    const id = await discovered(name);
    if (id) return { id, ...overlayInForce(id, ports) };
    throw new PlaneError(
      "NOT_FOUND",
      `No server lists a tool '${name}'; only a server's tool can have an overlay. Change a tool of your own where it is written.`,
      { data: { tool: name } },
    );
  };
  return {
    async overlay(name, { principal }) {
      const { id, source, overlay } = await find(name, principal);
      return viewOverlay(id, source, overlay ?? {}, registry);
    },
    async previewOverlay(name, proposed, { principal }) {
      const { id, source, overlay } = await find(name, principal);
      const written = { ...keepFixed(proposed, overlay), name: `${id.server}.${id.tool}` };
      const { manifest, problems, warnings } = await checkManifestEntry(
        "overlay",
        written,
        environment,
      );
      if (!manifest || problems.length > 0) throw invalidEntry(name, problems);
      const notes = warnings.map(({ path, message }) => `${path}: ${message}`);
      return viewOverlay(id, source, withoutName(manifest as NamedOverlay), registry, notes);
    },
  };
}

/** The overlay of a tool, in any spelling of its name. A stored one replaces a file's. */
export function overlayInForce(id: ToolId, ports: InForcePorts): EffectiveOverlay {
  return overlaysInForce(ports)(id);
}

type InForcePorts = Pick<EditPorts, "entries"> & { registry: Pick<Registry, "snapshot"> };

/** The same for many tools at one moment. */
export function overlaysInForce({
  entries,
  registry,
}: InForcePorts): (id: ToolId) => EffectiveOverlay {
  const { index } = registry.snapshot();
  const keyOf = ({ server, tool }: ToolId) => JSON.stringify([server, tool]);
  const overlays = entries.all().flatMap((entry) => {
    if (entry.kind !== "overlay") return [];
    const tool = index.find(entry.manifest.name);
    if (tool.kind === "one") return [{ ...entry, key: keyOf(tool.id) }];
    return [];
  });
  const overlaysByTool = Map.groupBy(overlays, ({ key }) => key);
  return (id) => {
    const ofTool = overlaysByTool.get(keyOf(id)) ?? [];
    const overlay = ofTool.find(({ source }) => isStoredSource(source)) ?? ofTool[0];
    const key = overlay && entryKey({ kind: "overlay", manifest: overlay.manifest });
    const isCovering = ofTool.length > 1 || (key !== undefined && entries.isCovering(key));
    const isShared = ofTool.some(({ source }) => source === "config" || source === storedForAll);
    const isElsewhere = isCovering || isShared;
    if (overlay === undefined) return { source: null, isElsewhere };
    const source = isStoredSource(overlay.source) ? "stored" : "config";
    return { source, isElsewhere, overlay: withoutName(overlay.manifest as NamedOverlay) };
  };
}

function withoutName({ name: _, persona: __, ...overlay }: NamedOverlay): ToolOverlay {
  return overlay;
}

async function viewOverlay(
  id: ToolId,
  source: OverlayView["source"],
  overlay: ToolOverlay,
  registry: OverlayPorts["registry"],
  notes: readonly string[] = [],
): Promise<OverlayView> {
  const listed = registry.asListed(id);
  const namedTool = registry.snapshot().byId(id);
  if (!listed || !namedTool)
    throw new PlaneError("NOT_FOUND", `Server '${id.server}' no longer lists '${id.tool}'.`);
  const { countDefinitions, tokenizer } = await import("../tokens/definition-cost.ts");
  const { name, modelName } = namedTool;
  const before: Tool = { ...listed, name, modelName };
  const { tool: overlaid } = overlayTool(listed, overlay);
  const after: Tool = { ...overlaid, name, modelName };
  const [costBefore, costAfter] = await countDefinitions([before, after], summaryLimit);
  return {
    tool: name,
    source,
    overlay: hideFixed(overlay),
    listed: seenDefinition(before, costBefore),
    seen: seenDefinition(after, costAfter),
    tokenizer,
    warnings: [...notes, ...(overlaid.warnings ?? [])],
  };
}

function seenDefinition(
  { description, parameters }: Tool,
  cost: { fullTokens: number } | undefined,
): SeenDefinition {
  return { description, parameters, tokens: cost?.fullTokens ?? 0 };
}
