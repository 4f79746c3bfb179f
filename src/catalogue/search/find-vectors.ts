import { serialized } from "../../lib/async/once.ts";
import type { Embed } from "../../model/catalogue/search.ts";
import { type Findable, type Hit, textsOf } from "./fields.ts";
import { compareTools } from "./tool-index.ts";

const batchSize = 128;
const maxText = 2_000;
const maxRanked = 50;
/** Above this all vectors are forgotten. */
const maxKnown = 200_000;

/** Best first; null if the embedder fails, whose error is not for the caller. */
export type FindVectors = (query: string, meant: readonly Findable[]) => Promise<Hit[] | null>;

/** Ranks by the host's embedder; each text is embedded once. */
export function createFindVectors(embed: Embed): FindVectors {
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

  return async (query, meant) => {
    try {
      const vectors = await learn(meant.map(textOf));
      const [asked] = (await ask([query])) as [Float32Array];
      const hits = meant.map((tool, at) => ({ tool, score: similarity(asked, vectors[at] as Float32Array) }));
      hits.sort((a, b) => b.score - a.score || compareTools(a.tool, b.tool));
      return hits.slice(0, maxRanked);
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

function similarity(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new Error("the embedder gave vectors of different lengths");
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}
