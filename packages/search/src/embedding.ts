import { yieldEvery } from "../../../src/lib/async/pause.ts";
import type { FieldName } from "./fields.ts";
import { createRunTable, hashOfNone, hashOn } from "./run-table.ts";

export const dimensions = 256;
const headerBytes = 16;

/** What a field is worth, how its length dilutes it, and how many of its tokens are read. */
const fieldShares = [
  { field: "server", weight: 0.78, dilution: 0.4, most: 12 },
  { field: "serverText", weight: 0.45, dilution: 0.5, most: 64 },
  { field: "name", weight: 1.105, dilution: 0.5, most: 16 },
  { field: "description", weight: 1.65, dilution: 0.5, most: 96 },
  { field: "parameterNames", weight: 0.607, dilution: 0.25, most: 32 },
] as const satisfies readonly {
  field: FieldName;
  weight: number;
  dilution: number;
  most: number;
}[];
const maxQueryTokens = 64;

/** Fields of a server are the same for all its tools. */
const ofServer: ReadonlySet<FieldName> = new Set(["server", "serverText"]);
/** Of so many servers the sums are kept, while tools are read. */
const maxServers = 4_000;

export type Embedding = Awaited<ReturnType<typeof loadEmbedding>>;

/** Static vectors of tokens, distilled for texts about tools: the vector of a text is the sum of its tokens' vectors. The file has a header, the tokens line by line, a scale for each, then two numbers of four bits in each byte. */
export async function loadEmbedding(file: Uint8Array) {
  const header = new DataView(file.buffer, file.byteOffset);
  const [rows, numbers, tokenBytes] = [4, 8, 12].map((at) => header.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  if (numbers !== dimensions)
    throw new Error(`the vectors have ${numbers} numbers, not ${dimensions}`);
  const scalesAt = headerBytes + tokenBytes;
  // Everything is read where it stands in the file, and nothing of it is copied.
  const scaleAt = (id: number) => header.getFloat32(scalesAt + id * 4, true);
  const packed = file.subarray(scalesAt + rows * 4);
  const readTokens = await createTokenReader(file.subarray(headerBytes, scalesAt), rows);
  /** By the text of a server, then by its name: texts as long as these are not put together to look one up. */
  const servers = new Map<string, Map<string, Float64Array>>();
  let known = 0;
  /** One sum after the other. */
  const own = new Float64Array(dimensions);
  /** Which text last had a token. */
  const seen = new Int32Array(rows);
  let texts = 0;

  /** The numbers stand for -8 to 7: what is too much is taken away once for all of them. */
  const addUp = (sum: Float64Array, ids: readonly number[], weight: number) => {
    let all = 0;
    // Two tokens at once, each added by itself: the same sums in half the turns. Without a second one, nothing of the first.
    for (let which = 0; which < ids.length; which += 2) {
      const id = ids[which] as number;
      const next = ids[which + 1] ?? id;
      const by = weight * scaleAt(id);
      const byNext = which + 1 < ids.length ? weight * scaleAt(next) : 0;
      all += by;
      all += byNext;
      let from = id * (dimensions / 2);
      let fromNext = next * (dimensions / 2);
      for (let at = 0; at < dimensions; at += 2, from++, fromNext++) {
        const both = packed[from] as number;
        const bothNext = packed[fromNext] as number;
        sum[at] = (sum[at] as number) + by * (both & 15) + byNext * (bothNext & 15);
        sum[at + 1] = (sum[at + 1] as number) + by * (both >> 4) + byNext * (bothNext >> 4);
      }
    }
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] as number) - 8 * all;
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
  const addFields = (
    sum: Float64Array,
    from: Readonly<Record<FieldName, string>>,
    isOfServer: boolean,
  ) => {
    for (const { field, weight, dilution, most } of fieldShares) {
      if (ofServer.has(field) !== isOfServer) continue;
      const ids = distinct(readTokens(from[field], most));
      addUp(sum, ids, weight * ids.length ** -dilution);
    }
    return sum;
  };
  const forgetServers = () => {
    servers.clear();
    known = 0;
  };
  const ofServerIn = (from: Readonly<Record<FieldName, string>>): Float64Array => {
    if (known >= maxServers) forgetServers();
    const byName = servers.get(from.serverText) ?? new Map<string, Float64Array>();
    const before = byName.get(from.server);
    if (before !== undefined) return before;
    const sum = addFields(new Float64Array(dimensions), from, true);
    servers.set(from.serverText, byName.set(from.server, sum));
    known += 1;
    return sum;
  };
  return {
    /** A unit vector; all zero where no token is known. */
    query: (text: string): Float32Array =>
      toUnit(
        new Float32Array(addUp(new Float64Array(dimensions), readTokens(text, maxQueryTokens), 1)),
      ),
    tool(from: Readonly<Record<FieldName, string>>): Float32Array {
      own.set(ofServerIn(from));
      return toUnit(new Float32Array(addFields(own, from, false)));
    },
    /** What only helps to read many tools at once. */
    forgetServers,
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
async function createTokenReader(lines: Uint8Array, rows: number) {
  const ids = await createTokenTable(lines, rows);
  const pairs = createPairs(rows);
  const turn = yieldEvery();
  for (let id = 0; id < rows; id++) {
    const space = ids.spaceIn(id);
    if (space > 0) pairs.add(...ids.halves(id, space), id);
    if (turn.isOver()) await turn.next();
  }
  /** The longest known piece first; a piece within a word is spelled with ##. */
  const piecesOf = (word: string): number[] => {
    const found: number[] = [];
    for (let at = 0; at < word.length; ) {
      const piece = ids.longest(word, at);
      if (piece.id < 0) return [];
      found.push(piece.id);
      at = piece.end;
    }
    return found;
  };
  const wordsOf = (run: string): number[][] => {
    const whole = ids.get(run.toLowerCase());
    if (whole >= 0) return [[whole]];
    return (run.match(nameParts) ?? []).map((part) => {
      const word = part.toLowerCase();
      const id = ids.get(word);
      if (id >= 0) return [id];
      return word.length > (word < "a" ? maxDigits : maxWord) ? [] : piecesOf(word);
    });
  };
  let known = createRunTable();
  /** By run: where its words begin, each as the number of its tokens and these. */
  let starts = [0];
  let words: number[] = [];
  const learn = (text: string, from: number, end: number, hash: number): number => {
    if (known.size() > maxKnown) {
      known = createRunTable();
      starts = [0];
      words = [];
    }
    for (const word of wordsOf(text.slice(from, end))) words.push(word.length, ...word);
    starts.push(words.length);
    return known.add(text, from, end, hash);
  };
  return (text: string, most: number): number[] => {
    const found: number[] = [];
    const plain = withoutMarks(text);
    const length = Math.min(plain.length, maxText);
    let before = -1;
    const takeRun = (run: number) => {
      const end = starts[run + 1] as number;
      for (let at = starts[run] as number; at < end; ) {
        const size = words[at++] as number;
        const single = size === 1 ? (words[at] as number) : -1;
        for (const last = at + size; at < last; at++) found.push(words[at] as number);
        const pair = single < 0 || before < 0 ? -1 : pairs.get(before, single);
        if (pair >= 0) found.push(pair);
        before = single;
      }
    };
    for (let at = 0; found.length < most; ) {
      while (at < length && !isWordCode(plain.charCodeAt(at))) at++;
      const from = at;
      let hash = hashOfNone;
      for (; at < length && isWordCode(plain.charCodeAt(at)); at++)
        hash = hashOn(hash, plain.charCodeAt(at));
      if (from === at) break;
      const run = known.find(plain, from, at, hash);
      takeRun(run < 0 ? learn(plain, from, at, hash) : run);
    }
    if (found.length > most) found.length = most;
    return found;
  };
}

/** Letters and digits of ASCII. */
function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

const newLine = 10;
const blank = 32;
/** Of the # before a piece of a word. */
const mark = 35;

/** From the text of a token to its place among the lines of the file, which are not made texts. All of them are ASCII. */
async function createTokenTable(lines: Uint8Array, rows: number) {
  const size = 2 ** Math.ceil(Math.log2(rows * 2));
  const table = new Int32Array(size).fill(-1);
  const starts = new Uint32Array(rows + 1);
  const turn = yieldEvery();
  const lengthOf = (id: number) => (starts[id + 1] as number) - (starts[id] as number) - 1;
  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (size - 1);
  /** The token with these characters; `before` are those of ##. */
  const find = (hash: number, before: number, text: string, from: number, end: number): number => {
    for (let at = slotOf(hash); table[at] !== -1; at = (at + 1) & (size - 1)) {
      const id = table[at] as number;
      if (
        lengthOf(id) === before + end - from &&
        isAt((starts[id] as number) + before, text, from, end)
      )
        if (
          before === 0 ||
          (lines[starts[id] as number] === mark && lines[(starts[id] as number) + 1] === mark)
        )
          return id;
    }
    return -1;
  };
  const isAt = (place: number, text: string, from: number, end: number): boolean => {
    for (let at = from; at < end; at++)
      if (lines[place + at - from] !== text.charCodeAt(at)) return false;
    return true;
  };
  let place = 0;
  for (let id = 0; id < rows; id++) {
    starts[id] = place;
    let hash = hashOfNone;
    for (; place < lines.length && lines[place] !== newLine; place++)
      hash = hashOn(hash, lines[place] as number);
    place += 1;
    let at = slotOf(hash);
    while (table[at] !== -1) at = (at + 1) & (size - 1);
    table[at] = id;
    if (turn.isOver()) await turn.next();
  }
  starts[rows] = place;
  const get = (text: string): number => {
    let hash = hashOfNone;
    for (let at = 0; at < text.length; at++) hash = hashOn(hash, text.charCodeAt(at));
    return find(hash, 0, text, 0, text.length);
  };
  const textAt = (from: number, end: number) => String.fromCharCode(...lines.subarray(from, end));
  return {
    /** -1 where there is none. */
    get,
    /** The longest token that begins here in a word. */
    longest(word: string, from: number): { id: number; end: number } {
      const before = from === 0 ? 0 : 2;
      let hash = before === 0 ? hashOfNone : hashOn(hashOn(hashOfNone, mark), mark);
      let found = -1;
      let end = from;
      for (let at = from; at < word.length; at++) {
        hash = hashOn(hash, word.charCodeAt(at));
        const id = find(hash, before, word, from, at + 1);
        if (id < 0) continue;
        found = id;
        end = at + 1;
      }
      return { id: found, end };
    },
    /** Where the two words of a pair meet; 0 for any other token. */
    spaceIn(id: number): number {
      const from = starts[id] as number;
      const end = from + lengthOf(id);
      for (let at = from; at < end; at++) if (lines[at] === blank) return at - from;
      return 0;
    },
    halves(id: number, space: number): [first: number, second: number] {
      const from = starts[id] as number;
      return [get(textAt(from, from + space)), get(textAt(from + space + 1, from + lengthOf(id)))];
    },
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

function withoutMarks(text: string): string {
  const start = text.slice(0, 2 * maxText);
  return /^[\0-\x7f]*$/.test(start) ? start : start.normalize("NFKD").replace(/\p{Mn}/gu, "");
}
