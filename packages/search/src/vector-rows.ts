import { scanCode } from "./scan-code.ts";

const pageBytes = 65_536;
const rowSteps = 127;
const querySteps = 2047;
const queriesPerScan = 4;
/** Behind the numbers of a row: what one step stands for, and nothing. */
const rowEnd = 16;

/** A clause says more about what it asks for than the whole query does. */
const clauseShare = 1.1;

/** What of it is used: its types come with those of browsers only. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (compiled: object) => { exports: unknown };
};
type Scan = (query: number, bytes: number, row: number, end: number, best: number) => void;
type Code = { memory: { buffer: ArrayBuffer; grow(pages: number): number }; one: Scan; four: Scan };

/** Vectors in one memory, a byte for each number, and their dot products with queries. */
export function createVectorRows(dimensions: number, isPlain = false) {
  const code = isPlain ? null : loadCode();
  const bytes = Math.ceil(dimensions / 32) * 32;
  const stride = bytes + rowEnd;
  const rowsAt = queriesPerScan * bytes * 2 + 64;
  let capacity = 0;
  let memory: ArrayBuffer = new ArrayBuffer(0);
  let numbers = new Int8Array(0);
  let scales = new Float32Array(0);
  let best = new Float32Array(0);
  let evenScores = new Float32Array(0);

  const makeRoom = (count: number) => {
    if (count <= capacity) return;
    capacity = Math.max(count, capacity * 2, 256);
    const bestAt = rowsAt + capacity * stride;
    const size = bestAt + capacity * 4;
    const previousNumbers = numbers;
    code?.memory.grow(Math.max(0, Math.ceil((size - code.memory.buffer.byteLength) / pageBytes)));
    memory = code === null ? new ArrayBuffer(size) : code.memory.buffer;
    numbers = new Int8Array(memory);
    scales = new Float32Array(memory);
    if (code === null) numbers.set(previousNumbers);
    best = new Float32Array(memory, bestAt, capacity);
  };
  const scaleAt = (row: number) => (rowsAt + row * stride + bytes) / 4;
  /** Eight numbers of each in turn. */
  const placeQueries = (vectors: readonly Float32Array[]) => {
    const interleaved = new Int16Array(memory, 0, vectors.length * bytes);
    const steps = new Float32Array(memory, vectors.length * bytes * 2, vectors.length);
    const quantized = new Int16Array(bytes);
    for (let query = 0; query < vectors.length; query++) {
      steps[query] = quantize(vectors[query] as Float32Array, quantized, querySteps);
      for (let dimension = 0; dimension < bytes; dimension++)
        interleaved[(dimension & ~7) * vectors.length + query * 8 + (dimension & 7)] = quantized[
          dimension
        ] as number;
    }
  };
  const scan = (vectors: readonly Float32Array[], count: number) => {
    if (code === null) for (const vector of vectors) scanPlainly(vector, count);
    else if (vectors.length > 2) {
      // The first one again fills four: the largest of them stays the same.
      placeQueries(
        Array.from(
          { length: queriesPerScan },
          (_, index) => vectors[index] ?? (vectors[0] as Float32Array),
        ),
      );
      code.four(0, bytes, rowsAt, rowsAt + count * stride, best.byteOffset);
    } else {
      for (const vector of vectors) {
        placeQueries([vector]);
        code.one(0, bytes, rowsAt, rowsAt + count * stride, best.byteOffset);
      }
    }
  };
  const scanPlainly = (vector: Float32Array, count: number) => {
    const query = new Int16Array(bytes);
    const step = Math.fround(quantize(vector, query, querySteps));
    for (let row = 0, from = rowsAt; row < count; row++, from += stride) {
      let sum = 0;
      for (let dimension = 0; dimension < bytes; dimension++)
        sum += (query[dimension] as number) * (numbers[from + dimension] as number);
      const likeness = Math.fround(Math.fround(sum) * step) * (scales[scaleAt(row)] as number);
      best[row] = Math.max(best[row] as number, likeness);
    }
  };
  return {
    set(row: number, vector: Float32Array): void {
      makeRoom(row + 1);
      const from = rowsAt + row * stride;
      scales[scaleAt(row)] = quantize(vector, numbers.subarray(from, from + bytes), rowSteps);
    },
    /** For each of the first rows the largest likeness to one of these unit vectors; the next call overwrites it. */
    likeness(vectors: readonly Float32Array[], count: number): Float32Array {
      best.fill(-1, 0, count);
      for (let from = 0; from < vectors.length && count > 0; from += queriesPerScan)
        scan(vectors.slice(from, from + queriesPerScan), count);
      return best;
    },
    /**
     * The same, with each vector on the scale of the first: what is most like a clause counts as much as what is most like
     * another, so that one clause does not crowd out the rest.
     */
    evenLikeness(queryVectors: readonly Float32Array[], count: number): Float32Array {
      if (evenScores.length < count) evenScores = new Float32Array(count * 2);
      let firstMean = 0;
      let firstSpread = 0;
      for (const [query, vector] of queryVectors.entries()) {
        const likenesses = this.likeness([vector], count);
        let sum = 0;
        let max = -1;
        for (let row = 0; row < count; row++) {
          const likeness = likenesses[row] as number;
          sum += likeness;
          if (likeness > max) max = likeness;
        }
        const mean = sum / Math.max(1, count);
        if (query === 0) {
          firstMean = mean;
          firstSpread = max - mean;
          evenScores.set(likenesses.subarray(0, count));
          continue;
        }
        const factor = (clauseShare * firstSpread) / Math.max(1e-6, max - mean);
        for (let row = 0; row < count; row++) {
          const likeness = firstMean + ((likenesses[row] as number) - mean) * factor;
          if (likeness > (evenScores[row] as number)) evenScores[row] = likeness;
        }
      }
      return evenScores;
    },
    between(a: number, b: number): number {
      const from = rowsAt + a * stride;
      const to = rowsAt + b * stride;
      let evenSum = 0;
      let oddSum = 0;
      // Two sums: neither waits for the other.
      for (let dimension = 0; dimension < bytes; dimension += 2) {
        evenSum =
          (evenSum +
            Math.imul(numbers[from + dimension] as number, numbers[to + dimension] as number)) |
          0;
        oddSum =
          (oddSum +
            Math.imul(
              numbers[from + dimension + 1] as number,
              numbers[to + dimension + 1] as number,
            )) |
          0;
      }
      return (evenSum + oddSum) * (scales[scaleAt(a)] as number) * (scales[scaleAt(b)] as number);
    },
  };
}

/** Returns what one step stands for. */
function quantize(vector: Float32Array, to: Int8Array | Int16Array, steps: number): number {
  let max = 1e-9;
  for (let index = 0; index < vector.length; index++)
    max = Math.max(max, Math.abs(vector[index] as number));
  const scale = steps / max;
  for (let index = 0; index < vector.length; index++)
    to[index] = Math.round((vector[index] as number) * scale);
  return max / steps;
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
