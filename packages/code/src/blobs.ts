import { isObject, type Json, type UnknownObject } from "../../../src/model/json.ts";

/** Shorter data is no burden, and a program may want to look at it. */
const fewest = 200;
const mayHoldBlobs = /"type":"(?:image|audio|resource)"/;

export type Blobs = ReturnType<typeof createBlobs>;

/**
 * Pictures, sounds and files stay with the host. A program has a word in place of their base64: it hands the word on to
 * another tool, or returns its block, and the data goes there.
 */
export function createBlobs() {
  const kept = new Map<string, { data: string; block: UnknownObject }>();

  /** The place of the data, where a block has much of it. */
  function withWord(block: unknown): unknown {
    if (!isObject(block)) return block;
    const [holder, key] = isObject(block.resource) ? [block.resource, "blob"] : [block, "data"];
    const data = holder[key];
    if (typeof data !== "string" || data.length < fewest) return block;
    const word = `blob:${kept.size + 1}`;
    kept.set(word, { data, block });
    const bytes = Math.floor((data.length * 3) / 4);
    const short = { ...holder, [key]: word, bytes };
    return holder === block ? short : { ...block, resource: short };
  }

  const wordIn = (value: unknown) => (typeof value === "string" ? kept.get(value) : undefined);

  return {
    /** An answer for the program. */
    hide(json: string): string {
      if (!mayHoldBlobs.test(json)) return json;
      const { value, ...rest } = JSON.parse(json) as { value?: Json };
      return Array.isArray(value) ? JSON.stringify({ ...rest, value: value.map(withWord) }) : json;
    },
    /** With the data in the places of the words. */
    reveal<T>(value: T): T {
      if (kept.size === 0) return value;
      return JSON.parse(JSON.stringify(value ?? null), (_, one) => wordIn(one)?.data ?? one) as T;
    },
    /** The blocks that a returned value holds, each once. */
    blocksIn(value: Json): UnknownObject[] {
      const found = new Set<UnknownObject>();
      if (kept.size > 0)
        JSON.stringify(value, (_, one) => {
          const known = wordIn(one);
          if (known) found.add(known.block);
          return one;
        });
      return [...found];
    },
  };
}
