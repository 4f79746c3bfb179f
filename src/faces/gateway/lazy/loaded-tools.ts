export type Weighed = { key: string; tokens: number };

export type LoadedTools = {
  /** Takes these in, the best first, and tells which are new and which had to go for them. */
  load(tools: readonly Weighed[]): { added: string[]; dropped: string[] };
  /** It was used, so others go before it. */
  touch(key: string): void;
  /** In the order in which they came, so that what stands before stays where it is. */
  keys(): string[];
  tokens(): number;
  /** Another number whenever the keys are others. */
  revision(): number;
  clear(): void;
};

type Kept = { tokens: number; usedAt: number };

/** The tools that one client has loaded: not more than so many tokens, and always the one that was asked for last. */
export function createLoadedTools(limit: () => number): LoadedTools {
  const kept = new Map<string, Kept>();
  let clock = 0;
  let revision = 0;
  const sum = () => [...kept.values()].reduce((total, { tokens }) => total + tokens, 0);
  const use = (key: string) => {
    const one = kept.get(key);
    clock += 1;
    if (one) one.usedAt = clock;
  };

  function makeRoom(): string[] {
    const oldest = [...kept].sort(([, a], [, b]) => a.usedAt - b.usedAt).map(([key]) => key);
    const dropped: string[] = [];
    for (const key of oldest) {
      if (sum() <= limit() || kept.size === 1) break;
      kept.delete(key);
      dropped.push(key);
    }
    return dropped;
  }

  return {
    load(tools) {
      const fresh = new Set(tools.flatMap(({ key }) => (kept.has(key) ? [] : [key])));
      for (const { key, tokens } of tools) kept.set(key, { usedAt: 0, ...kept.get(key), tokens });
      // The best is used last, so it is the last to go.
      for (const { key } of tools.toReversed()) use(key);
      const dropped = makeRoom();
      const added = tools.map(({ key }) => key).filter((key) => fresh.has(key) && kept.has(key));
      const gone = dropped.filter((key) => !fresh.has(key));
      if (added.length + gone.length > 0) revision += 1;
      return { added, dropped: gone };
    },
    touch: use,
    keys: () => [...kept.keys()],
    tokens: sum,
    revision: () => revision,
    clear() {
      if (kept.size > 0) revision += 1;
      kept.clear();
    },
  };
}
