import { spellings } from "@toolplane/core/model/catalogue/tool-name";
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
const minGaps = 256;

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
  position: number;
  reader: TermReader;
  builder: SegmentBuilder;
  segmentStart: number;
  segmentSize: number;
};
/** At least so many make a segment. */
const minSegmentTools = 1_000;

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
const minUnusedTerms = 20_000;

function isMostlyUnused({ segments: [segment], dictionary }: State): boolean {
  if (segment === undefined || dictionary.size() < minUnusedTerms) return false;
  let usedTerms = 0;
  for (let term = 0; term + 1 < segment.starts.length; term++)
    if (segment.starts[term] !== segment.starts[term + 1]) usedTerms += 1;
  return usedTerms < dictionary.size() / 2;
}

/** All tools, for all callers; each search says which of them its caller sees. */
export function createToolIndex() {
  const state = createState();
  let currentTools: readonly Findable[] = [];
  let reading: Reading | null = null;
  let masks = new WeakMap<readonly Findable[], Mask>();
  const unreadCount = () => (reading === null ? 0 : reading.missing.length - reading.segmentStart);
  const maskOf = (tools: readonly Findable[]): Mask => {
    if (tools === currentTools)
      return Uint8Array.from(state.entries, (entry) => (entry === null ? 0 : 1));
    return markSlots(tools, state.slots, state.entries.length);
  };
  /** Reads on, and says whether more is found than before. */
  const read = (isOver: () => boolean): boolean => {
    if (reading === null) return false;
    const unreadBefore = unreadCount();
    while (reading !== null && !isOver()) reading = readNext(state, reading);
    if (unreadCount() === unreadBefore) return false;
    masks = new WeakMap();
    return true;
  };
  return {
    /** Drops what is gone or changed; `read` adds what is new. */
    follow(tools: readonly Findable[], serverText: ServerText): void {
      let missing = replace(state, tools, perServer(serverText));
      const gaps = state.entries.length - state.alive;
      if (state.segments.length >= maxSegments || gaps > Math.max(minGaps, state.alive / 2)) {
        compact(state);
        if (isMostlyUnused(state)) {
          Object.assign(state, createState());
          missing = replace(state, tools, perServer(serverText));
        }
      }
      const segmentSize = Math.max(minSegmentTools, Math.ceil(missing.length / maxSegments));
      const reader = createTermReader(state.dictionary);
      const builder = createSegmentBuilder(state.dictionary, reader);
      reading =
        missing.length === 0
          ? null
          : { missing, position: 0, reader, builder, segmentStart: 0, segmentSize };
      currentTools = tools;
      masks = new WeakMap();
    },
    read,
    /** Both at once; returns how many were read. */
    update(tools: readonly Findable[], serverText: ServerText): number {
      this.follow(tools, serverText);
      const added = unreadCount();
      read(() => false);
      return added;
    },
    /** How many are not found yet. */
    unread: unreadCount,
    corpus(): Corpus {
      const { entries, segments, alive, dictionary, verbs } = state;
      return {
        segments,
        slots: entries.length,
        alive,
        isAlive: (slot) => entries[slot] !== null,
        verbs,
        termOf: dictionary.get,
        wordsFrom: (start) => segments.flatMap(({ nameWords }) => completionsOf(nameWords, start)),
        compare: (a, b) => compareTools((entries[a] as Entry).tool, (entries[b] as Entry).tool),
      };
    },
    toolAt: (slot: number): Findable => (state.entries[slot] as Entry).tool,
    serverTextAt: (slot: number): string => (state.entries[slot] as Entry).serverText,
    /** The same object for a tool until it changes, wherever it is moved. */
    entryAt: (slot: number): object => state.entries[slot] as Entry,
    /** The slots of these tools. */
    among(tools: readonly Findable[]): Mask {
      const mask = masks.get(tools) ?? maskOf(tools);
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
  const isKept = new Uint8Array(entries.length);
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
    const previousEntry = entries[slot];
    if (previousEntry && isUnchanged(previousEntry, tool, text)) {
      previousEntry.tool = tool;
      isKept[slot] = 1;
    } else added.push({ key, tool, serverText: text });
  }
  for (const [slot, entry] of entries.entries()) {
    if (entry === null || isKept[slot] === 1) continue;
    slots.delete(entry.key);
    entries[slot] = null;
    state.alive -= 1;
  }
  return added;
}

/** One tool, and all since the last segment when they are enough. */
function readNext(state: State, reading: Reading): Reading | null {
  const { missing, position, reader, builder, segmentStart, segmentSize } = reading;
  const entry = missing[position] as Entry;
  builder.add(state.entries.length + position - segmentStart, entry.tool, entry.serverText);
  const next = position + 1;
  if (next < missing.length && next - segmentStart < segmentSize) {
    reading.position = next;
    return reading;
  }
  const segment = builder.finish();
  for (const newEntry of missing.slice(segmentStart, next))
    registerEntry(state, state.entries.push(newEntry) - 1, newEntry);
  state.segments.push(segment);
  state.alive += next - segmentStart;
  if (next === missing.length) return null;
  return {
    missing,
    position: next,
    reader,
    builder: createSegmentBuilder(state.dictionary, reader),
    segmentStart: next,
    segmentSize,
  };
}

function registerEntry(state: State, slot: number, { key, tool }: Entry): void {
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
  const newSlots = new Int32Array(state.entries.length).fill(-1);
  let nextSlot = 0;
  for (const [slot, entry] of state.entries.entries()) if (entry) newSlots[slot] = nextSlot++;
  state.segments = [mergeSegments(state.segments, newSlots, state.dictionary.size())];
  state.names = createExactNames();
  state.slots = new Map();
  state.entries = state.entries.filter((entry) => entry !== null);
  for (const [slot, entry] of state.entries.entries()) registerEntry(state, slot, entry as Entry);
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
  const key = `${id.server ?? ""}\0${id.tool}\0${persona ?? ""}\0${id.server === null ? 1 : 0}`;
  return variant === undefined ? key : `${variant}\0${key}`;
}

/** Schemas of unchanged tools stay the same object. */
function isUnchanged(
  { tool: indexedTool, serverText }: Entry,
  tool: Findable,
  currentServerText: string,
): boolean {
  return (
    serverText === currentServerText &&
    indexedTool.description === tool.description &&
    indexedTool.title === tool.title &&
    indexedTool.modelName === tool.modelName &&
    indexedTool.parameters === tool.parameters &&
    indexedTool.metadata.capabilities.join("\0") === tool.metadata.capabilities.join("\0")
  );
}

/** By name; a shared tool before those of personas. */
export function compareTools(a: Findable, b: Findable): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  const personaA = a.persona ?? "";
  const personaB = b.persona ?? "";
  if (personaA === personaB) return 0;
  return personaA < personaB ? -1 : 1;
}

