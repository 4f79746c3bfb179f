import { matchesGlob } from "../../../lib/glob.ts";
import { alwaysLoaded } from "../../../model/always-loaded.ts";
import { metaTools } from "../../../model/meta-tools.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Era } from "../../../protocol/session.ts";
import type { Surface } from "../surfaces.ts";
import { renderList, renderTool, type Wait } from "../tool-list.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import { type LookUp, lookUpIn, type Shown } from "./look-up.ts";

export type ShortList = {
  /** The result of `tools/list`, written once as long as it is the same. */
  text(era: Era): Promise<string>;
  lookUp(wait?: Wait): Promise<LookUp>;
  /** Those that are there without being asked for. */
  always(): Promise<Shown[]>;
};

type Written = { named: object; config: object; revision: number; texts: Partial<Record<Era, string>> };

const nothing = new Map();

/** What a client is shown that loads what it needs: our own tools, those that are always there, and the loaded ones. */
export function createShortList(
  plane: Plane,
  surface: Surface,
  loaded: Pick<LoadedTools, "keys" | "revision">,
): ShortList {
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

  /** What is loaded comes last, so that what stands before it stays what it was. */
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
      // Who has only our own tools waits for no server.
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
