import { serialized } from "../../lib/async/once.ts";
import type { Embed } from "../../model/catalogue/search.ts";
import { type Findable, textsOf } from "./fields.ts";
import type { Likeness } from "./meaning.ts";
import type { ToolIndex } from "./tool-index.ts";

const batchSize = 128;
const maxText = 2_000;
/** Above this all vectors are forgotten. */
const maxKnown = 200_000;

/** Null if the embedder fails, whose error is not for the caller. */
export type OwnVectors = (query: string, meant: readonly Findable[], index: ToolIndex) => Promise<Likeness | null>;

/** Likeness by the host's embedder; each text is embedded once. */
export function createOwnVectors(embed: Embed): OwnVectors {
  const known = new Map<string, Float32Array>();
  const ask = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const vectors = await embed(texts);
    if (vectors.length === texts.length) return vectors.map(toUnit);
    throw new Error(`the embedder gave ${vectors.length} vectors for ${texts.length} texts`);
  };
  // Serial, so that concurrent searches have a text embedded once.
  const learn = serialized(async (texts: readonly string[]): Promise<Float32Array[]> => {
    if (known.size > maxKnown) known.clear();
    const missing = [...new Set(texts)].filter((text) => !known.has(text));
    for (let at = 0; at < missing.length; at += batchSize) {
      const batch = missing.slice(at, at + batchSize);
      const vectors = await ask(batch);
      for (const [place, text] of batch.entries()) known.set(text, vectors[place] as Float32Array);
    }
    return texts.map((text) => known.get(text) as Float32Array);
  });

  return async (query, meant, index) => {
    try {
      const vectors = await learn(meant.map(textOf));
      const [asked] = (await ask([query])) as [Float32Array];
      const vectorOf = new Map(meant.map((tool, at) => [tool, vectors[at] as Float32Array]));
      const at = (slot: number) => vectorOf.get(index.toolAt(slot)) as Float32Array;
      for (const vector of vectors) requireLength(vector, asked);
      return { at: (slot) => dot(asked, at(slot)), between: (a, b) => dot(at(a), at(b)), clauses: 1 };
    } catch {
      return null;
    }
  };
}

function textOf(tool: Findable): string {
  const { name, server, description } = textsOf(tool, "");
  return `${server} ${name}: ${description}`.slice(0, maxText);
}

function toUnit(vector: readonly number[]): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}

function requireLength({ length }: Float32Array, asked: Float32Array): void {
  if (length !== asked.length) throw new Error("the embedder gave vectors of different lengths");
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}
