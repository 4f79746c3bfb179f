import { spellings } from "../../model/catalogue/tool-name.ts";
import type { Findable } from "./fields.ts";
import { type Corpus, createSegmentBuilder, groupByRow, type Segment, type Test } from "./segment.ts";
import { verbsIn } from "./verbs.ts";
import { joinWords } from "./words.ts";

export type ServerText = (server: string | null) => string;

export type ToolIndex = ReturnType<typeof createToolIndex>;

/** `row`: where its vector is; -1 for none. */
type Entry = { key: string; tool: Findable; serverText: string; row: number; verbs: number };

const maxSegments = 16;
/** Fewer gaps are not worth merging. */
const minGone = 256;

type State = {
  entries: (Entry | null)[];
  slots: Map<string, number>;
  names: ExactNames;
  segments: Segment[];
  alive: number;
};

/** All tools, for all callers; each search says which of them its caller sees. */
export function createToolIndex() {
  const state: State = { entries: [], slots: new Map(), names: createExactNames(), segments: [], alive: 0 };
  let current: readonly Findable[] = [];
  let left = 0;
  let masks = new WeakMap<readonly Findable[], Uint8Array>();
  return {
    /** Reads only tools that are new or changed, `most` of them at once, and returns how many. */
    update(tools: readonly Findable[], serverText: ServerText, most = Number.POSITIVE_INFINITY): number {
      const missing = replace(state, tools, perServer(serverText));
      const added = missing.slice(0, most);
      left = missing.length - added.length;
      if (added.length > 0) append(state, added);
      const gone = state.entries.length - state.alive;
      if (state.segments.length > maxSegments || gone > Math.max(minGone, state.alive / 2)) compact(state);
      current = tools;
      masks = new WeakMap();
      return added.length;
    },
    /** How many the last update has not read. */
    left: () => left,
    corpus(): Corpus {
      const { entries, segments, alive } = state;
      return {
        segments,
        slots: entries.length,
        alive,
        isAlive: (slot) => entries[slot] !== null,
        verbsAt: (slot) => entries[slot]?.verbs ?? 0,
        wordsFrom: (start) => segments.flatMap(({ nameWords }) => wordsFrom(nameWords, start)),
        compare: (a, b) => compareTools((entries[a] as Entry).tool, (entries[b] as Entry).tool),
      };
    },
    toolAt: (slot: number): Findable => (state.entries[slot] as Entry).tool,
    serverTextAt: (slot: number): string => (state.entries[slot] as Entry).serverText,
    rowAt: (slot: number): number => state.entries[slot]?.row ?? -1,
    setRow(slot: number, row: number): void {
      (state.entries[slot] as Entry).row = row;
    },
    /** Is the tool of a slot one of these? */
    among(tools: readonly Findable[]): Test {
      if (tools === current) return () => true;
      const mask = masks.get(tools) ?? markSlots(tools, state.slots, state.entries.length);
      masks.set(tools, mask);
      return (slot) => mask[slot] === 1;
    },
    /** Tools with this name, exact ones first; a loose one ignores case and separators. */
    named(spelling: string, isLoose: boolean): number[] {
      return [...state.names.find(spelling)]
        .flatMap((slot) => {
          const tool = state.entries[slot]?.tool;
          return tool === undefined ? [] : { slot, tool, exactness: exactnessOf(tool, spelling) };
        })
        .filter(({ exactness }) => isLoose || exactness > 0)
        .sort((a, b) => b.exactness - a.exactness || compareTools(a.tool, b.tool))
        .map(({ slot }) => slot);
    },
    *all(): Iterable<number> {
      for (const [slot, entry] of state.entries.entries()) if (entry !== null) yield slot;
    },
  };
}

/** Keeps unchanged tools, drops the others, and returns what has to be added. */
function replace(state: State, tools: readonly Findable[], serverText: ServerText): Entry[] {
  const { entries, slots } = state;
  const seen = new Uint8Array(entries.length);
  const added: Entry[] = [];
  const keys = new Set<string>();
  for (const tool of tools) {
    // Users may have different tools of one name.
    if (keys.has(keyOf(tool))) variants.set(tool, nextVariant());
    keys.add(keyOf(tool));
    const now = { key: keyOf(tool), tool, serverText: serverText(tool.id.server), row: -1, verbs: 0 };
    const slot = slots.get(now.key) ?? -1;
    const before = entries[slot];
    if (before && isUnchanged(before, now)) {
      before.tool = tool;
      seen[slot] = 1;
    } else added.push(now);
  }
  for (const [slot, entry] of entries.entries()) {
    if (entry === null || seen[slot] === 1) continue;
    slots.delete(entry.key);
    entries[slot] = null;
    state.alive -= 1;
  }
  return added;
}

function append(state: State, added: readonly Entry[]): void {
  const builder = createSegmentBuilder();
  for (const entry of added) {
    const slot = state.entries.push(entry) - 1;
    entry.verbs = verbsIn(entry.tool.id.tool);
    builder.add(slot, entry.tool, entry.serverText);
    place(state, slot, entry);
  }
  state.segments.push(builder.finish());
  state.alive += added.length;
}

function place({ names, slots }: State, slot: number, { key, tool }: Entry): void {
  names.add(slot, tool);
  slots.set(key, slot);
}

