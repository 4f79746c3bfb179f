import { createRunTable, hashOfNone, hashOn } from "./run-table.ts";
import { stemWord } from "./stem.ts";
import { eachWord, joinWords, runKinds, type TakeWord } from "./words.ts";

/** A word counts by its stem, and half as much by its exact form. */
export function exactTerm(word: string): string {
  return `=${word}`;
}

/** The numbers of terms. */
export type Dictionary = ReturnType<typeof createDictionary>;

export function createDictionary() {
  const terms = new Map<string, number>();
  return {
    get: (key: string) => terms.get(key),
    size: () => terms.size,
    /** Of a term that may be new. */
    add(key: string): number {
      const before = terms.get(key);
      if (before !== undefined) return before;
      terms.set(key, terms.size);
      return terms.size - 1;
    },
  };
}

export type TermReader = ReturnType<typeof createTermReader>;

/**
 * Reads a text as the number of its words, followed by their terms. A run of letters and digits is split into words once,
 * and the text of a server read once, however often they occur: so one reader is for many tools, and not to be kept.
 */
export function createTermReader(dictionary: Dictionary) {
  const runs = createRunTable();
  /** By run: where its words begin, each as 1, or 0 for a joined name, and its two terms. */
  const starts = [0];
  const words: number[] = [];
  /** By word: where its two terms are. */
  const known = new Map<string, number>();
  const terms: number[] = [];
  const servers = new Map<string, Int32Array>();
  let found = new Int32Array(256);
  let count = 1;

  const takeTerms = (stem: number, exact: number, counts: number) => {
    if (count + 2 > found.length) found = grown(found);
    found[count] = stem;
    found[count + 1] = exact;
    count += 2;
    found[0] = (found[0] as number) + counts;
  };
  const placeOf = (word: string): number => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const place = terms.push(dictionary.add(stemWord(word)), dictionary.add(exactTerm(word))) - 2;
    known.set(word, place);
    return place;
  };
  const take: TakeWord = (word, isJoined) => {
    const place = placeOf(word);
    takeTerms(terms[place] as number, terms[place + 1] as number, isJoined ? 0 : 1);
  };
  const learn: TakeWord = (word, isJoined) => {
    const place = placeOf(word);
    words.push(isJoined ? 0 : 1, terms[place] as number, terms[place + 1] as number);
  };
  const takeRun = (text: string, from: number, end: number, hash: number) => {
    let run = runs.find(text, from, end, hash);
    if (run < 0) {
      run = runs.add(text, from, end, hash);
      eachWord(text.slice(from, end), learn);
      starts.push(words.length);
    }
    const last = starts[run + 1] as number;
    for (let at = starts[run] as number; at < last; at += 3)
      takeTerms(words[at + 1] as number, words[at + 2] as number, words[at] as number);
  };
  /** False where a character is not ASCII. */
  const takeRuns = (text: string): boolean => {
    for (let at = 0; at < text.length; ) {
      let code = text.charCodeAt(at);
      if (code > 127) return false;
      if (runKinds[code] !== beginsRun) {
        at += 1;
        continue;
      }
      const from = at;
      let hash = hashOfNone;
      do {
        hash = hashOn(hash, code);
        at += 1;
        code = at < text.length ? text.charCodeAt(at) : 0;
      } while (code < 128 && runKinds[code] !== 0);
      if (code > 127) return false;
      takeRun(text, from, at, hash);
    }
    return true;
  };
  const read = (text: string): Int32Array => {
    begin();
    if (!takeRuns(text)) {
      begin();
      eachWord(text, take);
    }
    return found.subarray(0, count);
  };
  const begin = () => {
    count = 1;
    found[0] = 0;
  };
  return {
    /** Into one buffer that the next text overwrites. */
    read,
    /** The words of a name, and the joined name as one more. */
    joined(name: string): Int32Array {
      read(name);
      take(joinWords(name), true);
      return found.subarray(0, count);
    },
    /** The same each time. */
    ofServer(text: string): Int32Array {
      const before = servers.get(text) ?? read(text).slice();
      servers.set(text, before);
      return before;
    },
  };
}

const beginsRun = 2;

function grown(before: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(before.length * 2);
  larger.set(before);
  return larger;
}
