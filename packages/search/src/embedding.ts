import { yieldEvery } from "@toolplane/core/lib/async/pause";
import type { FieldName } from "./fields.ts";
import { createRunTable, emptyHash, extendHash } from "./run-table.ts";

export const dimensions = 256;
const headerBytes = 16;

/** What a field is worth, how its length dilutes it, and how many of its tokens are read. */
const fieldShares = [
  { field: "server", weight: 0.78, dilution: 0.4, maxTokens: 12 },
  { field: "serverText", weight: 0.45, dilution: 0.5, maxTokens: 64 },
  { field: "name", weight: 1.105, dilution: 0.5, maxTokens: 16 },
  { field: "description", weight: 1.65, dilution: 0.5, maxTokens: 96 },
  { field: "parameterNames", weight: 0.607, dilution: 0.25, maxTokens: 32 },
] as const satisfies readonly {
  field: FieldName;
  weight: number;
  dilution: number;
  maxTokens: number;
}[];
const maxQueryTokens = 64;

/** Fields of a server are the same for all its tools. */
const serverFields: ReadonlySet<FieldName> = new Set(["server", "serverText"]);
/** Of so many servers the sums are kept, while tools are read. */
const maxServers = 4_000;

export type Embedding = Awaited<ReturnType<typeof loadEmbedding>>;

/** Static vectors of tokens, distilled for texts about tools: the vector of a text is the sum of its tokens' vectors. The file has a header, the tokens line by line, a scale for each, then two numbers of four bits in each byte. */
export async function loadEmbedding(file: Uint8Array) {
  const header = new DataView(file.buffer, file.byteOffset);
  const [rows, numbers, tokenBytes] = [4, 8, 12].map((offset) =>
    header.getUint32(offset, true),
  ) as [number, number, number];
  if (numbers !== dimensions)
    throw new Error(`the vectors have ${numbers} numbers, not ${dimensions}`);
  const scalesAt = headerBytes + tokenBytes;
  // Everything is read where it stands in the file, and nothing of it is copied.
  const scaleAt = (id: number) => header.getFloat32(scalesAt + id * 4, true);
  const packed = file.subarray(scalesAt + rows * 4);
  const readTokens = await createTokenReader(file.subarray(headerBytes, scalesAt), rows);
  /** By the text of a server, then by its name: texts as long as these are not put together to look one up. */
  const servers = new Map<string, Map<string, Float64Array>>();
  let serverCount = 0;
  /** One sum after the other. */
  const toolSum = new Float64Array(dimensions);
  /** Which text last had a token. */
  const lastTextWith = new Int32Array(rows);
  let textCount = 0;

  /** The numbers stand for -8 to 7: what is too much is taken away once for all of them. */
  const addUp = (sum: Float64Array, ids: readonly number[], weight: number) => {
    let totalScale = 0;
    // Two tokens at once, each added by itself: the same sums in half the turns. Without a second one, nothing of the first.
    for (let index = 0; index < ids.length; index += 2) {
      const id = ids[index] as number;
      const next = ids[index + 1] ?? id;
      const scale = weight * scaleAt(id);
      const nextScale = index + 1 < ids.length ? weight * scaleAt(next) : 0;
      totalScale += scale;
      totalScale += nextScale;
      let offset = id * (dimensions / 2);
      let nextOffset = next * (dimensions / 2);
      for (let dimension = 0; dimension < dimensions; dimension += 2, offset++, nextOffset++) {
        const packedPair = packed[offset] as number;
        const nextPackedPair = packed[nextOffset] as number;
        sum[dimension] =
          (sum[dimension] as number) +
          scale * (packedPair & 15) +
          nextScale * (nextPackedPair & 15);
        sum[dimension + 1] =
          (sum[dimension + 1] as number) +
          scale * (packedPair >> 4) +
          nextScale * (nextPackedPair >> 4);
      }
    }
    for (let dimension = 0; dimension < dimensions; dimension++)
      sum[dimension] = (sum[dimension] as number) - 8 * totalScale;
    return sum;
  };
  const distinct = (ids: readonly number[]) => {
    textCount += 1;
    return ids.filter((id) => {
      const isNew = lastTextWith[id] !== textCount;
      lastTextWith[id] = textCount;
      return isNew;
    });
  };
  const addFields = (
    sum: Float64Array,
    fieldTexts: Readonly<Record<FieldName, string>>,
    isServerField: boolean,
  ) => {
    for (const { field, weight, dilution, maxTokens } of fieldShares) {
      if (serverFields.has(field) !== isServerField) continue;
      const ids = distinct(readTokens(fieldTexts[field], maxTokens));
      addUp(sum, ids, weight * ids.length ** -dilution);
    }
    return sum;
  };
  const forgetServers = () => {
    servers.clear();
    serverCount = 0;
  };
  const serverSumOf = (fieldTexts: Readonly<Record<FieldName, string>>): Float64Array => {
    if (serverCount >= maxServers) forgetServers();
    const byName = servers.get(fieldTexts.serverText) ?? new Map<string, Float64Array>();
    const knownSum = byName.get(fieldTexts.server);
    if (knownSum !== undefined) return knownSum;
    const sum = addFields(new Float64Array(dimensions), fieldTexts, true);
    servers.set(fieldTexts.serverText, byName.set(fieldTexts.server, sum));
    serverCount += 1;
    return sum;
  };
  return {
    /** A unit vector; all zero where no token is known. */
    query: (text: string): Float32Array =>
      toUnit(
        new Float32Array(addUp(new Float64Array(dimensions), readTokens(text, maxQueryTokens), 1)),
      ),
    tool(fieldTexts: Readonly<Record<FieldName, string>>): Float32Array {
      toolSum.set(serverSumOf(fieldTexts));
      return toUnit(new Float32Array(addFields(toolSum, fieldTexts, false)));
    },
    /** What only helps to read many tools at once. */
    forgetServers,
  };
}

