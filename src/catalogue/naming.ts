import type { ToolId } from "../model/tool.ts";
import { createToolNameIndex, type ToolNameIndex, toolKey } from "../model/tool-name.ts";

/** The names that a set of tools has, and their order. */
export type Naming = {
  ids: readonly ToolId[];
  index: ToolNameIndex;
  order: readonly number[];
  hasOverrides: boolean;
};

function nameTools(ids: readonly ToolId[]): Naming {
  // What a server lists is its own; only tools written by hand can take each other's place.
  const byHand = ids.filter(({ server }) => server === null);
  const hasOverrides = new Set(byHand.map(({ tool }) => tool)).size < byHand.length;
  // A tool and what takes its place are one name to everybody who calls it.
  const distinct = hasOverrides ? [...new Map(ids.map((id) => [toolKey(id), id])).values()] : ids;
  const index = createToolNameIndex(distinct);
  const names = ids.map(index.name);
  const order = [...names.keys()].sort((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1));
  return { ids, index, order, hasOverrides };
}

/** Tools mostly change what they say and not what they are called. */
export function nameAgain(naming: Naming | undefined, ids: readonly ToolId[]): Naming {
  const isKnown = naming?.ids.length === ids.length && ids.every((id, at) => id === naming.ids[at]);
  return isKnown && naming ? naming : nameTools(ids);
}
