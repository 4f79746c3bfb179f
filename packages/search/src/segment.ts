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
  const touchedRows: number[] = [];
  const nameWords = new Set<string>();

  /** `rows` is the number of words, followed by their rows. */
  const addGains = (field: FieldName, rows: Int32Array) => {
    const { weight, dilution, usualLength } = fields[field];
    const gain = weight / (1 - dilution + (dilution * (rows[0] as number)) / usualLength);
    for (let index = 1; index < rows.length; index++) {
      const row = rows[index] as number;
      if (sums[row] === 0) touchedRows.push(row);
      sums[row] = (sums[row] as number) + gain;
    }
  };

  const rowsOf = (field: FieldName, text: string): Int32Array => {
    if (field === "name") return joined(text);
    return field === "server" || field === "serverText" ? ofServer(text) : read(text);
  };

  return {
    add(slot: number, tool: Findable, serverText: string): void {
      const texts = searchTextsOf(tool, serverText);
      eachWord(texts.name, (word, isJoined) => {
        if (!isJoined) nameWords.add(word);
      });
      for (const field of fieldNames) {
        const rows = rowsOf(field, texts[field]);
        while (dictionary.size() > sums.length) sums = growFloats(sums);
        addGains(field, rows);
      }
      for (const row of touchedRows) {
        const sum = sums[row] as number;
        postings.keep(row, slot, (sum * maxPerTerm) / (sum + saturation));
        sums[row] = 0;
      }
      touchedRows.length = 0;
    },
    finish: (): Segment => ({
      nameWords: [...nameWords].sort(),
      ...groupByTerm(dictionary.size(), postings.count(), postings.all()),
    }),
  };
}

function createPostings() {
  const postings: Postings = {
    rows: new Int32Array(4096),
    slots: new Int32Array(4096),
    worth: new Float32Array(4096),
  };
  let count = 0;
  return {
    all: () => postings,
    count: () => count,
    keep(row: number, slot: number, worth: number): void {
      if (count === postings.rows.length) {
        postings.rows = growInts(postings.rows);
        postings.slots = growInts(postings.slots);
        postings.worth = growFloats(postings.worth);
      }
      postings.rows[count] = row;
      postings.slots[count] = slot;
      postings.worth[count] = worth;
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
  for (let posting = 0; posting < count; posting++) {
    const row = postings.rows[posting] as number;
    starts[row + 1] = (starts[row + 1] as number) + 1;
  }
  for (let row = 0; row < rowCount; row++) {
    starts[row + 1] = (starts[row + 1] as number) + (starts[row] as number);
  }
  const nextPositions = starts.slice(0, rowCount);
  const slots = new Int32Array(count);
  const worth = new Float32Array(count);
  for (let posting = 0; posting < count; posting++) {
    const row = postings.rows[posting] as number;
    const position = nextPositions[row] as number;
    slots[position] = postings.slots[posting] as number;
    worth[position] = postings.worth[posting] as number;
    nextPositions[row] = position + 1;
  }
  return { starts, slots, worth };
}

function growInts(full: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(full.length * 2);
  larger.set(full);
  return larger;
}

function growFloats(full: Float32Array): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(full.length * 2);
  larger.set(full);
  return larger;
}
