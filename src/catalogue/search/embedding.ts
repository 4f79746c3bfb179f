import type { FieldName } from "./fields.ts";

export const dimensions = 256;
const headerBytes = 16;

/** What a field is worth, how its length dilutes it, and how many of its tokens are read. */
const fieldShares = [
  { field: "server", weight: 0.78, dilution: 0.4, most: 12 },
  { field: "serverText", weight: 0.45, dilution: 0.5, most: 64 },
  { field: "name", weight: 1.105, dilution: 0.5, most: 16 },
  { field: "description", weight: 1.65, dilution: 0.5, most: 96 },
  { field: "parameterNames", weight: 0.607, dilution: 0.25, most: 32 },
] as const satisfies readonly { field: FieldName; weight: number; dilution: number; most: number }[];
const maxQueryTokens = 64;

/** Static vectors of tokens, distilled for texts about tools: the vector of a text is the sum of its tokens' vectors. The file has a header, the tokens line by line, a scale for each, then two numbers of four bits in each byte. */
export function createEmbedding(file: Uint8Array) {
  const header = new DataView(file.buffer, file.byteOffset);
  const [rows, numbers, tokenBytes] = [4, 8, 12].map((at) => header.getUint32(at, true)) as [number, number, number];
  if (numbers !== dimensions) throw new Error(`the vectors have ${numbers} numbers, not ${dimensions}`);
  const scalesAt = headerBytes + tokenBytes;
  const tokens = new TextDecoder().decode(file.subarray(headerBytes, scalesAt)).trimEnd().split("\n");
  const scales = new Float32Array(Uint8Array.from(file.subarray(scalesAt, scalesAt + rows * 4)).buffer);
  const packed = file.subarray(scalesAt + rows * 4);
  const readTokens = createTokenReader(tokens);

  const addUp = (sum: Float32Array, ids: Iterable<number>, weight: number) => {
    for (const id of ids) {
      const by = weight * (scales[id] as number);
      let from = id * (dimensions / 2);
      for (let at = 0; at < dimensions; at += 2, from++) {
        const both = packed[from] as number;
        sum[at] = (sum[at] as number) + by * ((both & 15) - 8);
        sum[at + 1] = (sum[at + 1] as number) + by * ((both >> 4) - 8);
      }
    }
    return sum;
  };
  return {
    /** A unit vector; all zero where no token is known. */
    query: (text: string): Float32Array =>
      toUnit(addUp(new Float32Array(dimensions), readTokens(text, maxQueryTokens), 1)),
    tool(texts: Readonly<Record<FieldName, string>>): Float32Array {
      const sum = new Float32Array(dimensions);
      for (const { field, weight, dilution, most } of fieldShares) {
        const ids = new Set(readTokens(texts[field], most));
        addUp(sum, ids, weight * ids.size ** -dilution);
      }
      return toUnit(sum);
    },
  };
}

export function toUnit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const by = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) * by;
  return vector;
}

const maxText = 2_000;
const maxKnown = 50_000;
const [maxWord, maxDigits] = [30, 4];
/** Where a name has no separators: XMLHttp2Request is XML, Http, 2, Request. */
const nameParts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/** Reads a text as ids of tokens: words, pieces of unknown words, and pairs of words such as "pull request" beside them. */
function createTokenReader(tokens: readonly string[]) {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const pairs = new Map<number, number>();
  const pairKey = (first: number, second: number) => first * tokens.length + second;
  for (const [id, token] of tokens.entries()) {
    const [first, second] = token.split(" ").map((word) => ids.get(word));
    if (first !== undefined && second !== undefined) pairs.set(pairKey(first, second), id);
  }
  /** The longest known piece first; a piece within a word is spelled with ##. */
  const piecesOf = (word: string): number[] => {
    const found: number[] = [];
    for (let at = 0; at < word.length; ) {
      let end = word.length;
      const idAt = () => ids.get(at === 0 ? word.slice(0, end) : `##${word.slice(at, end)}`);
      while (end > at && idAt() === undefined) end--;
      const id = idAt();
      if (end === at || id === undefined) return [];
      found.push(id);
      at = end;
    }
    return found;
  };
  const wordsOf = (run: string): number[][] => {
    const whole = ids.get(run.toLowerCase());
    if (whole !== undefined) return [[whole]];
    return (run.match(nameParts) ?? []).map((part) => {
      const word = part.toLowerCase();
      const id = ids.get(word);
      if (id !== undefined) return [id];
      return word.length > (word < "a" ? maxDigits : maxWord) ? [] : piecesOf(word);
    });
  };
  const known = new Map<string, number[][]>();
  const knownWords = (run: string) => {
    const words = known.get(run) ?? wordsOf(run);
    if (known.size > maxKnown) known.clear();
    known.set(run, words);
    return words;
  };
  return (text: string, most: number): number[] => {
    const found: number[] = [];
    let before = -1;
    for (const run of withoutMarks(text)
      .slice(0, maxText)
      .match(/[A-Za-z0-9]+/g) ?? []) {
      for (const word of knownWords(run)) {
        found.push(...word);
        const single = word.length === 1 ? (word[0] as number) : -1;
        const pair = single < 0 || before < 0 ? undefined : pairs.get(pairKey(before, single));
        if (pair !== undefined) found.push(pair);
        before = single;
      }
      if (found.length >= most) break;
    }
    return found.slice(0, most);
  };
}

function withoutMarks(text: string): string {
  const start = text.slice(0, 2 * maxText);
  return /^[\0-\x7f]*$/.test(start) ? start : start.normalize("NFKD").replace(/\p{Mn}/gu, "");
}