function perServer(serverText: ServerText): ServerText {
  const texts = new Map<string | null, string>();
  return (server) => {
    const text = texts.get(server) ?? serverText(server);
    texts.set(server, text);
    return text;
  };
}

/** One segment without the gaps. `slotOf` maps old slots to new ones; -1 for a removed tool. */
function mergeSegments(segments: readonly Segment[], slotOf: Int32Array, terms: number): Segment {
  const maxPostings = segments.reduce((sum, { slots }) => sum + slots.length, 0);
  const postings = {
    rows: new Int32Array(maxPostings),
    slots: new Int32Array(maxPostings),
    worth: new Float32Array(maxPostings),
  };
  let count = 0;
  // Later segments have higher slots, so the slots of a term stay ascending.
  for (const { starts, slots, worth } of segments) {
    for (let term = 0; term + 1 < starts.length; term++) {
      const end = starts[term + 1] as number;
      for (let posting = starts[term] as number; posting < end; posting++) {
        const slot = slotOf[slots[posting] as number] as number;
        if (slot < 0) continue;
        postings.rows[count] = term;
        postings.slots[count] = slot;
        postings.worth[count] = worth[posting] as number;
        count += 1;
      }
    }
  }
  const nameWords = [...new Set(segments.flatMap((segment) => segment.nameWords))].sort();
  return { nameWords, ...groupByTerm(terms, count, postings) };
}

const minPrefixLength = 2;
const maxCompletions = 8;

function completionsOf(sortedWords: readonly string[], prefix: string): string[] {
  if (prefix.length < minPrefixLength) return [];
  let low = 0;
  let high = sortedWords.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sortedWords[middle] as string) < prefix) low = middle + 1;
    else high = middle;
  }
  const completions = sortedWords
    .slice(low, low + maxCompletions + 1)
    .filter((word) => word.startsWith(prefix) && word !== prefix);
  return completions.slice(0, maxCompletions);
}

type SegmentBuilder = ReturnType<typeof createSegmentBuilder>;
type ExactNames = ReturnType<typeof createExactNames>;

/** Ignores case and separators. By the name without server: all spellings with it would be most of the index. */
function createExactNames() {
  const byTool = new Map<string, number[]>();
  const byServer = new Map<string, Set<number>>();
  let longestServer = 0;
  const addName = (name: string, slot: number) => {
    if (!byTool.get(name)?.push(slot)) byTool.set(name, [slot]);
  };
  return {
    add(slot: number, { id, modelName }: Findable): void {
      addName(joinWords(id.tool), slot);
      const { server } = id;
      if (server === null) return;
      // A name for models that had to be changed is not `server__tool`.
      if (modelName.length !== server.length + id.tool.length + 2)
        addName(joinWords(modelName), slot);
      const joined = joinWords(server);
      const serverSlots = byServer.get(joined) ?? new Set();
      byServer.set(joined, serverSlots.add(slot));
      longestServer = Math.max(longestServer, joined.length);
    },
    find(spelling: string): Set<number> {
      const joined = joinWords(spelling);
      const matchingSlots = new Set(byTool.get(joined));
      for (const name of new Set([joined, joined.replace(/^mcp/, "")])) {
        for (let end = 0; end <= Math.min(longestServer, name.length); end++) {
          const serverSlots = byServer.get(name.slice(0, end));
          if (serverSlots === undefined) continue;
          for (const slot of byTool.get(name.slice(end)) ?? [])
            if (serverSlots.has(slot)) matchingSlots.add(slot);
        }
      }
      return matchingSlots;
    },
  };
}

function exactnessOf({ id, name, modelName }: Findable, spelling: string): number {
  if (name === spelling || modelName === spelling) return 3;
  if (spellings(id).includes(spelling)) return 2;
  return id.tool === spelling ? 1 : 0;
}
