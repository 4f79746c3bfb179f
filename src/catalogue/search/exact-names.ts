import { spellings } from "../../model/tool-name.ts";
import type { Findable } from "./fields.ts";
import { joinWords } from "./words.ts";

export type ExactNames = {
  add(slot: number, tool: Findable): void;
  /** Slots of those that a spelling may mean, whatever its case and separators. */
  find(spelling: string): Set<number>;
};

/** Tools by their own names. To hold every spelling with its server would be most of the index. */
export function createExactNames(): ExactNames {
  const byTool = new Map<string, number[]>();
  const byServer = new Map<string, Set<number>>();
  const add = (name: string, slot: number) => {
    const known = byTool.get(name);
    if (known === undefined) byTool.set(name, [slot]);
    else known.push(slot);
  };
  return {
    add(slot, { id, modelName }) {
      add(joinWords(id.tool), slot);
      const { server } = id;
      if (server === null) return;
      // Where the name for models had to be changed, it cannot be put together again.
      if (modelName.length !== server.length + id.tool.length + 2) add(joinWords(modelName), slot);
      const joined = joinWords(server);
      const known = byServer.get(joined) ?? new Set();
      byServer.set(joined, known.add(slot));
    },
    find(spelling) {
      const joined = joinWords(spelling);
      const found = new Set(byTool.get(joined));
      for (const name of new Set([joined, joined.replace(/^mcp/, "")])) {
        for (const [server, slots] of byServer) {
          if (!name.startsWith(server)) continue;
          for (const slot of byTool.get(name.slice(server.length)) ?? [])
            if (slots.has(slot)) found.add(slot);
        }
      }
      return found;
    },
  };
}

/** A name that is written out comes before one that is meant. */
export function exactnessOf({ id, name, modelName }: Findable, spelling: string): number {
  if (name === spelling || modelName === spelling) return 3;
  if (spellings(id).includes(spelling)) return 2;
  return id.tool === spelling ? 1 : 0;
}
