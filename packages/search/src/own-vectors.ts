import { createHash } from "node:crypto";
import { pause } from "@toolplane/core/lib/async/pause";
import { errorText } from "@toolplane/core/lib/text/error-text";
import type { Embed } from "@toolplane/core/model/catalogue/search";
import type { Store } from "@toolplane/core/model/store";
import { toUnit } from "./embedding.ts";
import { type Findable, searchTextsOf } from "./fields.ts";
import { blendAll, clausesOf, createToolVectors, hasSentences, type Likeness } from "./meaning.ts";
import type { ToolIndex } from "./tool-index.ts";

const batchSize = 128;
const maxText = 2_000;
const maxNumbers = 8_192;
const maxQueries = 500;
/** How long a search waits for a query's vectors, and for tools that are being read; then it does without. */
const maxQueryMs = 1_500;
const maxReadMs = 500;
/** The cooldown of the model after a failure. */
const retryMs = 60_000;

/** A model of the person's own. Vectors of another `id` are not comparable. */
export type Embedder = {
  id: string;
  name: string;
  embed: Embed;
  /** Vectors are stored: the id says which model made them. */
  isKept: boolean;
};
export type OwnVectors = ReturnType<typeof createOwnVectors>;

type Ports = {
  /** Where vectors outlive the process. */
  store?: (() => Promise<Pick<Store, "vectors" | "putVectors">>) | undefined;
  /** Called with the first failure after a success. */
  onFailed?: ((model: string, reason: string) => void) | undefined;
};

/** Likeness by a model of the person's own: tools are read in the background, each definition once. */
export function createOwnVectors(
  { id, name, embed, isKept }: Embedder,
  { store: keeper, onFailed }: Ports = {},
) {
  const store = isKept ? keeper : undefined;
  let vectors: ReturnType<typeof createToolVectors> | undefined;
  let numbers = 0;
  let reading: Promise<void> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const queryVectors = new Map<string, Float32Array>();
  const isResting = () => performance.now() - failedAt < retryMs;
  const fail = (thrown: unknown) => {
    if (failedAt === Number.NEGATIVE_INFINITY) onFailed?.(name, errorText(thrown));
    failedAt = performance.now();
  };

  const embedTexts = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const rawVectors = await embed(texts);
    if (rawVectors.length !== texts.length)
      throw new Error(`it gave ${rawVectors.length} vectors for ${texts.length} texts`);
    const units = rawVectors.map((vector) => toUnit(Float32Array.from(vector)));
    for (const { length } of units) requireLength(length);
    failedAt = Number.NEGATIVE_INFINITY;
    return units;
  };
  const requireLength = (length: number) => {
    if (length === 0 || length > maxNumbers) throw new Error(`its vectors have ${length} numbers`);
    if (numbers !== 0 && length !== numbers) throw new Error("its vectors have different lengths");
    numbers = length;
  };
  const vectorsOf = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const keys = texts.map((text) =>
      createHash("sha256").update(`${id}\0${text}`).digest("base64url"),
    );
    const storedVectors =
      store === undefined ? new Map<string, string>() : await (await store()).vectors(keys);
    const vectorsByKey = new Map([...storedVectors].map(([key, text]) => [key, unpack(text)]));
    const missing = new Map<string, string>();
    for (const [index, key] of keys.entries())
      if (!vectorsByKey.has(key)) missing.set(key, texts[index] as string);
    if (missing.size > 0) {
      const newVectors = await embedTexts([...missing.values()]);
      const added = [...missing.keys()].map(
        (key, index) => [key, newVectors[index] as Float32Array] as const,
      );
      for (const [key, vector] of added) vectorsByKey.set(key, vector);
      await (await store?.())?.putVectors(
        added.map(([key, vector]) => ({ key, vector: pack(vector) })),
      );
    }
    return keys.map((key) => vectorsByKey.get(key) as Float32Array);
  };
  /** The list may change while the model is asked: what is missing is looked up again after each batch. */
  const read = async (index: ToolIndex): Promise<void> => {
    while (vectors === undefined || vectors.unread() > 0) {
      const slots = vectors?.missing(batchSize) ?? [...index.all()].slice(0, batchSize);
      if (slots.length === 0) return;
      const entries = slots.map(index.entryAt);
      const newVectors = await vectorsOf(slots.map((slot) => textOf(index.toolAt(slot))));
      for (const { length } of newVectors) requireLength(length);
      if (vectors === undefined) {
        vectors = createToolVectors(numbers);
        vectors.follow(index);
      }
      for (const [position, entry] of entries.entries())
        vectors.keep(entry, newVectors[position] as Float32Array);
      vectors.follow(index);
    }
  };
  const readTools = (index: ToolIndex) => {
    if (isResting()) return Promise.resolve();
    reading ??= read(index)
      .catch(fail)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return {
    /** After an update of the index. */
    follow(index: ToolIndex): void {
      vectors?.follow(index);
      void readTools(index);
    },
    /** Null while tools are being read, and where the model fails. */
    async likeness(query: string, index: ToolIndex): Promise<Likeness | null> {
      if (vectors === undefined || vectors.unread() > 0)
        await Promise.race([readTools(index), pause(maxReadMs, { isBackground: true })]);
      if (vectors === undefined || vectors.unread() > 0 || isResting()) return null;
      const clauses = clausesOf(query);
      const texts = [query, ...(clauses.length > 1 ? clauses : [])];
      const missing = texts.filter((text) => !queryVectors.has(text));
      if (queryVectors.size > maxQueries) queryVectors.clear();
      const embedMissing = async () => {
        if (missing.length === 0) return true;
        const newVectors = await embedTexts(missing);
        for (const [position, text] of missing.entries())
          queryVectors.set(text, newVectors[position] as Float32Array);
        return true;
      };
      const timeLimit = pause(maxQueryMs, { isBackground: true }).then(() => false);
      const noteFailure = (thrown: unknown) => {
        fail(thrown);
        return false;
      };
      if (!(await Promise.race([embedMissing().catch(noteFailure), timeLimit]))) return null;
      const [queryVector, ...clauseVectors] = texts.map((text) => queryVectors.get(text));
      if (queryVector === undefined || clauseVectors.includes(undefined) || vectors.unread() > 0)
        return null;
      return vectors.likeness(
        blendAll(queryVector, clauseVectors as Float32Array[]),
        clauseVectors.length,
        hasSentences(query),
      );
    },
  };
}

function textOf(tool: Findable): string {
  const { name, server, description } = searchTextsOf(tool, "");
  return `${server} ${name}: ${description}`.slice(0, maxText);
}

function pack(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}

function unpack(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
}
