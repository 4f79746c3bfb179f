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
  const ownLists = new Map<string, Map<string | null, Translation>>();
  const listsOf = (source: string): Translation[] => {
    const sharedList = shared.get(source);
    if (sharedList) return [sharedList];
    return [...(ownLists.get(source)?.values() ?? [])];
  };
  const toolsOf = (source: string) => listsOf(source).flatMap(({ tools }) => tools);
  const listOf = (source: string, user: string | null): Translation | undefined => {
    const lists = ownLists.get(source);
    const list = shared.get(source) ?? lists?.get(user);
    if (list) return list;
    const directory = [...(lists?.keys() ?? [])].find((key) => key !== null && isDirectoryKey(key));
    if (directory === undefined) return undefined;
    return lists?.get(directory);
  };

  return {
    all: toolsOf,
    /** The tools of a source as this user sees them. Of one that lists by directory, those of any: it is one program. */
    of: (source: string, user: string | null): readonly NamelessTool[] =>
      listOf(source, user)?.tools ?? noTools,
    count: () =>
      [...shared.keys(), ...ownLists.keys()].reduce(
        (sum, source) => sum + new Set(toolsOf(source)).size,
        0,
      ),
    /** Returns whether anything changed. */
    set(
      source: string,
      { tools: listed, rejected, work }: Translation,
      owner?: ListOwner,
    ): boolean {
      const key = owner && listOwnerKey(owner);
      const previous = key === undefined ? shared.get(source) : ownLists.get(source)?.get(key);
      const tools = keepUnchanged(
        previous?.tools ?? noTools,
        key === undefined ? noTools : [...new Set(toolsOf(source))],
        listed,
      );
      const list = deepFreeze({ tools, rejected, work });
      // A list that all share ends those of users, and the other way round.
      const hadOtherKind = key === undefined ? ownLists.delete(source) : shared.delete(source);
      if (key === undefined) shared.set(source, list);
      else ownLists.set(source, (ownLists.get(source) ?? new Map()).set(key, list));
      // Servers announce changes that are none, and list the same tools again.
      const isUnchanged =
        previous?.tools.length === tools.length &&
        tools.every((tool, index) => tool === previous.tools[index]) &&
        sameJson(previous.work, work);
      return hadOtherKind || !isUnchanged;
    },
    remove(source: string, owner?: ListOwner): boolean {
      if (owner === undefined)
        return [shared.delete(source), ownLists.delete(source)].includes(true);
      const lists = ownLists.get(source);
      const wasListed = lists?.delete(listOwnerKey(owner)) ?? false;
      if (lists?.size === 0) ownLists.delete(source);
      return wasListed;
    },
    /** Every tool once, and the keys of the lists of those that are not for all. */
    offered(): {
      offered: NamelessTool[];
      owners: ReadonlyMap<NamelessTool, ReadonlySet<string | null>>;
    } {
      const owners = new Map<NamelessTool, Set<string | null>>();
      for (const lists of ownLists.values())
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
function keepUnchanged(
  previousTools: readonly NamelessTool[],
  toolsOfOthers: readonly NamelessTool[],
  listed: readonly NamelessTool[],
): NamelessTool[] {
  const byKey = once(() =>
    Map.groupBy([...previousTools, ...toolsOfOthers], ({ id }) => toolKey(id)),
  );
  return listed.map((tool, index) => {
    const previous = previousTools[index];
    if (previous && isSameId(previous.id, tool.id) && sameJson(previous, tool)) return previous;
    const sameId = byKey().get(toolKey(tool.id)) ?? [];
    const equal = sameId.find((candidate) => sameJson(candidate, tool));
    if (equal) return equal;
    const [first] = sameId;
    return first ? { ...tool, id: first.id } : tool;
  });
}

export function isSameId(a: ToolId, b: ToolId): boolean {
  return a.tool === b.tool && a.server === b.server;
}
