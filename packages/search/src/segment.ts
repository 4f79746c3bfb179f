import { type FieldName, type Findable, fields, searchTextsOf } from "./fields.ts";
import { stemOf } from "./stem.ts";
import { eachWord, joinWords, type TakeWord } from "./words.ts";

/** Term saturation (k1 of BM25). */
const saturation = 1.4;
export const maxPerTerm = saturation + 1;

/** An inverted index: the slots of a term are ascending, from `starts[term]` to `starts[term + 1]`, each with its worth. Terms that came later are not in it. */
export type Segment = {
  starts: Uint32Array;
  slots: Int32Array;
  worth: Float32Array;
  /** The words of the names, in order. */
  nameWords: readonly string[];
};

export type Corpus = {
  segments: readonly Segment[];
  /** How many slots were given out, and how many are in use. */
  slots: number;
  alive: number;
  isAlive(slot: number): boolean;
  compare(a: number, b: number): number;
  /** The kinds of verbs in its name, by slot. */
  verbs: Uint16Array;
  /** Undefined for a term that no tool has. */
  termOf(key: string): number | undefined;
  /** Words in names that begin so, and are longer. */
  wordsFrom(start: string): string[];
};

/** By slot: 1 for a tool that is there and that a search is for, else 0. */
export type Mask = Uint8Array;

/** A word counts by its stem, and half as much by its exact form. */
export function exactTerm(word: string): string {
  return `=${word}`;
}

const fieldNames = Object.keys(fields) as FieldName[];

/** The numbers of terms, and of the two terms of each word. */
export type Dictionary = ReturnType<typeof createDictionary>;

export function createDictionary() {
  const terms = new Map<string, number>();
  const words = new Map<string, number>();
  const ofWord: number[] = [];
  const termOf = (key: string) => {
    const before = terms.get(key);
    if (before !== undefined) return before;
    terms.set(key, terms.size);
    return terms.size - 1;
  };
  return {
    get: (key: string) => terms.get(key),
    size: () => terms.size,
    stem: (word: number) => ofWord[word] as number,
    exact: (word: number) => ofWord[word + 1] as number,
    word(word: string): number {
      const before = words.get(word);
      if (before !== undefined) return before;
      const id = ofWord.length;
      words.set(word, id);
      ofWord.push(termOf(stemOf(word)), termOf(exactTerm(word)));
      return id;
    },
  };
}

/** Slots must be added in ascending order. */
export function createSegmentBuilder(dictionary: Dictionary) {
  const postings = createPostings();
  const { read, joined } = createReader(dictionary);
  /** Words of a server are read once for all its tools. */
  const servers = new Map<string, Int32Array>();
  let sums = new Float32Array(1024);
  const met: number[] = [];
  const nameWords = new Set<string>();

  const readServer = (text: string): Int32Array => {
    const before = servers.get(text) ?? read(text).slice();
    servers.set(text, before);
    return before;
  };
  /** `words` is the number of words, followed by their rows. */
  const addUp = (field: FieldName, words: Int32Array) => {
    const { weight, dilution, usualLength } = fields[field];
    const gain = weight / (1 - dilution + (dilution * (words[0] as number)) / usualLength);
    for (let at = 1; at < words.length; at++) {
      const row = words[at] as number;
      if (sums[row] === 0) met.push(row);
      sums[row] = (sums[row] as number) + gain;
    }
  };

  return {
    add(slot: number, tool: Findable, serverText: string): void {
      const texts = searchTextsOf(tool, serverText);
      eachWord(texts.name, (word, isJoined) => {
        if (!isJoined) nameWords.add(word);
      });
      for (const field of fieldNames) {
        const isShared = field === "server" || field === "serverText";
        const words = field === "name" ? joined(texts.name) : isShared ? readServer(texts[field]) : read(texts[field]);
        while (dictionary.size() > sums.length) sums = growFloats(sums);
        addUp(field, words);
      }
      for (const row of met) {
        const sum = sums[row] as number;
        postings.keep(row, slot, (sum * maxPerTerm) / (sum + saturation));
        sums[row] = 0;
      }
      met.length = 0;
    },
    finish: (): Segment => ({
      nameWords: [...nameWords].sort(),
      ...groupByTerm(dictionary.size(), postings.count(), postings.all()),
    }),
  };
}

/** Reads into one buffer that the next text overwrites; copy it to keep it. */
function createReader(dictionary: Dictionary) {
  let found = new Int32Array(256);
  let count = 1;
  const take: TakeWord = (word, isJoined) => {
    const id = dictionary.word(word);
    if (count + 2 > found.length) found = growInts(found);
    found[count] = dictionary.stem(id);
    found[count + 1] = dictionary.exact(id);
    count += 2;
    if (!isJoined) found[0] = (found[0] as number) + 1;
  };
  const read = (text: string): Int32Array => {
    count = 1;
    found[0] = 0;
    eachWord(text, take);
    return found.subarray(0, count);
  };
  return {
    read,
    /** The words of a name, and the joined name as one more. */
    joined(name: string): Int32Array {
      read(name);
      take(joinWords(name), true);
      return found.subarray(0, count);
    },
  };
}

function createPostings() {
  const all: Postings = {
    rows: new Int32Array(4096),
    slots: new Int32Array(4096),
    worth: new Float32Array(4096),
  };
  let count = 0;
  return {
    all: () => all,
    count: () => count,
    keep(row: number, slot: number, worth: number): void {
      if (count === all.rows.length) {
        all.rows = growInts(all.rows);
        all.slots = growInts(all.slots);
        all.worth = growFloats(all.worth);
      }
      all.rows[count] = row;
      all.slots[count] = slot;
      all.worth[count] = worth;
      count += 1;
    },
  };
}

type Postings = { rows: Int32Array; slots: Int32Array; worth: Float32Array };

export function groupByTerm(rowCount: number, count: number, postings: Postings): Omit<Segment, "nameWords"> {
  const starts = new Uint32Array(rowCount + 1);
  for (let at = 0; at < count; at++) {
    const row = postings.rows[at] as number;
    starts[row + 1] = (starts[row + 1] as number) + 1;
  }
  for (let row = 0; row < rowCount; row++) {
    starts[row + 1] = (starts[row + 1] as number) + (starts[row] as number);
  }
  const next = starts.slice(0, rowCount);
  const slots = new Int32Array(count);
  const worth = new Float32Array(count);
  for (let at = 0; at < count; at++) {
    const row = postings.rows[at] as number;
    const place = next[row] as number;
    slots[place] = postings.slots[at] as number;
    worth[place] = postings.worth[at] as number;
    next[row] = place + 1;
  }
  return { starts, slots, worth };
}

function growInts(before: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(before.length * 2);
  larger.set(before);
  return larger;
}

function growFloats(before: Float32Array): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(before.length * 2);
  larger.set(before);
  return larger;
}
