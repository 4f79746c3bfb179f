import { createRunTable, emptyHash, extendHash } from "./run-table.ts";
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
      const knownTerm = terms.get(key);
      if (knownTerm !== undefined) return knownTerm;
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
  const runTerms: number[] = [];
  /** By word: where its two terms are. */
  const wordPositions = new Map<string, number>();
  const terms: number[] = [];
  const servers = new Map<string, Int32Array>();
  let buffer = new Int32Array(256);
  let count = 1;

  const takeTerms = (stem: number, exact: number, counts: number) => {
    if (count + 2 > buffer.length) buffer = doubled(buffer);
    buffer[count] = stem;
    buffer[count + 1] = exact;
    count += 2;
    buffer[0] = (buffer[0] as number) + counts;
  };
  const positionOf = (word: string): number => {
    const knownPosition = wordPositions.get(word);
    if (knownPosition !== undefined) return knownPosition;
    const position =
      terms.push(dictionary.add(stemWord(word)), dictionary.add(exactTerm(word))) - 2;
    wordPositions.set(word, position);
    return position;
  };
  const takeWord: TakeWord = (word, isJoined) => {
    const position = positionOf(word);
    takeTerms(terms[position] as number, terms[position + 1] as number, isJoined ? 0 : 1);
  };
  const learnWord: TakeWord = (word, isJoined) => {
    const position = positionOf(word);
    runTerms.push(isJoined ? 0 : 1, terms[position] as number, terms[position + 1] as number);
  };
  const takeRun = (text: string, from: number, end: number, hash: number) => {
    let run = runs.find(text, from, end, hash);
    if (run < 0) {
      run = runs.add(text, from, end, hash);
      eachWord(text.slice(from, end), learnWord);
      starts.push(runTerms.length);
    }
    const last = starts[run + 1] as number;
    for (let position = starts[run] as number; position < last; position += 3)
      takeTerms(
        runTerms[position + 1] as number,
        runTerms[position + 2] as number,
        runTerms[position] as number,
      );
  };
  /** False where a character is not ASCII. */
  const takeRuns = (text: string): boolean => {
    for (let position = 0; position < text.length; ) {
      let code = text.charCodeAt(position);
      if (code > 127) return false;
      if (runKinds[code] !== beginsRun) {
        position += 1;
        continue;
      }
      const from = position;
      let hash = emptyHash;
      do {
        hash = extendHash(hash, code);
        position += 1;
        code = position < text.length ? text.charCodeAt(position) : 0;
      } while (code < 128 && runKinds[code] !== 0);
      if (code > 127) return false;
      takeRun(text, from, position, hash);
    }
    return true;
  };
  const read = (text: string): Int32Array => {
    begin();
    if (!takeRuns(text)) {
      begin();
      eachWord(text, takeWord);
    }
    return buffer.subarray(0, count);
  };
  const begin = () => {
    count = 1;
    buffer[0] = 0;
  };
  return {
    /** Into one buffer that the next text overwrites. */
    read,
    /** The words of a name, and the joined name as one more. */
    joined(name: string): Int32Array {
      read(name);
      takeWord(joinWords(name), true);
      return buffer.subarray(0, count);
    },
    /** The same each time. */
    ofServer(text: string): Int32Array {
      const serverTerms = servers.get(text) ?? read(text).slice();
      servers.set(text, serverTerms);
      return serverTerms;
    },
  };
}

const beginsRun = 2;

function doubled(full: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(full.length * 2);
  larger.set(full);
  return larger;
}
