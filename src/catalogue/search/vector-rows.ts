import { dimensions } from "./embedding.ts";

/** Compiled from scan.wat, which says what it does. */
const scanCode =
  "AGFzbQEAAAABCAFgBH9/f38AAwIBAAUDAQABBxECBm1lbW9yeQIABHNjYW4AAArNAQHKAQMBfwV7AX8DQCABIAJJBED9DAAAAAAAAAAAAAAAAAAAAAAhBUEAIQQDQCAAIARq/QAEACEGIAH9AAQAIQcgACAEav0ABBAhCCAB/QAEECEJIAUgBiAH/ZwBIAYgB/2dAf2OASAIIAn9nAEgCCAJ/Z0B/Y4B/Y4B/X79rgEhBSABQSBqIQEgBEEgaiIEQYACSQ0ACyAF/RsAIAX9GwFqIAX9GwIgBf0bA2pqIQogCiADKAIASgRAIAMgCjYCAAsgA0EEaiEDDAELCws=";
const pageBytes = 65_536;
const rowBits = 127;
/** Seven bits with their sign: the scan adds four products in 16 bits. */
const queryBits = 63;
const bytesPerRow = dimensions + 4;

/** What of it is used: its types come with those of browsers only. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (compiled: object) => { exports: unknown };
};
type Scan = (query: number, row: number, end: number, best: number) => void;
type Code = { memory: { buffer: ArrayBuffer; grow(pages: number): number }; scan: Scan };

/** Vectors in one memory, a byte for each number, and their dot products with a query. */
export function createVectorRows(isPlain = false) {
  const code = isPlain ? null : loadCode();
  let capacity = 0;
  let memory: ArrayBuffer = new ArrayBuffer(0);
  let rows = new Int8Array(0);
  let scales = new Float32Array(0);

  const makeRoom = (count: number) => {
    if (count <= capacity) return;
    capacity = Math.max(count, capacity * 2, 256);
    const bytes = dimensions + capacity * bytesPerRow;
    const before = rows;
    if (code === null) memory = new ArrayBuffer(bytes);
    else {
      code.memory.grow(Math.max(0, Math.ceil((bytes - code.memory.buffer.byteLength) / pageBytes)));
      memory = code.memory.buffer;
    }
    rows = new Int8Array(memory, dimensions, capacity * dimensions);
    if (code === null) rows.set(before);
    const larger = new Float32Array(capacity);
    larger.set(scales);
    scales = larger;
  };
  const scanFor = (vector: Float32Array, count: number, best: Int32Array): number => {
    const query = new Int8Array(memory, 0, dimensions);
    const step = quantize(vector, query, queryBits);
    if (code === null) scanPlainly(query, rows, count, best);
    else code.scan(0, dimensions, dimensions * (count + 1), best.byteOffset);
    return step;
  };
  return {
    set(row: number, vector: Float32Array): void {
      makeRoom(row + 1);
      scales[row] = quantize(vector, rows.subarray(row * dimensions, (row + 1) * dimensions), rowBits);
    },
    /** For each of the first rows the largest likeness to one of these unit vectors. */
    likeness(vectors: readonly Float32Array[], count: number): Float32Array {
      const all = new Float32Array(count).fill(-1);
      if (count === 0) return all;
      const best = new Int32Array(memory, dimensions * (capacity + 1), count);
      for (const vector of vectors) {
        best.fill(-0x80000000);
        const step = scanFor(vector, count, best);
        for (let row = 0; row < count; row++)
          all[row] = Math.max(all[row] as number, (best[row] as number) * step * (scales[row] as number));
      }
      return all;
    },
    between(a: number, b: number): number {
      const [from, to] = [a * dimensions, b * dimensions];
      let sum = 0;
      for (let at = 0; at < dimensions; at++) sum += (rows[from + at] as number) * (rows[to + at] as number);
      return sum * (scales[a] as number) * (scales[b] as number);
    },
  };
}

/** Returns what one step stands for. */
function quantize(vector: Float32Array, to: Int8Array, bits: number): number {
  let most = 1e-9;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  for (let at = 0; at < dimensions; at++) to[at] = Math.round(((vector[at] as number) / most) * bits);
  return most / bits;
}

function scanPlainly(query: Int8Array, rows: Int8Array, count: number, best: Int32Array): void {
  for (let row = 0, from = 0; row < count; row++, from += dimensions) {
    let sum = 0;
    for (let at = 0; at < dimensions; at++) sum += (query[at] as number) * (rows[from + at] as number);
    best[row] = sum;
  }
}

/** Null where the engine has no SIMD. */
function loadCode(): Code | null {
  try {
    const compiled = new WebAssembly.Module(Buffer.from(scanCode, "base64"));
    return new WebAssembly.Instance(compiled).exports as Code;
  } catch {
    return null;
  }
}
