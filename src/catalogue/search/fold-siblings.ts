import type { Findable } from "./fields.ts";
import type { Hit } from "./hit.ts";
import { joinWords, wordsOf } from "./words.ts";

/** A tool and those that are nearly the same under its name on other servers. */
export type Line = Hit & { alsoOn: Findable[]; differsBy: string[] };

/** So much of their words two descriptions have in common when they are told apart no more. */
const sameAbove = 0.85;
const alikeAbove = 0.5;
const maxWords = 4;

/** Copies of one tool take one line; those that are only alike say by what they differ. */
export function foldSiblings(hits: readonly Hit[]): Line[] {
  const lines: (Line & { words: Set<string> })[] = [];
  const byName = new Map<string, (typeof lines)[number][]>();
  for (const hit of hits) {
    const { tool } = hit;
    const words = new Set(wordsOf(`${tool.title ?? ""} ${tool.description}`));
    const name = joinWords(tool.id.tool);
    const siblings = byName.get(name) ?? [];
    const same = siblings.find((line) => isOnAnother(line.tool, tool) && likeness(line.words, words) >= sameAbove);
    if (same) {
      same.alsoOn.push(tool);
      continue;
    }
    const line = { ...hit, words, alsoOn: [], differsBy: [] };
    lines.push(line);
    byName.set(name, [...siblings, line]);
  }
  for (const siblings of byName.values()) tellApart(siblings);
  return lines.map(({ words, ...line }) => line);
}

function isOnAnother(a: Findable, b: Findable): boolean {
  return a.id.tool === b.id.tool && a.id.server !== b.id.server;
}

function tellApart(siblings: (Line & { words: Set<string> })[]): void {
  for (const one of siblings) {
    const alike = siblings.filter((other) => other !== one && likeness(one.words, other.words) >= alikeAbove);
    if (alike.length === 0) continue;
    const others = new Set(alike.flatMap(({ words }) => [...words]));
    one.differsBy = [...one.words].filter((word) => !others.has(word)).slice(0, maxWords);
  }
}

/** The share of words that both have. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  const all = a.size + b.size - both;
  return all === 0 ? 1 : both / all;
}
