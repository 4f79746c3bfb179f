import { createToolNameIndex, toolKey } from "../../../model/catalogue/tool-name.ts";
import type { ToolListing } from "../../../model/plane-tools.ts";

/** The tools of one list, by everything they are known by. */
export type LookUp = {
  /** By a name that is shown, or in any other spelling that means one tool. */
  find(name: string): Shown | undefined;
  byKey(key: string): Shown | undefined;
  all(): readonly Shown[];
};

/** A tool under the name that the client knows it by. */
export type Shown = { shown: string; key: string; tool: ToolListing };

const known = new WeakMap<ReadonlyMap<string, ToolListing>, LookUp>();

/** Made once for a list, and when somebody looks for the first time. */
export function lookUpIn(named: ReadonlyMap<string, ToolListing>): LookUp {
  const before = known.get(named);
  if (before) return before;
  const all = [...named].map(([shown, tool]): Shown => ({ shown, key: toolKey(tool.id), tool }));
  const byKey = new Map(all.map((one) => [one.key, one]));
  const byShown = new Map(all.map((one) => [one.shown, one]));
  const byName = new Map(all.map((one) => [one.tool.name, one]));
  let index: ReturnType<typeof createToolNameIndex> | undefined;
  const made: LookUp = {
    all: () => all,
    byKey: (key) => byKey.get(key),
    find(name) {
      const exact = byShown.get(name) ?? byName.get(name);
      if (exact) return exact;
      index ??= createToolNameIndex(all.map(({ tool }) => tool.id));
      const match = index.find(name);
      return match.kind === "one" ? byKey.get(toolKey(match.id)) : undefined;
    },
  };
  known.set(named, made);
  return made;
}
