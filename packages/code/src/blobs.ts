import { isObject, type Json, type UnknownObject } from "@toolplane/core/model/json";

/** Shorter data is no burden, and a program may want to look at it. */
const fewest = 200;
const mayHoldBlobs = /"type":"(?:image|audio|resource)"/;

/** A copy with other texts. The stack of the sandbox bounds how deep a value is. */
function visitTexts(value: Json, replace: (text: string) => string): Json {
  if (typeof value === "string") return replace(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => visitTexts(part, replace));
  const copy = Object.entries(value).map(([key, part]) => [key, visitTexts(part, replace)]);
  return Object.fromEntries(copy) as Json;
}

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
    /** How many characters the data of all words adds: a word may stand in many places. */
    addedTo(value: Json): number {
      if (kept.size === 0) return 0;
      let characters = 0;
      visitTexts(value, (text) => {
        characters += kept.get(text)?.data.length ?? 0;
        return text;
      });
      return characters;
    },
    /** With the data in the places of the words; `addedTo` says first how large it gets. */
    reveal(value: Json): Json {
      if (kept.size === 0) return value;
      return visitTexts(value, (text) => kept.get(text)?.data ?? text);
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
