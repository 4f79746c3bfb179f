import { matchesGlob } from "../../../lib/text/glob.ts";
import { alwaysLoaded } from "../../../model/catalogue/tool-name.ts";
import type { Plane } from "../../../model/plane.ts";
import type { ToolListing } from "../../../model/plane-tools.ts";

/** Whoever types does not wait for the slowest server. */
const waitMs = 10_000;

/**
 * Which definitions are in the context of this conversation: all of them where they are few enough, otherwise those that are
 * always loaded and those that a search has brought. Everything in chat that says "loaded" means this.
 */
export type Loading = Disposable & {
  /** The tools that are there for this conversation: those of disconnected servers are not. */
  tools(server?: string): Promise<ToolListing[]>;
  loadedAmong(tools: readonly ToolListing[]): Promise<(tool: ToolListing) => boolean>;
  /** How many of them were not loaded before. */
  load(names: readonly string[]): Promise<number>;
  unload(names: readonly string[]): void;
  /** Finds out what definitions cost, so that what is loaded can be told in tokens. */
  weigh(): Promise<void>;
};

/** `away` are the servers that were disconnected here. */
export function createLoading(plane: Plane, conversation: string, away: ReadonlySet<string>): Loading {
  const searched = new Set<string>();
  let costs = new Map<string, number>();
  const isLazy = () => plane.tools.isLazy({ waitMs: waitMs });
  const tools = async (server?: string) => {
    const all = await plane.tools.list({ waitMs: waitMs, ...(server === undefined ? {} : { server }) });
    return all.filter(({ id }) => id.server === null || !away.has(id.server));
  };
  const loadedAmong = async (some: readonly ToolListing[]) => {
    if (!(await isLazy())) return () => true;
    const always = alwaysLoaded(some, plane.config().lazy.alwaysLoadTools, matchesGlob);
    return (tool: ToolListing) => searched.has(tool.name) || always.has(tool);
  };
  const loadedNow = async () => {
    const here = await tools();
    return here.filter(await loadedAmong(here)).map(({ name }) => name);
  };
  const tokensOf = (names: readonly string[]) => names.reduce((sum, name) => sum + (costs.get(name) ?? 0), 0);
  const weigh = async () => {
    const { tools: weighed = [] } = await plane.stats({ tools: true });
    costs = new Map(weighed.map(({ name, fullTokens }) => [name, fullTokens]));
  };
  // A plane in another process has no use for what is shown here.
  const client = plane.isRemote
    ? undefined
    : plane.clients.watch({
        ...{ id: conversation, user: plane.identity.usualCaller().user, client: "toolplane chat", era: "modern" },
        since: new Date().toISOString(),
        async measure() {
          const names = await loadedNow();
          const mode = (await isLazy()) ? "lazy" : "full";
          return { mode, tools: names.length, loaded: [...searched], loadedTokens: tokensOf(names) };
        },
      });
  return {
    tools,
    loadedAmong,
    weigh,
    async load(found) {
      const before = new Set(await loadedNow());
      const fresh = found.filter((name) => !before.has(name));
      if (fresh.length === 0) return 0;
      await weigh();
      for (const name of fresh) searched.add(name);
      client?.loaded(fresh, tokensOf([...before, ...fresh]));
      return fresh.length;
    },
    unload(gone) {
      for (const name of gone) searched.delete(name);
    },
    [Symbol.dispose]: () => client?.close(),
  };
}
