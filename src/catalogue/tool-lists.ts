import { once } from "../lib/async/once.ts";
import { deepFreeze, sameJson } from "../lib/json/plain-data.ts";
import { isDirectoryKey, type ListOwner, listOwnerKey } from "../model/catalogue/list-owner.ts";
import type { ToolId } from "../model/catalogue/tool.ts";
import { toolKey } from "../model/catalogue/tool-name.ts";
import type { NamelessTool, Translation } from "./sources/mcp.ts";

const noTools: readonly NamelessTool[] = [];

/** What each source lists: for all, or for each user or directory alone. Equal tools of several lists are one object. */
export function createToolLists(usualUser: string | null) {
  const shared = new Map<string, Translation>();
  const own = new Map<string, Map<string | null, Translation>>();
  const listsOf = (source: string): Translation[] => {
    const all = shared.get(source);
    return all ? [all] : [...(own.get(source)?.values() ?? [])];
  };
  const all = (source: string) => listsOf(source).flatMap(({ tools }) => tools);
  const listOf = (source: string, user: string | null): Translation | undefined => {
    const lists = own.get(source);
    const anywhere = [...(lists?.keys() ?? [])].find((key) => key !== null && isDirectoryKey(key));
    return (
      shared.get(source) ??
      lists?.get(user) ??
      (anywhere === undefined ? undefined : lists?.get(anywhere))
    );
  };

  return {
    all,
    /** The tools of a source as this user sees them. Of one that lists by directory, those of any: it is one program. */
    of: (source: string, user: string | null): readonly NamelessTool[] =>
      listOf(source, user)?.tools ?? noTools,
    count: () =>
      [...shared.keys(), ...own.keys()].reduce((sum, source) => sum + new Set(all(source)).size, 0),
    /** Returns whether anything changed. */
    set(
      source: string,
      { tools: listed, rejected, work }: Translation,
      owner?: ListOwner,
    ): boolean {
      const key = owner && listOwnerKey(owner);
      const before = key === undefined ? shared.get(source) : own.get(source)?.get(key);
      const tools = keepKnown(
        before?.tools ?? noTools,
        key === undefined ? noTools : [...new Set(all(source))],
        listed,
      );
      const list = deepFreeze({ tools, rejected, work });
      // A list that all share ends those of users, and the other way round.
      const wasOther = key === undefined ? own.delete(source) : shared.delete(source);
      if (key === undefined) shared.set(source, list);
      else own.set(source, (own.get(source) ?? new Map()).set(key, list));
      // Servers announce changes that are none, and list the same tools again.
      const isKnown =
        before?.tools.length === tools.length &&
        tools.every((tool, at) => tool === before.tools[at]) &&
        sameJson(before.work, work);
      return wasOther || !isKnown;
    },
    remove(source: string, owner?: ListOwner): boolean {
      if (owner === undefined) return [shared.delete(source), own.delete(source)].includes(true);
      const lists = own.get(source);
      const wasThere = lists?.delete(listOwnerKey(owner)) ?? false;
      if (lists?.size === 0) own.delete(source);
      return wasThere;
    },
    /** Every tool once, and the keys of the lists of those that are not for all. */
    offered(): {
      offered: NamelessTool[];
      owners: ReadonlyMap<NamelessTool, ReadonlySet<string | null>>;
    } {
      const owners = new Map<NamelessTool, Set<string | null>>();
      for (const lists of own.values())
        for (const [key, { tools }] of lists)
          for (const tool of tools) owners.set(tool, (owners.get(tool) ?? new Set()).add(key));
      return {
        offered: [...[...shared.values()].flatMap(({ tools }) => tools), ...owners.keys()],
        owners,
      };
    },
    listed(source: string): { tools: number; rejected: Translation["rejected"] } {
      const { tools, rejected } = listOf(source, usualUser) ?? { tools: [], rejected: [] };
      return { tools: tools.length, rejected };
    },
  };
}

/** An unchanged tool stays the same object, already frozen; a changed one keeps its id object. */
function keepKnown(
  known: readonly NamelessTool[],
  ofOthers: readonly NamelessTool[],
  listed: readonly NamelessTool[],
): NamelessTool[] {
  const byKey = once(() => Map.groupBy([...known, ...ofOthers], ({ id }) => toolKey(id)));
  return listed.map((tool, at) => {
    const inPlace = known[at];
    if (inPlace && isSameId(inPlace.id, tool.id) && sameJson(inPlace, tool)) return inPlace;
    const earlier = byKey().get(toolKey(tool.id)) ?? [];
    const [first] = earlier;
    return earlier.find((one) => sameJson(one, tool)) ?? (first ? { ...tool, id: first.id } : tool);
  });
}

export function isSameId(a: ToolId, b: ToolId): boolean {
  return a.tool === b.tool && a.server === b.server;
}
