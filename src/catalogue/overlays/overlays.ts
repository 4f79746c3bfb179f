import { checkEntry } from "../../config/manifests/check-entry.ts";
import type { Environment } from "../../config/config.ts";
import type {
  NamedOverlay,
  OverlayView,
  SeenDefinition,
  Tool,
  ToolId,
  ToolOverlay,
} from "../../model/catalogue/tool.ts";

import { PlaneError } from "../../model/errors.ts";
import { type Principal, requireScope } from "../../model/principal.ts";

import type { OverlayVerbs } from "../../model/verbs.ts";

import { invalidEntry } from "../changes/change-entries.ts";
import { type Entries, storedSource } from "../changes/entries.ts";
import type { Registry } from "../registry.ts";
import { overlayTool } from "./overlay.ts";
import { hideFixed, keepFixed } from "./overlay-values.ts";

type Parts = {
  entries: Entries;
  registry: Pick<Registry, "asListed" | "snapshot">;
  defaultPrincipal: Principal;
  environment: Environment;
  discovered(name: string): Promise<ToolId | null>;
};

/** Of the short form, which nobody asks for here. */
const summaryLimit = 100;

/** What is said here about tools of servers, for whoever edits it. */
export function createOverlayVerbs(parts: Parts): OverlayVerbs {
  const { entries, defaultPrincipal, environment, discovered } = parts;
  const find = async (name: string, principal: Principal) => {
    requireScope(principal, "admin", "look at overlays");
    await entries.loaded();
    const id = await discovered(name);
    if (id) return { id, ...inForce(id, parts) };
    throw new PlaneError(
      "NOT_FOUND",
      `No server lists a tool '${name}'; only a server's tool can have an overlay. Change a tool of your own where it is written.`,
      { data: { tool: name } },
    );
  };
  return {
    async overlay(name, { principal = defaultPrincipal } = {}) {
      const { id, source, overlay } = await find(name, principal);
      return view(id, source, overlay ?? {}, parts);
    },
    async previewOverlay(name, given, { principal = defaultPrincipal } = {}) {
      const { id, source, overlay } = await find(name, principal);
      const written = { ...keepFixed(given, overlay), name: `${id.server}.${id.tool}` };
      const { manifest, problems, warnings } = await checkEntry("overlay", written, environment);
      if (!manifest || problems.length > 0) throw invalidEntry(name, problems);
      const told = warnings.map(({ path, message }) => `${path}: ${message}`);
      return view(id, source, withoutName(manifest as NamedOverlay), parts, told);
    },
  };
}

/** The overlay of a tool, in whatever spelling it was written. One that people set stands before a file's. */
export function inForce(
  { server, tool }: ToolId,
  { entries, registry }: Pick<Parts, "entries"> & { registry: Pick<Registry, "snapshot"> },
): Pick<OverlayView, "source"> & { overlay?: ToolOverlay } {
  const { index } = registry.snapshot();
  const isMeant = (name: string) => {
    const match = index.find(name);
    return match.kind === "one" && match.id.server === server && match.id.tool === tool;
  };
  const all = entries.all().filter(({ kind, manifest }) => kind === "overlay" && isMeant(manifest.name));
  const found = all.find(({ source }) => source === storedSource) ?? all[0];
  if (found === undefined) return { source: null };
  const source = found.source === storedSource ? "stored" : "config";
  return { source, overlay: withoutName(found.manifest as NamedOverlay) };
}

function withoutName({ name: _, persona: __, ...overlay }: NamedOverlay): ToolOverlay {
  return overlay;
}

async function view(
  id: ToolId,
  source: OverlayView["source"],
  overlay: ToolOverlay,
  { registry }: Parts,
  told: readonly string[] = [],
): Promise<OverlayView> {
  const listed = registry.asListed(id);
  const named = registry.snapshot().byId(id);
  if (!listed || !named) throw new PlaneError("NOT_FOUND", `Server '${id.server}' no longer lists '${id.tool}'.`);
  const { countDefinitions } = await import("../tokens/definition-cost.ts");
  const { tokenizer } = await import("../tokens/count-tokens.ts");
  const { name, modelName } = named;
  const before: Tool = { ...listed, name, modelName };
  const { tool: described } = overlayTool(listed, overlay);
  const after: Tool = { ...described, name, modelName };
  const costs = await countDefinitions([before, after], summaryLimit);
  const seen = ({ description, parameters }: Tool, at: number): SeenDefinition => ({
    ...{ description, parameters, tokens: costs[at]?.fullTokens ?? 0 },
  });
  const warnings = [...told, ...(described.warnings ?? [])];
  const shown = { listed: seen(before, 0), seen: seen(after, 1) };
  return { tool: name, source, overlay: hideFixed(overlay), ...shown, tokenizer, warnings };
}
