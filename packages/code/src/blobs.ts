import { isObject, type Json, type UnknownObject } from "@toolplane/core/model/json";

/** Shorter data is no burden, and a program may want to look at it. */
const minDataCharacters = 200;
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
  const blobByWord = new Map<string, { data: string; block: UnknownObject }>();

  /** The place of the data, where a block has much of it. */
  function withBlobWord(block: unknown): unknown {
    if (!isObject(block)) return block;
    const [holder, key] = isObject(block.resource) ? [block.resource, "blob"] : [block, "data"];
    const data = holder[key];
    if (typeof data !== "string" || data.length < minDataCharacters) return block;
    const blobWord = `blob:${blobByWord.size + 1}`;
    blobByWord.set(blobWord, { data, block });
    const bytes = Math.floor((data.length * 3) / 4);
    const shortened = { ...holder, [key]: blobWord, bytes };
    if (holder === block) return shortened;
    return { ...block, resource: shortened };
  }

  const blobOf = (value: unknown) =>
    typeof value === "string" ? blobByWord.get(value) : undefined;

  return {
    /** An answer for the program. */
    hide(json: string): string {
      if (!mayHoldBlobs.test(json)) return json;
      const { value, ...answerFields } = JSON.parse(json) as { value?: Json };
      if (!Array.isArray(value)) return json;
      return JSON.stringify({ ...answerFields, value: value.map(withBlobWord) });
    },
    /** How many characters the data of all words adds: a word may stand in many places. */
    addedTo(value: Json): number {
      if (blobByWord.size === 0) return 0;
      let characters = 0;
      visitTexts(value, (text) => {
        characters += blobByWord.get(text)?.data.length ?? 0;
        return text;
      });
      return characters;
    },
    /** With the data in the places of the words; `addedTo` says first how large it gets. */
    reveal(value: Json): Json {
      if (blobByWord.size === 0) return value;
      return visitTexts(value, (text) => blobByWord.get(text)?.data ?? text);
    },
    /** The blocks that a returned value holds, each once. */
    blocksIn(value: Json): UnknownObject[] {
      const blocks = new Set<UnknownObject>();
      if (blobByWord.size > 0)
        JSON.stringify(value, (_, part) => {
          const blob = blobOf(part);
          if (blob) blocks.add(blob.block);
          return part;
        });
      return [...blocks];
    },
  };
}
