import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createEmbedding, dimensions, toUnit } from "./embedding.ts";
import { textsOf } from "./fields.ts";
import type { ToolIndex } from "./tool-index.ts";
import { createVectorRows } from "./vector-rows.ts";

/** How like the tools of an index are to a query. */
export type Meaning = ReturnType<typeof createMeaning>;

/** By slot, for one query. */
export type Likeness = {
  at(slot: number): number;
  between(a: number, b: number): number;
  /** What the query asks for, one after the other. */
  clauses: number;
};

export async function loadMeaning(): Promise<Meaning> {
  for (const path of ["tool-vectors.bin", "../tool-vectors.bin"]) {
    const file = await readFile(join(import.meta.dirname, path)).catch(() => null);
    if (file !== null) return createMeaning(file);
  }
  throw new Error("tool-vectors.bin is not installed");
}

export function createMeaning(file: Uint8Array) {
  const embedding = createEmbedding(file);
  const vectors = createVectorRows();
  let used = 0;
  let free: number[] = [];
  let missing: number[] = [];

  return {
    /** After an update of the index; returns how many tools have no vector yet. */
    follow(index: ToolIndex): number {
      const isTaken = new Uint8Array(used);
      missing = [];
      for (const slot of index.all()) {
        const row = index.rowAt(slot);
        if (row < 0) missing.push(slot);
        else isTaken[row] = 1;
      }
      free = [];
      for (let row = 0; row < used; row++) if (isTaken[row] === 0) free.push(row);
      return missing.length;
    },
    left: () => missing.length,
    /** Reads some of the tools that `follow` found. */
    read(index: ToolIndex, most: number): void {
      for (const slot of missing.splice(0, most)) {
        const row = free.pop() ?? used++;
        vectors.set(row, embedding.tool(textsOf(index.toolAt(slot), index.serverTextAt(slot))));
        index.setRow(slot, row);
      }
    },
    likeness(query: string, index: ToolIndex): Likeness {
      const whole = embedding.query(query);
      const clauses = clausesOf(query);
      const parts = clauses.length > 1 ? clauses.map((clause) => blend(embedding.query(clause), whole)) : [];
      const all = vectors.likeness([whole, ...parts], used);
      return {
        at: (slot) => all[index.rowAt(slot)] as number,
        between: (a, b) => vectors.between(index.rowAt(a), index.rowAt(b)),
        clauses: Math.max(1, clauses.length),
      };
    },
  };
}

/** A clause keeps a share of the whole query. */
const wholeShare = 0.4;

function blend(clause: Float32Array, whole: Float32Array): Float32Array {
  for (let at = 0; at < dimensions; at++) clause[at] = (clause[at] as number) + wholeShare * (whole[at] as number);
  return toUnit(clause);
}

const maxText = 4_000;
const maxClauses = 16;
const minWords = 4;
const minClause = 9;

/** Sentences, and the long parts of one between commas, "and" and "then": each may ask for something else. */
function clausesOf(query: string): string[] {
  // Single spaces: the patterns below would read a long run of them again and again.
  const plain = query.slice(0, maxText).replace(/[^\S\n]+/g, " ");
  const clauses = plain.split(/(?<=[.!?;]) |\n| \+ /).flatMap((sentence) => {
    const parts = sentence.split(/, (?:and )?| and (?:then )?| then /);
    const long = parts.filter((part) => part.trim().split(" ").length >= minWords);
    return long.length > 0 ? long : [sentence];
  });
  return clauses.filter(({ length }) => length >= minClause).slice(0, maxClauses);
}