export function toUnit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += (vector[index] as number) ** 2;
  const scale = sum === 0 ? 0 : 1 / Math.sqrt(sum);
  for (let index = 0; index < vector.length; index++)
    vector[index] = (vector[index] as number) * scale;
  return vector;
}

const maxText = 2_000;
const maxKnownRuns = 50_000;
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
    const pieceIds: number[] = [];
    for (let position = 0; position < word.length; ) {
      const piece = ids.longest(word, position);
      if (piece.id < 0) return [];
      pieceIds.push(piece.id);
      position = piece.end;
    }
    return pieceIds;
  };
  const wordsOf = (run: string): number[][] => {
    const wholeId = ids.get(run.toLowerCase());
    if (wholeId >= 0) return [[wholeId]];
    return (run.match(nameParts) ?? []).map((part) => {
      const word = part.toLowerCase();
      const id = ids.get(word);
      if (id >= 0) return [id];
      return word.length > (word < "a" ? maxDigits : maxWord) ? [] : piecesOf(word);
    });
  };
  let runs = createRunTable();
  /** By run: where its words begin, each as the number of its tokens and these. */
  let starts = [0];
  let runTokens: number[] = [];
  const learnRun = (text: string, from: number, end: number, hash: number): number => {
    if (runs.size() > maxKnownRuns) {
      runs = createRunTable();
      starts = [0];
      runTokens = [];
    }
    for (const word of wordsOf(text.slice(from, end))) runTokens.push(word.length, ...word);
    starts.push(runTokens.length);
    return runs.add(text, from, end, hash);
  };
  return (text: string, maxTokens: number): number[] => {
    const tokenIds: number[] = [];
    const plain = withoutMarks(text);
    const length = Math.min(plain.length, maxText);
    let previousSingle = -1;
    const takeRun = (run: number) => {
      const end = starts[run + 1] as number;
      for (let position = starts[run] as number; position < end; ) {
        const size = runTokens[position++] as number;
        const single = size === 1 ? (runTokens[position] as number) : -1;
        for (const last = position + size; position < last; position++)
          tokenIds.push(runTokens[position] as number);
        const pair = single < 0 || previousSingle < 0 ? -1 : pairs.get(previousSingle, single);
        if (pair >= 0) tokenIds.push(pair);
        previousSingle = single;
      }
    };
    for (let position = 0; tokenIds.length < maxTokens; ) {
      while (position < length && !isWordCode(plain.charCodeAt(position))) position++;
      const from = position;
      let hash = emptyHash;
      for (; position < length && isWordCode(plain.charCodeAt(position)); position++)
        hash = extendHash(hash, plain.charCodeAt(position));
      if (from === position) break;
      const run = runs.find(plain, from, position, hash);
      takeRun(run < 0 ? learnRun(plain, from, position, hash) : run);
    }
    if (tokenIds.length > maxTokens) tokenIds.length = maxTokens;
    return tokenIds;
  };
}

