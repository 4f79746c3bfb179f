import { spellings } from "../../../src/model/catalogue/tool-name.ts";
import type { Findable } from "./fields.ts";
import {
  type Corpus,
  createSegmentBuilder,
  groupByTerm,
  type Mask,
  type Segment,
} from "./segment.ts";
import {
  createDictionary,
  createTermReader,
  type Dictionary,
  type TermReader,
} from "./term-reader.ts";
import { verbsIn } from "./verbs.ts";
import { joinWords } from "./words.ts";

export type ServerText = (server: string | null) => string;

export type ToolIndex = ReturnType<typeof createToolIndex>;

type Entry = { key: string; tool: Findable; serverText: string };

const maxSegments = 16;
/** Fewer gaps are not worth merging. */
const minGone = 256;

type State = {
  entries: (Entry | null)[];
  slots: Map<string, number>;
  names: ExactNames;
  segments: Segment[];
  dictionary: Dictionary;
  verbs: Uint16Array;
  alive: number;
};

/** Tools that are being read, and will be found when enough of them are. */
type Reading = {
  missing: Entry[];
  at: number;
  reader: TermReader;
  builder: SegmentBuilder;
  from: number;
  most: number;
};
/** At least so many make a segment. */
const minSegment = 1_000;

function createState(): State {
  return {
    entries: [],
    slots: new Map(),
    names: createExactNames(),
    segments: [],
    dictionary: createDictionary(),
    verbs: new Uint16Array(0),
    alive: 0,
  };
}

/** Terms of tools that are gone stay in the dictionary; so many are not worth a new one. */
const minUnused = 20_000;

function isMostlyUnused({ segments: [all], dictionary }: State): boolean {
  if (all === undefined || dictionary.size() < minUnused) return false;
  let used = 0;
  for (let term = 0; term + 1 < all.starts.length; term++)
    if (all.starts[term] !== all.starts[term + 1]) used += 1;
  return used < dictionary.size() / 2;
}

