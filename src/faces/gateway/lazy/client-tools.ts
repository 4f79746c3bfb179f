import { createLru } from "../../../lib/lru.ts";
import { matchesGlob } from "../../../lib/text/glob.ts";
import { metaTools } from "../../../model/catalogue/meta-tools.ts";
import { alwaysLoaded, createToolNameIndex, toolKey } from "../../../model/catalogue/tool-name.ts";
import type { ClientHandle, ClientSource } from "../../../model/client-context.ts";
import type { Plane } from "../../../model/plane.ts";
import type { ToolListing } from "../../../model/plane-tools.ts";
import type { Era } from "../../../protocol/session.ts";
import type { Surface } from "../surfaces.ts";
import { renderList, renderTool, type Wait } from "../tool-list.ts";
import type { LazyMode } from "./lazy-mode.ts";

export type LookUp = {
  /** By a shown name, or any other spelling of one tool. */
  find(name: string): Shown | undefined;
  byKey(key: string): Shown | undefined;
  all(): readonly Shown[];
};

/** Under the name that the client knows. */
export type Shown = { shown: string; key: string; tool: ToolListing };

const known = new WeakMap<ReadonlyMap<string, ToolListing>, LookUp>();

/** Once per list, on first use. */
function lookUpIn(named: ReadonlyMap<string, ToolListing>): LookUp {
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

type ShortList = {
  /** The result of `tools/list`, rendered once per list. */
  text(era: Era): Promise<string>;
  lookUp(wait?: Wait): Promise<LookUp>;
  /** Loaded without being asked for. */
  always(): Promise<Shown[]>;
};

type Written = { named: object; config: object; revision: number; texts: Partial<Record<Era, string>> };

const nothing = new Map();

/** For a lazy client: our own tools, always loaded ones, and loaded ones. */
function createShortList(plane: Plane, surface: Surface, loaded: Pick<LoadedTools, "keys" | "revision">): ShortList {
  let written: Written | undefined;
  const patterns = () => plane.config().lazy.alwaysLoadTools;
  const lookUp = async (wait?: Wait) => lookUpIn(await surface.tools.named(wait));

  async function always(): Promise<Shown[]> {
    if (patterns().length === 0) return [];
    const all = (await lookUp()).all();
    const tools = all.map(({ tool }) => tool);
    const meant = alwaysLoaded(tools, patterns(), matchesGlob);
    return all.filter(({ tool }) => meant.has(tool));
  }

  /** Loaded tools come last, so that what stands before stays the same. */
  async function listed(): Promise<Shown[]> {
    const { byKey } = await lookUp();
    const first = await always();
    const there = new Set(first.map(({ key }) => key));
    return [...first, ...loaded.keys().flatMap((key) => (there.has(key) ? [] : (byKey(key) ?? [])))];
  }

  return {
    lookUp,
    always,
    async text(era) {
      const isBare = loaded.keys().length === 0 && patterns().length === 0;
      // A client with only our own tools waits for no server.
      const named = isBare ? nothing : await surface.tools.named();
      const state = { named, config: plane.config(), revision: loaded.revision() };
      if (!written || !isSame(written, state)) written = { ...state, texts: {} };
      const { texts } = written;
      if (texts[era] === undefined) {
        const tools = isBare ? [] : await listed();
        const rendered = tools.map(({ shown, tool }) => renderTool(shown, tool, era));
        texts[era] = JSON.stringify(renderList([...metaTools, ...rendered], era));
      }
      return texts[era];
    },
  };
}

function isSame(a: Omit<Written, "texts">, b: Omit<Written, "texts">): boolean {
  return a.named === b.named && a.config === b.config && a.revision === b.revision;
}

type TokenCount = { text: string; tools: number; tokens: number };

/** Most clients of a surface have the same list. */
const tokenCounts = new WeakMap<Surface, Promise<TokenCount>>();

/** The same list is counted once. */
function createTokenCounter(plane: Plane, surface: Surface) {
  async function count(text: string): Promise<TokenCount> {
    const { tools } = JSON.parse(text) as { tools: unknown[] };
    const counts = await plane.tools.countTokens(tools.map((tool) => JSON.stringify(tool)));
    return { text, tools: counts.length, tokens: counts.reduce((sum, one) => sum + one, 0) };
  }
  return async (text: string): Promise<TokenCount> => {
    const before = await tokenCounts.get(surface)?.catch(() => undefined);
    if (before?.text === text) return before;
    const counting = count(text);
    tokenCounts.set(surface, counting);
    return counting;
  };
}

/** How many shown tools are remembered. */
const maxShown = 10_000;

/** All of its surface, or those it loaded. */
export type ClientTools = {
  id: string;
  isLazy(): Promise<boolean>;
  /** Costs nothing. */
  isSettled(): boolean;
  /** May it become lazy? */
  mayBeLazy(): boolean;
  text(era: Era): Promise<string>;
  lookUp(wait?: Wait): Promise<LookUp>;
  /** The client has seen these, so it may call them. */
  show(tools: readonly Shown[]): void;
  /** May it call only what it was shown? */
  isStrict(): boolean;
  wasShown(tool: Shown): Promise<boolean>;
  /** True when they are listed now; the client is notified once. */
  load(tools: readonly Shown[]): Promise<boolean>;
  loaded(): string[];
  /** From another plane, where they exist here. */
  restore(keys: readonly string[]): Promise<void>;
  /** Called by its own name or through another tool. */
  used(name: string, how: { isListed: boolean }): Promise<void>;
  measure: ClientSource["measure"];
  /** Reports what the client has. */
  watch(handle: ClientHandle): void;
  /** Resets its list and stops reporting it. */
  unload(): void;
  close(): void;
};

type ClientToolsOptions = {
  id: string;
  surface: Surface;
  /** May its list differ from that of others? */
  keeps(): boolean;
  onChanged(): Promise<void>;
};

export function createClientTools(plane: Plane, mode: LazyMode, options: ClientToolsOptions): ClientTools {
  const { surface, keeps, onChanged } = options;
  const loaded = createLoadedTools(() => plane.config().lazy.maxLoadedTokens);
  const shown = createLru<true>(maxShown);
  const countTokens = createTokenCounter(plane, surface);
  let handle: ClientHandle | undefined;
  const { text: write, lookUp, always } = createShortList(plane, surface, loaded);

  function show(tools: readonly Shown[]): void {
    for (const { key } of tools) shown.set(key, true);
  }

  async function load(tools: readonly Shown[]): Promise<boolean> {
    show(tools);
    if (!keeps() || !mode.isSettled(surface)) return false;
    const there = new Set((await always()).map(({ key }) => key));
    const wanted = tools.filter(({ key }) => !there.has(key));
    const tokens = await plane.tools.countTokens(wanted.map(textOf));
    const { added, dropped } = loaded.load(wanted.map(({ key }, at) => ({ key, tokens: tokens[at] ?? 0 })));
    if (added.length > 0)
      handle?.loaded(
        wanted.flatMap(({ key, tool }) => (added.includes(key) ? tool.name : [])),
        loaded.tokens(),
      );
    if (added.length + dropped.length > 0) await onChanged();
    return true;
  }

  function unload(): void {
    handle?.close();
    handle = undefined;
    loaded.clear();
  }

  return {
    id: options.id,
    lookUp,
    load,
    isLazy: () => mode.isLazy(surface),
    isSettled: () => mode.isSettled(surface),
    mayBeLazy: () => surface.view.mode === null && plane.config().lazy.mode === "auto",
    text: async (era) => ((await mode.isLazy(surface)) ? write(era) : surface.tools.text(era)),
    show,
    loaded: loaded.keys,
    async restore(keys) {
      if (!(await mode.isLazy(surface))) return;
      const { byKey } = await lookUp();
      // The best comes first; the last was used last.
      await load(keys.toReversed().flatMap((key) => byKey(key) ?? []));
    },
    isStrict: () => plane.config().lazy.callable === "found",
    async wasShown({ key }) {
      return shown.has(key) || (await always()).some((one) => one.key === key);
    },
    async used(name, { isListed }) {
      if (!mode.isSettled(surface)) return;
      const found = (await lookUp()).find(name);
      if (!found) return;
      loaded.touch(found.key);
      if (isListed) await load([found]);
    },
    async measure() {
      const isLazy = await mode.isLazy(surface);
      const { tools, tokens } = await countTokens(await (isLazy ? write("legacy") : surface.tools.text("legacy")));
      const names = (await lookUp()).byKey;
      return {
        mode: isLazy ? "lazy" : "full",
        tools,
        loaded: isLazy ? loaded.keys().flatMap((key) => names(key)?.tool.name ?? []) : [],
        loadedTokens: tokens,
      };
    },
    watch(given) {
      handle?.close();
      handle = given;
    },
    unload,
    close() {
      unload();
      shown.clear();
    },
  };
}

function textOf({ shown, tool }: Shown): string {
  return JSON.stringify(renderTool(shown, tool, "legacy"));
}

type SizedTool = { key: string; tokens: number };

type LoadedTools = {
  /** The best first; returns what is new and what had to go. */
  load(tools: readonly SizedTool[]): { added: string[]; dropped: string[] };
  /** It was used, so others go before it. */
  touch(key: string): void;
  /** In the order of loading, so that earlier ones keep their place. */
  keys(): string[];
  tokens(): number;
  /** Changes with the keys. */
  revision(): number;
  clear(): void;
};

type Kept = { tokens: number; usedAt: number };

/** Within a token limit, and always with the last one asked for. */
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
