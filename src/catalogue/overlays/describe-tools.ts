import { deepFreeze } from "../../lib/deep-freeze.ts";
import { once } from "../../lib/once.ts";
import type { ToolOverlay } from "../../model/overlay.ts";
import type { ToolId } from "../../model/tool.ts";
import { type ToolNameIndex, toolKey } from "../../model/tool-name.ts";
import type { NamelessTool } from "../sources/mcp.ts";
import { type Described, overlayTool } from "./overlay.ts";
import { completeWrapper } from "./overlay-wrapper.ts";

/** What is said about tools of servers, by name in any spelling that says the server. */
export type Overlays = ReadonlyMap<string, ToolOverlay>;

const nothing = Object.freeze({});

/** Puts what sources list and what is written about it together, one tool at a time. */
export function createDescriber(
  offered: readonly NamelessTool[],
  overlays: Overlays,
  index: Pick<ToolNameIndex, "find">,
): (tool: NamelessTool) => Described {
  const overlaid = overlaysById(overlays, index);
  const listed = once(
    () => new Map(offered.filter(({ id }) => id.server !== null).map((tool) => [toolKey(tool.id), tool])),
  );
  const describeListed = (tool: NamelessTool): Described => {
    const overlay = overlaid.size === 0 ? undefined : overlaid.get(toolKey(tool.id));
    return overlay === undefined ? { tool, fixed: nothing } : deepFreeze(overlayTool(tool, overlay));
  };
  const find = (id: ToolId): Described | undefined => {
    const tool = listed().get(toolKey(id));
    return tool && describeListed(tool);
  };
  return (tool) => (tool.id.server === null ? deepFreeze(completeWrapper(tool, find)) : describeListed(tool));
}

function overlaysById(
  overlays: Overlays,
  index: Pick<ToolNameIndex, "find">,
): ReadonlyMap<string, ToolOverlay> {
  return new Map(
    [...overlays].flatMap(([name, overlay]) => {
      const match = index.find(name);
      const ids = match.kind === "none" ? [] : match.kind === "one" ? [match.id] : match.ids;
      const meant = ids.filter(({ server }) => server !== null);
      const [only, ...others] =
        meant.length > 1 ? meant.filter(({ server, tool }) => `${server}.${tool}` === name) : meant;
      return only === undefined || others.length > 0 ? [] : [[toolKey(only), overlay] as const];
    }),
  );
}