/** All tools, for all callers; each search says which of them its caller sees. */
export function createToolIndex() {
  const state = createState();
  let current: readonly Findable[] = [];
  let reading: Reading | null = null;
  let masks = new WeakMap<readonly Findable[], Mask>();
  const left = () => (reading === null ? 0 : reading.missing.length - reading.from);
  const always = () => false;
  /** Reads on, and says whether more is found than before. */
  const read = (isOver: () => boolean): boolean => {
    if (reading === null) return false;
    const before = left();
    while (reading !== null && !isOver()) reading = readNext(state, reading);
    if (left() === before) return false;
    masks = new WeakMap();
    return true;
  };
  return {
    /** Drops what is gone or changed; `read` adds what is new. */
    follow(tools: readonly Findable[], serverText: ServerText): void {
      let missing = replace(state, tools, perServer(serverText));
      const gone = state.entries.length - state.alive;
      if (state.segments.length >= maxSegments || gone > Math.max(minGone, state.alive / 2)) {
        compact(state);
        if (isMostlyUnused(state)) {
          Object.assign(state, createState());
          missing = replace(state, tools, perServer(serverText));
        }
      }
      const most = Math.max(minSegment, Math.ceil(missing.length / maxSegments));
      const reader = createTermReader(state.dictionary);
      const builder = createSegmentBuilder(state.dictionary, reader);
      reading = missing.length === 0 ? null : { missing, at: 0, reader, builder, from: 0, most };
      current = tools;
      masks = new WeakMap();
    },
    read,
    /** Both at once; returns how many were read. */
    update(tools: readonly Findable[], serverText: ServerText): number {
      this.follow(tools, serverText);
      const added = left();
      read(always);
      return added;
    },
    /** How many are not found yet. */
    left,
    corpus(): Corpus {
      const { entries, segments, alive, dictionary, verbs } = state;
      return {
        segments,
        slots: entries.length,
        alive,
        isAlive: (slot) => entries[slot] !== null,
        verbs,
        termOf: dictionary.get,
        wordsFrom: (start) => segments.flatMap(({ nameWords }) => wordsFrom(nameWords, start)),
        compare: (a, b) => compareTools((entries[a] as Entry).tool, (entries[b] as Entry).tool),
      };
    },
    toolAt: (slot: number): Findable => (state.entries[slot] as Entry).tool,
    serverTextAt: (slot: number): string => (state.entries[slot] as Entry).serverText,
    /** The same object for a tool until it changes, wherever it is moved. */
    entryAt: (slot: number): object => state.entries[slot] as Entry,
    /** The slots of these tools. */
    among(tools: readonly Findable[]): Mask {
      const mask =
        masks.get(tools) ??
        (tools === current
          ? markAll(state.entries)
          : markSlots(tools, state.slots, state.entries.length));
      masks.set(tools, mask);
      return mask;
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
    let key = keyOf(tool);
    if (keys.has(key)) {
      // Users may have different tools of one name.
      variants.set(tool, nextVariant());
      key = keyOf(tool);
    }
    keys.add(key);
    const text = serverText(tool.id.server);
    const slot = slots.get(key) ?? -1;
    const before = entries[slot];
    if (before && isUnchanged(before, tool, text)) {
      before.tool = tool;
      seen[slot] = 1;
    } else added.push({ key, tool, serverText: text });
  }
  for (const [slot, entry] of entries.entries()) {
    if (entry === null || seen[slot] === 1) continue;
    slots.delete(entry.key);
    entries[slot] = null;
    state.alive -= 1;
  }
  return added;
}

/** One tool, and all since the last segment when they are enough. */
function readNext(state: State, reading: Reading): Reading | null {
  const { missing, at, reader, builder, from, most } = reading;
  const entry = missing[at] as Entry;
  builder.add(state.entries.length + at - from, entry.tool, entry.serverText);
  const next = at + 1;
  if (next < missing.length && next - from < most) {
    reading.at = next;
    return reading;
  }
  const segment = builder.finish();
  for (const one of missing.slice(from, next)) place(state, state.entries.push(one) - 1, one);
  state.segments.push(segment);
  state.alive += next - from;
  if (next === missing.length) return null;
  return {
    missing,
    at: next,
    reader,
    builder: createSegmentBuilder(state.dictionary, reader),
    from: next,
    most,
  };
}

function place(state: State, slot: number, { key, tool }: Entry): void {
  state.names.add(slot, tool);
  state.slots.set(key, slot);
  if (slot >= state.verbs.length) {
    const larger = new Uint16Array(Math.max(1_024, slot * 2));
    larger.set(state.verbs);
    state.verbs = larger;
  }
  state.verbs[slot] = verbsIn(tool.id.tool);
}

function compact(state: State): void {
  const moved = new Int32Array(state.entries.length).fill(-1);
  let next = 0;
  for (const [slot, entry] of state.entries.entries()) if (entry) moved[slot] = next++;
  state.segments = [mergeSegments(state.segments, moved, state.dictionary.size())];
  state.names = createExactNames();
  state.slots = new Map();
  state.entries = state.entries.filter((entry) => entry !== null);
  for (const [slot, entry] of state.entries.entries()) place(state, slot, entry as Entry);
}

function markAll(entries: readonly (Entry | null)[]): Mask {
  return Uint8Array.from(entries, (entry) => (entry === null ? 0 : 1));
}

function markSlots(
  tools: readonly Findable[],
  slots: ReadonlyMap<string, number>,
  size: number,
): Mask {
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
function isUnchanged({ tool: a, serverText }: Entry, b: Findable, serverTextNow: string): boolean {
  return (
    serverText === serverTextNow &&
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
  const left = a.persona ?? "";
  const right = b.persona ?? "";
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
function mergeSegments(segments: readonly Segment[], slotOf: Int32Array, terms: number): Segment {
  const most = segments.reduce((sum, { slots }) => sum + slots.length, 0);
  const postings = {
    rows: new Int32Array(most),
    slots: new Int32Array(most),
    worth: new Float32Array(most),
  };
  let count = 0;
  // Later segments have higher slots, so the slots of a term stay ascending.
  for (const { starts, slots, worth } of segments) {
    for (let term = 0; term + 1 < starts.length; term++) {
      const end = starts[term + 1] as number;
      for (let at = starts[term] as number; at < end; at++) {
        const slot = slotOf[slots[at] as number] as number;
        if (slot < 0) continue;
        postings.rows[count] = term;
        postings.slots[count] = slot;
        postings.worth[count] = worth[at] as number;
        count += 1;
      }
    }
  }
  const nameWords = [...new Set(segments.flatMap((segment) => segment.nameWords))].sort();
  return { nameWords, ...groupByTerm(terms, count, postings) };
}

const minTyped = 2;
const maxLonger = 8;

function wordsFrom(words: readonly string[], start: string): string[] {
  if (start.length < minTyped) return [];
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle] as string) < start) low = middle + 1;
    else high = middle;
  }
  const longer = words
    .slice(low, low + maxLonger + 1)
    .filter((word) => word.startsWith(start) && word !== start);
  return longer.slice(0, maxLonger);
}

type SegmentBuilder = ReturnType<typeof createSegmentBuilder>;
type ExactNames = ReturnType<typeof createExactNames>;

/** Ignores case and separators. By the name without server: all spellings with it would be most of the index. */
function createExactNames() {
  const byTool = new Map<string, number[]>();
  const byServer = new Map<string, Set<number>>();
  let longestServer = 0;
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
      longestServer = Math.max(longestServer, joined.length);
    },
    find(spelling: string): Set<number> {
      const joined = joinWords(spelling);
      const found = new Set(byTool.get(joined));
      for (const name of new Set([joined, joined.replace(/^mcp/, "")])) {
        for (let end = 0; end <= Math.min(longestServer, name.length); end++) {
          const slots = byServer.get(name.slice(0, end));
          const tools = slots === undefined ? undefined : byTool.get(name.slice(end));
          for (const slot of tools ?? []) if (slots?.has(slot)) found.add(slot);
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
