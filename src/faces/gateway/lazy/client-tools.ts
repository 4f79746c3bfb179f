import { createLru } from "../../../lib/lru.ts";
import type { ClientHandle, ClientSource } from "../../../model/client-context.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Era } from "../../../protocol/session.ts";
import type { Surface } from "../surfaces.ts";
import { renderTool, type Wait } from "../tool-list.ts";
import type { LazyMode } from "./lazy-mode.ts";
import { createLoadedTools } from "./loaded-tools.ts";
import type { LookUp, Shown } from "./look-up.ts";
import { createScales } from "./scales.ts";
import { createShortList } from "./short-list.ts";

/** What one client was shown is remembered that far back. */
const minShown = 10_000;

/** The tools of one client: all that its surface has, or those that it needs. */
export type ClientTools = {
  id: string;
  isLazy(): Promise<boolean>;
  /** Is it known to be so? Asking costs nothing. */
  isSettled(): boolean;
  /** May it become so? */
  mayBeLazy(): boolean;
  /** The result of `tools/list`. */
  text(era: Era): Promise<string>;
  lookUp(wait?: Wait): Promise<LookUp>;
  /** The client has read of these, so it may call them. */
  show(tools: readonly Shown[]): void;
  /** May it call only what it was shown? */
  isStrict(): boolean;
  wasShown(tool: Shown): Promise<boolean>;
  /** Lists these from now on; the client is told once. Tells whether it lists them. */
  load(tools: readonly Shown[]): Promise<boolean>;
  /** The keys of those that it has loaded. */
  loaded(): string[];
  /** Loads again what it had on another plane, as far as it is there. */
  restore(keys: readonly string[]): Promise<void>;
  /** It was called, by its own name or through another. */
  used(name: string, how: { isListed: boolean }): Promise<void>;
  measure: ClientSource["measure"];
  /** From now on it is known what the client has. */
  watch(handle: ClientHandle): void;
  /** Its list is again what it was at first, and nobody asks what it has. */
  unload(): void;
  close(): void;
};

export type ClientToolsOptions = {
  id: string;
  surface: Surface;
  /** May its list be another than that of others? */
  keeps(): boolean;
  /** Its list is another one now. */
  onChanged(): Promise<void>;
};

export function createClientTools(plane: Plane, mode: LazyMode, options: ClientToolsOptions): ClientTools {
  const { surface, keeps, onChanged } = options;
  const loaded = createLoadedTools(() => plane.config().lazy.maxLoadedTokens);
  const shown = createLru<true>(minShown);
  const weigh = createScales(plane, surface);
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
    const tokens = await plane.countTokens(wanted.map(textOf));
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
      // The last is the one that was used last, and the best comes first.
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
      const { tools, tokens } = await weigh(await (isLazy ? write("legacy") : surface.tools.text("legacy")));
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
