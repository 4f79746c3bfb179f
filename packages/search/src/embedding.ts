import { yieldEvery } from "../../../src/lib/async/pause.ts";
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

/** Fields of a server are the same for all its tools. */
const ofServer: ReadonlySet<FieldName> = new Set(["server", "serverText"]);
const maxServers = 1_000;

export type Embedding = Awaited<ReturnType<typeof loadEmbedding>>;

/** Static vectors of tokens, distilled for texts about tools: the vector of a text is the sum of its tokens' vectors. The file has a header, the tokens line by line, a scale for each, then two numbers of four bits in each byte. */
export async function loadEmbedding(file: Uint8Array) {
  const header = new DataView(file.buffer, file.byteOffset);
  const [rows, numbers, tokenBytes] = [4, 8, 12].map((at) => header.getUint32(at, true)) as [number, number, number];
  if (numbers !== dimensions) throw new Error(`the vectors have ${numbers} numbers, not ${dimensions}`);
  const scalesAt = headerBytes + tokenBytes;
  const tokens = new TextDecoder().decode(file.subarray(headerBytes, scalesAt)).trimEnd().split("\n");
  const scales = new Float32Array(Uint8Array.from(file.subarray(scalesAt, scalesAt + rows * 4)).buffer);
  const packed = file.subarray(scalesAt + rows * 4);
  const readTokens = await createTokenReader(tokens);
  const servers = new Map<string, Float32Array>();
  /** Which text last had a token. */
  const seen = new Int32Array(rows);
  let texts = 0;

  const addUp = (sum: Float32Array, ids: readonly number[], weight: number) => {
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
  const distinct = (ids: readonly number[]) => {
    texts += 1;
    return ids.filter((id) => {
      const isNew = seen[id] !== texts;
      seen[id] = texts;
      return isNew;
    });
  };
  const addFields = (sum: Float32Array, from: Readonly<Record<FieldName, string>>, isOfServer: boolean) => {
    for (const { field, weight, dilution, most } of fieldShares) {
      if (ofServer.has(field) !== isOfServer) continue;
      const ids = distinct(readTokens(from[field], most));
      addUp(sum, ids, weight * ids.length ** -dilution);
    }
    return sum;
  };
  return {
    /** A unit vector; all zero where no token is known. */
    query: (text: string): Float32Array =>
      toUnit(addUp(new Float32Array(dimensions), readTokens(text, maxQueryTokens), 1)),
    tool(from: Readonly<Record<FieldName, string>>): Float32Array {
      const server = `${from.server}\n${from.serverText}`;
      const shared = servers.get(server) ?? addFields(new Float32Array(dimensions), from, true);
      if (servers.size > maxServers) servers.clear();
      servers.set(server, shared);
      return toUnit(addFields(shared.slice(), from, false));
    },
  };
}

export function toUnit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += (vector[at] as number) ** 2;
  const by = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) * by;
  return vector;
}

const maxText = 2_000;
const maxKnown = 50_000;
const maxWord = 30;
const maxDigits = 4;
/** Where a name has no separators: XMLHttp2Request is XML, Http, 2, Request. */
const nameParts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

/** Reads a text as ids of tokens: words, pieces of unknown words, and pairs of words such as "pull request" beside them. */
async function createTokenReader(tokens: readonly string[]) {
  const ids = new Map<string, number>();
  const pairs = createPairs(tokens.length);
  const turn = yieldEvery();
  for (const [id, token] of tokens.entries()) {
    ids.set(token, id);
    if (turn.isOver()) await turn.next();
  }
  for (const [id, token] of tokens.entries()) {
    const space = token.indexOf(" ");
    if (space > 0) pairs.add(ids.get(token.slice(0, space)) ?? -1, ids.get(token.slice(space + 1)) ?? -1, id);
    if (turn.isOver()) await turn.next();
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
    const before = known.get(run);
    if (before !== undefined) return before;
    if (known.size > maxKnown) known.clear();
    const words = wordsOf(run);
    known.set(run, words);
    return words;
  };
  return (text: string, most: number): number[] => {
    const found: number[] = [];
    let before = -1;
    for (const run of runsOf(text)) {
      for (const word of knownWords(run)) {
        for (const id of word) found.push(id);
        const single = word.length === 1 ? (word[0] as number) : -1;
        const pair = single < 0 || before < 0 ? -1 : pairs.get(before, single);
        if (pair >= 0) found.push(pair);
        before = single;
      }
      if (found.length >= most) break;
    }
    if (found.length > most) found.length = most;
    return found;
  };
}

/** From two ids to one, in one array: their product is too large for the keys of a fast map. */
function createPairs(count: number) {
  const size = 2 ** Math.ceil(Math.log2(count * 2));
  const table = new Int32Array(size * 3).fill(-1);
  const placeOf = (first: number, second: number) => {
    let at = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0;
    for (at = (at ^ (at >>> 15)) & (size - 1); table[at * 3] !== -1; at = (at + 1) & (size - 1))
      if (table[at * 3] === first && table[at * 3 + 1] === second) break;
    return at * 3;
  };
  return {
    add(first: number, second: number, id: number): void {
      if (first >= 0 && second >= 0) table.set([first, second, id], placeOf(first, second));
    },
    get: (first: number, second: number): number => table[placeOf(first, second) + 2] as number,
  };
}

function* runsOf(text: string): Iterable<string> {
  const plain = withoutMarks(text).slice(0, maxText);
  const pattern = /[A-Za-z0-9]+/g;
  for (let run = pattern.exec(plain); run !== null; run = pattern.exec(plain)) yield run[0];
}

function withoutMarks(text: string): string {
  const start = text.slice(0, 2 * maxText);
  return /^[\0-\x7f]*$/.test(start) ? start : start.normalize("NFKD").replace(/\p{Mn}/gu, "");
}
