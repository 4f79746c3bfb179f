import { once } from "../../../lib/async/once.ts";
import { uniqueId } from "../../../lib/ids-and-time.ts";
import { createLru } from "../../../lib/lru.ts";
import { matchesGlob } from "../../../lib/text/glob.ts";
import { codeTools, metaTools } from "../../../model/catalogue/meta-tools.ts";
import { alwaysLoaded, createToolNameIndex, toolKey } from "../../../model/catalogue/tool-name.ts";
import { isForModels } from "../../../model/catalogue/tool-page.ts";
import type { ClientHandle, ClientSource } from "../../../model/client-context.ts";
import type { Plane } from "../../../model/plane.ts";
import type { ShownTool } from "../../../model/plane-tools.ts";
import type { Era } from "../../../protocol/session.ts";
import { createGivenPages } from "../apps/given-pages.ts";
import type { Surface } from "../surfaces.ts";
import { renderList, renderMcpTool, type Wait } from "../tool-list.ts";
import type { LazyMode } from "./lazy-mode.ts";

/** Under the name that the client knows. */
export type Shown = { shown: string; key: string; tool: ShownTool };
export type LookUp = ReturnType<typeof createLookUp>;
type Named = ReadonlyMap<string, ShownTool>;

function createLookUp(named: Named) {
  const shownTools = [...named].map(
    ([shown, tool]): Shown => ({ shown, key: toolKey(tool.id), tool }),
  );
  const byKey = new Map(shownTools.map((tool) => [tool.key, tool]));
  const byName = new Map(shownTools.map((shownTool) => [shownTool.tool.name, shownTool]));
  for (const shownTool of shownTools) byName.set(shownTool.shown, shownTool);
  const index = once(() => createToolNameIndex(shownTools.map(({ tool }) => tool.id)));
  return {
    tools: shownTools,
    byKey: (key: string) => byKey.get(key),
    /** By a shown name, or any other spelling of one tool. */
    find(name: string): Shown | undefined {
      const exact = byName.get(name);
      if (exact) return exact;
      const indexed = index().find(name);
      if (indexed.kind !== "one") return undefined;
      return byKey.get(toolKey(indexed.id));
    },
  };
}

const lookUps = new WeakMap<Named, LookUp>();

/** Once per list, on first use. */
function lookUpIn(named: Named): LookUp {
  const lookUp = lookUps.get(named) ?? createLookUp(named);
  lookUps.set(named, lookUp);
  return lookUp;
}

type TokenCount = { text: string; tools: number; tokens: number };

/** Most clients of a surface have the same list, which is counted once. */
const tokenCounts = new WeakMap<Surface, Promise<TokenCount>>();

async function countTokens(plane: Plane, text: string): Promise<TokenCount> {
  const { tools } = JSON.parse(text) as { tools: unknown[] };
  const counts = await plane.tools.countTokens(tools.map((tool) => JSON.stringify(tool)));
  return { text, tools: counts.length, tokens: counts.reduce((sum, count) => sum + count, 0) };
}

type Written = {
  named: Named;
  config: object;
  revision: number;
  texts: Partial<Record<Era, string>>;
};

const nothing: Named = new Map();
/** Independent of the client and the number of servers. */
const codeTexts: Record<Era, string> = {
  legacy: JSON.stringify(renderList(codeTools, "legacy")),
  modern: JSON.stringify(renderList(codeTools, "modern")),
};
/** How many shown tools are remembered. */
const maxShown = 10_000;

type ClientToolsOptions = {
  surface: Surface;
  /** May its list differ from that of others? */
  keeps(): boolean;
  onChanged(): Promise<void>;
};

/** The tools of one client: all of its surface, or those it loaded. */
export class ClientTools {
  readonly id = uniqueId();
  readonly #plane: Plane;
  readonly #mode: LazyMode;
  readonly #surface: Surface;
  readonly #options: ClientToolsOptions;
  readonly #loaded: LoadedTools;
  readonly #shown = createLru<true>(maxShown);
  /** The pages that the client was given. */
  readonly pages = createGivenPages();
  #handle: ClientHandle | undefined;
  #written: Written | undefined;

  constructor(plane: Plane, mode: LazyMode, options: ClientToolsOptions) {
    this.#plane = plane;
    this.#mode = mode;
    this.#surface = options.surface;
    this.#options = options;
    this.#loaded = createLoadedTools(() => plane.config().lazy.maxLoadedTokens);
  }

