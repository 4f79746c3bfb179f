import { readFile } from "node:fs/promises";
import { once } from "@toolplane/core/lib/async/once";
import { ownFile } from "@toolplane/core/lib/own-files";
import { dimensions, type Embedding, loadEmbedding, toUnit } from "./embedding.ts";
import { searchTextsOf } from "./fields.ts";
import type { ToolIndex } from "./tool-index.ts";
import { createVectorRows } from "./vector-rows.ts";

/** How like the tools of an index are to a query. */
export type Meaning = ReturnType<typeof createMeaning>;

/** For one query, until the next one is asked. */
export type Likeness = {
  /** By slot. */
  values: Float32Array;
  between(a: number, b: number): number;
  /** What the query asks for, one after the other. */
  clauses: number;
};

/** One for tools and one for skills; the vectors of words are the same. */
const embedding = once(async () => loadEmbedding(await readFile(ownFile("toolVectors"))));

export async function loadMeaning(): Promise<Meaning> {
  return createMeaning(await embedding());
}

function createMeaning(embedding: Embedding) {
  const vectors = createToolVectors(dimensions);
  return {
    follow: vectors.follow,
    unread: vectors.unread,
    /** Reads tools that `follow` found, while `isOver` says no. */
    read(index: ToolIndex, isOver: () => boolean): void {
      while (vectors.unread() > 0 && !isOver()) {
        const [slot] = vectors.missing(1) as [number];
        vectors.add(
          slot,
          embedding.tool(searchTextsOf(index.toolAt(slot), index.serverTextAt(slot))),
          index,
        );
      }
      if (vectors.unread() === 0) embedding.forgetServers();
    },
    likeness(query: string): Likeness {
      const clauses = clausesOf(query);
      const queryVectors = blendAll(embedding.query(query), clauses.map(embedding.query));
      return vectors.likeness(queryVectors, clauses.length, hasSentences(query));
    },
  };
}

/** The vectors of an index's tools. A tool keeps its row as long as it is unchanged. */
export function createToolVectors(numbers: number) {
  const vectors = createVectorRows(numbers);
  let rows = new Map<object, number>();
  let bySlot = new Int32Array(0);
  let values = new Float32Array(0);
  let usedRows = 0;
  let freeRows: number[] = [];
  let missing: number[] = [];
  /** Is the row of every tool its slot? */
  let isInOrder = true;
  return {
    /** After an update of the index. */
    follow(index: ToolIndex): void {
      const keptRows = new Map<object, number>();
      const isTaken = new Uint8Array(usedRows);
      bySlot = new Int32Array(index.corpus().slots).fill(-1);
      missing = [];
      isInOrder = true;
      for (const slot of index.all()) {
        const row = rows.get(index.entryAt(slot));
        if (row === undefined) missing.push(slot);
        else {
          keptRows.set(index.entryAt(slot), row);
          isTaken[row] = 1;
          bySlot[slot] = row;
          isInOrder &&= row === slot;
        }
      }
      missing.reverse();
      rows = keptRows;
      freeRows = [];
      for (let row = 0; row < usedRows; row++) if (isTaken[row] === 0) freeRows.push(row);
    },
    /** How many tools have no vector yet. */
    unread: () => missing.length,
    /** Slots of some of them. */
    missing: (maxCount: number) => missing.slice(-maxCount).reverse(),
    /** The vector of the next one that is missing. */
    add(slot: number, vector: Float32Array, index: ToolIndex): void {
      missing.pop();
      const row = freeRows.pop() ?? usedRows++;
      vectors.set(row, vector);
      rows.set(index.entryAt(slot), row);
      bySlot[slot] = row;
      isInOrder &&= row === slot;
    },
    /** The same, at its position after the next `follow`. */
    keep(entry: object, vector: Float32Array): void {
      const row = freeRows.pop() ?? usedRows++;
      vectors.set(row, vector);
      rows.set(entry, row);
    },
    likeness(queryVectors: readonly Float32Array[], clauses: number, isEven = false): Likeness {
      const byRow =
        isEven && queryVectors.length > 1
          ? vectors.evenLikeness(queryVectors, usedRows)
          : vectors.likeness(queryVectors, usedRows);
      const between = (a: number, b: number) =>
        vectors.between(bySlot[a] as number, bySlot[b] as number);
      if (isInOrder && missing.length === 0)
        return { values: byRow, between, clauses: Math.max(1, clauses) };
      if (values.length < bySlot.length) values = new Float32Array(bySlot.length * 2);
      for (let slot = 0; slot < bySlot.length; slot++) {
        const row = bySlot[slot] as number;
        values[slot] = row < 0 ? 0 : (byRow[row] as number);
      }
      return { values, between, clauses: Math.max(1, clauses) };
    },
  };
}

/** A clause keeps a share of the whole query. */
const queryShare = 0.4;

/** The whole query, and its clauses where there are several. */
export function blendAll(
  queryVector: Float32Array,
  clauses: readonly Float32Array[],
): Float32Array[] {
  if (clauses.length < 2) return [queryVector];
  return [queryVector, ...clauses.map((clause) => blend(clause, queryVector))];
}

function blend(clause: Float32Array, queryVector: Float32Array): Float32Array {
  const sum = new Float32Array(clause.length);
  for (let index = 0; index < sum.length; index++)
    sum[index] = (clause[index] as number) + queryShare * (queryVector[index] as number);
  return toUnit(sum);
}

const maxText = 4_000;
const maxClauses = 16;
const minWords = 4;
const minClause = 9;

/** Several sentences are several needs; the parts of one are often the same need in other words. */
export function hasSentences(query: string): boolean {
  return (
    query
      .slice(0, maxText)
      .split(/[.!?;]\s+|\n/)
      .filter(({ length }) => length >= minClause).length > 1
  );
}

/** Sentences, and the long parts of one between commas, "and" and "then": each may ask for something else. */
export function clausesOf(query: string): string[] {
  // Single spaces: the patterns below would read a long run of them again and again.
  const plain = query.slice(0, maxText).replace(/[^\S\n]+/g, " ");
  const clauses = plain.split(/(?<=[.!?;]) |\n| \+ /).flatMap((sentence) => {
    const parts = sentence.split(/, (?:and )?| and (?:then )?| then /);
    const longParts = parts.filter((part) => part.trim().split(" ").length >= minWords);
    return longParts.length > 0 ? longParts : [sentence];
  });
  return clauses.filter(({ length }) => length >= minClause).slice(0, maxClauses);
}
