import type { JsonObject } from "@toolplane/core/model/json";
import type { Store } from "@toolplane/core/model/store";
import { stemOf } from "./stem.ts";
import { isEmptyInQueries, wordsOf } from "./words.ts";

/** What one user used after which words. Kept locally, by user. */
export type Learning = ReturnType<typeof createLearning>;

type Use = { stem: string; tool: string; weight: number; at: number };

const dayMs = 24 * 3_600_000;
const halfLifeMs = 30 * dayMs;
const keptMs = 180 * dayMs;
const maxUses = 2_000;
const maxStems = 12;
/** How long a call after a search counts for it. */
const searchMs = 10 * 60_000;
const maxUsers = 1_000;
/** What a tool that was used often after all these words gets, beside 1 for the one with the best words. */
const maxPoints = 0.5;
/** Uses that bring half of it. */
const halfAfter = 2;

type Ports = {
  store(): Promise<Pick<Store, "sharedValue" | "changeShared">>;
  /** What sets this configuration apart: another one has other tools of the same names. */
  configuration?(): string;
  now?(): number;
};

/** No name of a tool has one. */
const markEnd = "\n";

export function createLearning({ store, configuration = () => "", now = Date.now }: Ports) {
  const markedName = (tool: string) => {
    const mark = configuration();
    if (mark === "") return tool;
    return `${mark}${markEnd}${tool}`;
  };
  /** The tool's name; undefined for one of another configuration. What earlier versions learned counts for all. */
  const toolName = (markedTool: string): string | undefined => {
    const end = markedTool.indexOf(markEnd);
    if (end < 0) return markedTool;
    if (markedTool.slice(0, end) !== configuration()) return undefined;
    return markedTool.slice(end + 1);
  };
  const usesByUser = new Map<string, Use[]>();
  const weightOf = ({ weight, at: usedAt }: Use) =>
    weight * 0.5 ** (Math.max(0, now() - usedAt) / halfLifeMs);

  const usesOf = async (user: string): Promise<Use[]> => {
    const knownUses = usesByUser.get(user);
    if (knownUses !== undefined) return knownUses;
    const uses = readUses(await (await store()).sharedValue(learnedKey(user)));
    if (usesByUser.size > maxUsers) usesByUser.clear();
    usesByUser.set(user, uses);
    return uses;
  };
  return {
    /** The tools that were shown for a query. In the store, because the call may come from another process. */
    async searched(
      user: string,
      queries: readonly string[],
      tools: readonly string[],
    ): Promise<void> {
      const value = { stems: stemsOf(queries.join(" ")), tools: tools.map(markedName) };
      await (await store()).changeShared(lastSearchKey(user), searchMs, () => ({
        value,
        answer: null,
      }));
    },
    /** A call counts if the last search of this user showed the tool. */
    async called(user: string, tool: string): Promise<void> {
      const { sharedValue, changeShared } = await store();
      const search = (await sharedValue(lastSearchKey(user))) as {
        stems: string[];
        tools: string[];
      } | null;
      const markedTool = markedName(tool);
      if (!search?.tools.includes(markedTool)) return;
      const updatedUses = await changeShared(learnedKey(user), keptMs, (value) => {
        const uses = addUses(readUses(value), search.stems, markedTool);
        return { value: { uses }, answer: uses };
      });
      usesByUser.set(user, updatedUses);
    },
    /** Points by the name of a tool. */
    async learned(user: string): Promise<(query: string) => ReadonlyMap<string, number>> {
      const uses = await usesOf(user);
      return (query) => {
        const stems = stemsOf(query);
        const sums = new Map<string, number>();
        for (const use of uses) {
          const tool = toolName(use.tool);
          if (tool === undefined || !stems.includes(use.stem)) continue;
          sums.set(tool, (sums.get(tool) ?? 0) + weightOf(use) / stems.length);
        }
        return new Map(
          [...sums].map(([tool, sum]) => [tool, (maxPoints * sum) / (sum + halfAfter)]),
        );
      };
    },
    async forget(user: string): Promise<number> {
      const { length } = await usesOf(user);
      usesByUser.set(user, []);
      const { changeShared } = await store();
      for (const key of [learnedKey(user), lastSearchKey(user)])
        await changeShared(key, keptMs, () => ({ value: null, answer: null }));
      return length;
    },
  };

  function addUses(uses: readonly Use[], stems: readonly string[], tool: string): Use[] {
    const otherUses = uses.filter((use) => use.tool !== tool || !stems.includes(use.stem));
    const added = stems.map((stem) => {
      const previousUse = uses.find((use) => use.tool === tool && use.stem === stem);
      return {
        stem,
        tool,
        weight: 1 + (previousUse === undefined ? 0 : weightOf(previousUse)),
        at: now(),
      };
    });
    const updatedUses = [...otherUses, ...added];
    if (updatedUses.length <= maxUses) return updatedUses;
    return updatedUses.sort((a, b) => weightOf(b) - weightOf(a)).slice(0, maxUses);
  }
}

function readUses(value: JsonObject | null): Use[] {
  return (value?.uses ?? []) as Use[];
}

function lastSearchKey(user: string): string {
  return `search-last:${user}`;
}

function learnedKey(user: string): string {
  return `search-learned:${user}`;
}

function stemsOf(query: string): string[] {
  const words = wordsOf(query.slice(0, 2_000)).filter((word) => !isEmptyInQueries(word));
  return [...new Set(words.map(stemOf))].slice(0, maxStems);
}