function compact(state: State): void {
  const moved = new Int32Array(state.entries.length).fill(-1);
  let next = 0;
  for (const [slot, entry] of state.entries.entries()) if (entry) moved[slot] = next++;
  state.segments = [mergeSegments(state.segments, moved)];
  state.names = createExactNames();
  state.slots = new Map();
  state.entries = state.entries.filter((entry) => entry !== null);
  for (const [slot, entry] of state.entries.entries()) place(state, slot, entry as Entry);
}

function markSlots(tools: readonly Findable[], slots: ReadonlyMap<string, number>, size: number): Uint8Array {
  const mask = new Uint8Array(size);
  for (const tool of tools) {
    const slot = slots.get(keyOf(tool));
    if (slot !== undefined) mask[slot] = 1;
  }
  return mask;
}

const variants = new WeakMap<Findable, number>();
let lastVariant = 0;

function nextVariant(): number {
  lastVariant += 1;
  return lastVariant;
}

function keyOf(tool: Findable): string {
  const { id, persona } = tool;
  const variant = variants.get(tool);
  return `${variant === undefined ? "" : `${variant}\0`}${id.server ?? ""}\0${id.tool}\0${persona ?? ""}\0${id.server === null ? 1 : 0}`;
}

/** Schemas of unchanged tools stay the same object. */
function isUnchanged(before: Entry, now: Entry): boolean {
  const [a, b] = [before.tool, now.tool];
  return (
    before.serverText === now.serverText &&
    a.description === b.description &&
    a.title === b.title &&
    a.modelName === b.modelName &&
    a.parameters === b.parameters &&
    a.metadata.capabilities.join("\0") === b.metadata.capabilities.join("\0")
  );
}

/** By name; a shared tool before those of personas. */
export function compareTools(a: Findable, b: Findable): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  const [left, right] = [a.persona ?? "", b.persona ?? ""];
  return left === right ? 0 : left < right ? -1 : 1;
}

function perServer(serverText: ServerText): ServerText {
  const known = new Map<string | null, string>();
  return (server) => {
    const text = known.get(server) ?? serverText(server);
    known.set(server, text);
    return text;
  };
}

/** One segment without the gaps. `slotOf` maps old slots to new ones; -1 for a removed tool. */
function mergeSegments(segments: readonly Segment[], slotOf: Int32Array): Segment {
  const rows = new Map<string, number>();
  const most = segments.reduce((sum, { slots }) => sum + slots.length, 0);
  const postings = { rows: new Int32Array(most), slots: new Int32Array(most), worth: new Float32Array(most) };
  let count = 0;
  // Later segments have higher slots, so the slots of a term stay ascending.
  for (const { rows: terms, starts, slots, worth } of segments) {
    for (const [term, row] of terms) {
      const end = starts[row + 1] as number;
      for (let at = starts[row] as number; at < end; at++) {
        const slot = slotOf[slots[at] as number] as number;
        if (slot < 0) continue;
        const place = rows.get(term) ?? rows.size;
        rows.set(term, place);
        postings.rows[count] = place;
        postings.slots[count] = slot;
        postings.worth[count] = worth[at] as number;
        count += 1;
      }
    }
  }
  const nameWords = [...new Set(segments.flatMap((segment) => segment.nameWords))].sort();
  return { rows, nameWords, ...groupByRow(rows.size, count, postings) };
}

const minTyped = 2;
const maxLonger = 8;

function wordsFrom(words: readonly string[], start: string): string[] {
  if (start.length < minTyped) return [];
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle] as string) < start) low = middle + 1;
    else high = middle;
  }
  const longer = words.slice(low, low + maxLonger + 1).filter((word) => word.startsWith(start) && word !== start);
  return longer.slice(0, maxLonger);
}

type ExactNames = ReturnType<typeof createExactNames>;

/** Ignores case and separators. By the name without server: all spellings with it would be most of the index. */
function createExactNames() {
  const byTool = new Map<string, number[]>();
  const byServer = new Map<string, Set<number>>();
  const add = (name: string, slot: number) => {
    if (!byTool.get(name)?.push(slot)) byTool.set(name, [slot]);
  };
  return {
    add(slot: number, { id, modelName }: Findable): void {
      add(joinWords(id.tool), slot);
      const { server } = id;
      if (server === null) return;
      // A name for models that had to be changed is not `server__tool`.
      if (modelName.length !== server.length + id.tool.length + 2) add(joinWords(modelName), slot);
      const joined = joinWords(server);
      const known = byServer.get(joined) ?? new Set();
      byServer.set(joined, known.add(slot));
    },
    find(spelling: string): Set<number> {
      const joined = joinWords(spelling);
      const found = new Set(byTool.get(joined));
      for (const name of new Set([joined, joined.replace(/^mcp/, "")])) {
        for (const [server, slots] of byServer) {
          if (!name.startsWith(server)) continue;
          for (const slot of byTool.get(name.slice(server.length)) ?? []) if (slots.has(slot)) found.add(slot);
        }
      }
      return found;
    },
  };
}

function exactnessOf({ id, name, modelName }: Findable, spelling: string): number {
  if (name === spelling || modelName === spelling) return 3;
  if (spellings(id).includes(spelling)) return 2;
  return id.tool === spelling ? 1 : 0;
}
