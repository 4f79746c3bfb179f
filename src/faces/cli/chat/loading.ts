import type { Plane } from "../../../model/plane.ts";

/** The tools whose definitions a search has brought into this conversation. */
export type Loading = Disposable & {
  has(name: string): boolean;
  names(): string[];
  /** How many of them were not there before. */
  load(names: readonly string[]): Promise<number>;
  unload(names: readonly string[]): void;
};

export function createLoading(plane: Plane, conversation: string): Loading {
  /** With the tokens of each. */
  const loaded = new Map<string, number>();
  const tokens = () => [...loaded.values()].reduce((sum, each) => sum + each, 0);
  // A plane in another process has no use for what is shown here.
  const client = plane.isElsewhere
    ? undefined
    : plane.watchClient({
        ...{ id: conversation, user: plane.usualCaller().user, client: "toolplane chat", era: "modern" },
        since: new Date().toISOString(),
        measure: async () => ({
          ...{ mode: "lazy", tools: loaded.size, loaded: [...loaded.keys()], loadedTokens: tokens() },
        }),
      });
  return {
    has: (name) => loaded.has(name),
    names: () => [...loaded.keys()],
    async load(found) {
      const fresh = found.filter((name) => !loaded.has(name));
      if (fresh.length === 0) return 0;
      const { tools = [] } = await plane.stats({ tools: true });
      for (const name of fresh) loaded.set(name, tools.find((tool) => tool.name === name)?.fullTokens ?? 0);
      client?.loaded(fresh, tokens());
      return fresh.length;
    },
    unload(gone) {
      for (const name of gone) loaded.delete(name);
    },
    [Symbol.dispose]: () => client?.close(),
  };
}