  isLazy(): Promise<boolean> {
    return this.#mode.isLazy(this.#surface);
  }

  /** Has it programs instead of tools? */
  isCode(): boolean {
    return this.#mode.isCode(this.#surface);
  }

  /** Is it known to be lazy? Costs nothing. */
  isSettled(): boolean {
    return this.#mode.isSettled(this.#surface);
  }

  /** May it become lazy? */
  mayBeLazy(): boolean {
    return this.#surface.view.mode === null && this.#plane.config().lazy.mode === "auto";
  }

  mayCallOnlyShown(): boolean {
    return this.#plane.config().lazy.callable === "found";
  }

  /** The result of `tools/list`, rendered once per list. */
  async text(era: Era, isHost = true): Promise<string> {
    if (this.isCode()) return codeTexts[era];
    if (await this.isLazy()) return this.#shortText(era);
    return this.#surface.tools.text(era, isHost);
  }

  async lookUp(wait?: Wait): Promise<LookUp> {
    return lookUpIn(await this.#surface.tools.named(wait));
  }

  /** The client has seen these, so it may call them. */
  show(tools: readonly Shown[]): void {
    for (const { key } of tools) this.#shown.set(key, true);
  }

  async wasShown({ key }: Shown): Promise<boolean> {
    return this.#shown.has(key) || (await this.#alwaysLoaded()).some((tool) => tool.key === key);
  }

  loaded(): string[] {
    return this.#loaded.keys();
  }

  /** True when they are listed now; the client is notified once. */
  async load(tools: readonly Shown[]): Promise<boolean> {
    this.show(tools);
    if (!this.#options.keeps() || !this.isSettled()) return false;
    const alwaysListed = new Set((await this.#alwaysLoaded()).map(({ key }) => key));
    const toLoad = tools.filter(({ key }) => !alwaysListed.has(key));
    const texts = toLoad.map(({ shown, tool }) =>
      JSON.stringify(renderMcpTool(shown, tool, "legacy")),
    );
    const tokens = await this.#plane.tools.countTokens(texts);
    const { added, dropped } = this.#loaded.load(
      toLoad.map(({ key }, index) => ({ key, tokens: tokens[index] ?? 0 })),
    );
    const names = toLoad.flatMap(({ key, tool }) => (added.includes(key) ? tool.name : []));
    if (added.length > 0) this.#handle?.loaded(names, this.#loaded.tokens());
    if (added.length + dropped.length > 0) await this.#options.onChanged();
    return true;
  }

  /** Loads what the client had loaded at another plane, where it exists here. */
  async restore(keys: readonly string[]): Promise<void> {
    if (!(await this.isLazy())) return;
    const { byKey } = await this.lookUp();
    // `load` takes the best first, and the last key was used last.
    await this.load(keys.toReversed().flatMap((key) => byKey(key) ?? []));
  }

  /** Notes that the client called a tool, by its own name or through another tool. */
  async used(name: string, { isListed }: { isListed: boolean }): Promise<void> {
    if (!this.isSettled()) return;
    const shownTool = (await this.lookUp()).find(name);
    if (!shownTool) return;
    this.#loaded.touch(shownTool.key);
    if (isListed) await this.load([shownTool]);
  }

  readonly measure: ClientSource["measure"] = async () => {
    const isLazy = await this.isLazy();
    const text = await this.text("legacy");
    const previousCount = await tokenCounts.get(this.#surface)?.catch(() => undefined);
    const isCounted = previousCount?.text === text;
    const counting = isCounted ? Promise.resolve(previousCount) : countTokens(this.#plane, text);
    tokenCounts.set(this.#surface, counting);
    const { tools, tokens } = await counting;
    const { byKey } = await this.lookUp();
    const loaded = isLazy ? this.loaded().flatMap((key) => byKey(key)?.tool.name ?? []) : [];
    return { mode: this.#modeName(isLazy), tools, loaded, loadedTokens: tokens };
  };

  #modeName(isLazy: boolean) {
    if (this.isCode()) return "code";
    return isLazy ? "lazy" : "full";
  }

  /** Reports what the client has. */
  watch(handle: ClientHandle): void {
    this.#handle?.close();
    this.#handle = handle;
  }

  /** Resets its list and stops reporting it. */
  unload(): void {
    this.#handle?.close();
    this.#handle = undefined;
    this.#loaded.clear();
  }

  close(): void {
    this.unload();
    this.#shown.clear();
  }

  /** Tools that every client has without asking for them. */
  async #alwaysLoaded(): Promise<Shown[]> {
    const patterns = this.#plane.config().lazy.alwaysLoadTools;
    if (patterns.length === 0) return [];
    const { tools: shownTools } = await this.lookUp();
    const tools = shownTools.map(({ tool }) => tool);
    const always = alwaysLoaded(tools, patterns, matchesGlob);
    return shownTools.filter(({ tool }) => always.has(tool) && isForModels(tool));
  }

  /** For a lazy client: our own tools, always loaded ones, and loaded ones. */
  async #shortText(era: Era): Promise<string> {
    const config = this.#plane.config();
    const isBare = this.loaded().length === 0 && config.lazy.alwaysLoadTools.length === 0;
    // A client with only our own tools waits for no server.
    const named = isBare ? nothing : await this.#surface.tools.named();
    const revision = this.#loaded.revision();
    const previous = this.#written;
    const isSame =
      previous?.named === named && previous.config === config && previous.revision === revision;
    const written = isSame ? previous : { named, config, revision, texts: {} };
    this.#written = written;
    if (written.texts[era] === undefined) {
      const tools = isBare ? [] : await this.#listed();
      const rendered = tools.map(({ shown, tool }) => renderMcpTool(shown, tool, era));
      written.texts[era] = JSON.stringify(renderList([...metaTools, ...rendered], era));
    }
    return written.texts[era];
  }

  /** Loaded tools come last, so that what stands before stays the same. */
  async #listed(): Promise<Shown[]> {
    const { byKey } = await this.lookUp();
    const always = await this.#alwaysLoaded();
    const firstKeys = new Set(always.map(({ key }) => key));
    const later = this.loaded().filter((key) => !firstKeys.has(key));
    return [...always, ...later.flatMap((key) => byKey(key) ?? [])];
  }
}

type SizedTool = { key: string; tokens: number };
type LoadedTools = ReturnType<typeof createLoadedTools>;

/** The tools that a client has loaded, within a limit of tokens. The last one asked for always stays. */
export function createLoadedTools(tokenLimit: () => number) {
  const loadedTools = new Map<string, { tokens: number; usedAt: number }>();
  let clock = 0;
  let revision = 0;
  const loadedTokens = () =>
    [...loadedTools.values()].reduce((total, { tokens }) => total + tokens, 0);
  const touch = (key: string) => {
    const tool = loadedTools.get(key);
    clock += 1;
    if (tool) tool.usedAt = clock;
  };

  function dropLeastRecentlyUsed(): string[] {
    const tools = [...loadedTools].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    const dropped: string[] = [];
    for (const [key] of tools) {
      if (loadedTokens() <= tokenLimit() || loadedTools.size === 1) break;
      loadedTools.delete(key);
      dropped.push(key);
    }
    return dropped;
  }

  return {
    /** Takes the best tool first. Returns the keys that are new, and those that had to go. */
    load(tools: readonly SizedTool[]): { added: string[]; dropped: string[] } {
      const fresh = new Set(tools.map(({ key }) => key).filter((key) => !loadedTools.has(key)));
      for (const { key, tokens } of tools)
        loadedTools.set(key, { usedAt: 0, ...loadedTools.get(key), tokens });
      // The best tool counts as used last, so it is the last to go.
      for (const { key } of tools.toReversed()) touch(key);
      const dropped = dropLeastRecentlyUsed().filter((key) => !fresh.has(key));
      const added = tools
        .map(({ key }) => key)
        .filter((key) => fresh.has(key) && loadedTools.has(key));
      if (added.length + dropped.length > 0) revision += 1;
      return { added, dropped };
    },
    /** Notes a use of the tool, so that others go before it. */
    touch,
    /** In the order of loading, so that earlier ones keep their place. */
    keys: () => [...loadedTools.keys()],
    tokens: loadedTokens,
    /** Changes with the keys. */
    revision: () => revision,
    clear(): void {
      if (loadedTools.size > 0) revision += 1;
      loadedTools.clear();
    },
  };
}
