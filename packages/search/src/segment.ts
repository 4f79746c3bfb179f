import { type FieldName, type Findable, fields, searchTextsOf } from "./fields.ts";
import type { Dictionary, TermReader } from "./term-reader.ts";
import { eachWord } from "./words.ts";

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

const fieldNames = Object.keys(fields) as FieldName[];

/** Slots must be added in ascending order. */
export function createSegmentBuilder(
  dictionary: Dictionary,
  { read, joined, ofServer }: TermReader,
) {
  const postings = createPostings();
  let sums = new Float32Array(1024);
  const met: number[] = [];
  const nameWords = new Set<string>();

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
        const words =
          field === "name"
            ? joined(texts.name)
            : isShared
              ? ofServer(texts[field])
              : read(texts[field]);
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

export function groupByTerm(
  rowCount: number,
  count: number,
  postings: Postings,
): Omit<Segment, "nameWords"> {
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