/** Letters and digits of ASCII. */
function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

const newLine = 10;
const blank = 32;
/** Of the # before a piece of a word. */
const hashSign = 35;

/** From the text of a token to its place among the lines of the file, which are not made texts. All of them are ASCII. */
async function createTokenTable(lines: Uint8Array, rows: number) {
  const size = 2 ** Math.ceil(Math.log2(rows * 2));
  const table = new Int32Array(size).fill(-1);
  const starts = new Uint32Array(rows + 1);
  const turn = yieldEvery();
  const lengthOf = (id: number) => (starts[id + 1] as number) - (starts[id] as number) - 1;
  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (size - 1);
  /** The token with these characters; `prefixLength` is that of ##. */
  const find = (
    hash: number,
    prefixLength: number,
    text: string,
    from: number,
    end: number,
  ): number => {
    for (let slot = slotOf(hash); table[slot] !== -1; slot = (slot + 1) & (size - 1)) {
      const id = table[slot] as number;
      if (
        lengthOf(id) === prefixLength + end - from &&
        isTextAt((starts[id] as number) + prefixLength, text, from, end)
      )
        if (
          prefixLength === 0 ||
          (lines[starts[id] as number] === hashSign &&
            lines[(starts[id] as number) + 1] === hashSign)
        )
          return id;
    }
    return -1;
  };
  const isTextAt = (lineStart: number, text: string, from: number, end: number): boolean => {
    for (let index = from; index < end; index++)
      if (lines[lineStart + index - from] !== text.charCodeAt(index)) return false;
    return true;
  };
  let position = 0;
  for (let id = 0; id < rows; id++) {
    starts[id] = position;
    let hash = emptyHash;
    for (; position < lines.length && lines[position] !== newLine; position++)
      hash = extendHash(hash, lines[position] as number);
    position += 1;
    let slot = slotOf(hash);
    while (table[slot] !== -1) slot = (slot + 1) & (size - 1);
    table[slot] = id;
    if (turn.isOver()) await turn.next();
  }
  starts[rows] = position;
  const get = (text: string): number => {
    let hash = emptyHash;
    for (let index = 0; index < text.length; index++)
      hash = extendHash(hash, text.charCodeAt(index));
    return find(hash, 0, text, 0, text.length);
  };
  const textAt = (from: number, end: number) => String.fromCharCode(...lines.subarray(from, end));
  return {
    /** -1 where there is none. */
    get,
    /** The longest token that begins here in a word. */
    longest(word: string, from: number): { id: number; end: number } {
      const prefixLength = from === 0 ? 0 : 2;
      let hash =
        prefixLength === 0 ? emptyHash : extendHash(extendHash(emptyHash, hashSign), hashSign);
      let longestId = -1;
      let end = from;
      for (let index = from; index < word.length; index++) {
        hash = extendHash(hash, word.charCodeAt(index));
        const id = find(hash, prefixLength, word, from, index + 1);
        if (id < 0) continue;
        longestId = id;
        end = index + 1;
      }
      return { id: longestId, end };
    },
    /** Where the two words of a pair meet; 0 for any other token. */
    spaceIn(id: number): number {
      const from = starts[id] as number;
      const end = from + lengthOf(id);
      for (let position = from; position < end; position++)
        if (lines[position] === blank) return position - from;
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
  const pairOffset = (first: number, second: number) => {
    let slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0;
    for (
      slot = (slot ^ (slot >>> 15)) & (size - 1);
      table[slot * 3] !== -1;
      slot = (slot + 1) & (size - 1)
    )
      if (table[slot * 3] === first && table[slot * 3 + 1] === second) break;
    return slot * 3;
  };
  return {
    add(first: number, second: number, id: number): void {
      if (first >= 0 && second >= 0) table.set([first, second, id], pairOffset(first, second));
    },
    get: (first: number, second: number): number => table[pairOffset(first, second) + 2] as number,
  };
}

function withoutMarks(text: string): string {
  const start = text.slice(0, 2 * maxText);
  return /^[\0-\x7f]*$/.test(start) ? start : start.normalize("NFKD").replace(/\p{Mn}/gu, "");
}
