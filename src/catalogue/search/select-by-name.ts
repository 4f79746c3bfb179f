import { nearest } from "../../lib/nearest.ts";
import { shorten } from "../../lib/shorten.ts";
import type { Result } from "./hit.ts";
import type { Test } from "./ranking.ts";
import type { ToolIndex } from "./tool-index.ts";

const maxNames = 100;
const maxHinted = 3;

/** `select:a,b`: these and no others, in this order; what is not there is named. */
export function selectByName(list: string, index: ToolIndex, isMeant: Test): Result {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .slice(0, maxNames);
  const found = names.map((name) => ({ name, slots: index.named(name, true).filter(isMeant) }));
  const slots = new Set(found.flatMap((one) => one.slots));
  const missing = found.filter((one) => one.slots.length === 0);
  return {
    total: slots.size,
    hits: [...slots].map((slot) => ({ tool: index.toolAt(slot), score: 1 })),
    notes: describeMissing(
      missing.map(({ name }) => name),
      [...index.all()].filter(isMeant).map((slot) => index.toolAt(slot).name),
    ),
  };
}

/** To look for the nearest of many names takes its time, so only the first few are looked for. */
function describeMissing(missing: readonly string[], known: readonly string[]): string[] {
  const notes = missing.slice(0, maxHinted).map((name) => {
    const [near] = nearest(name, known, 1);
    return `No tool '${shorten(name)}'.${near === undefined ? "" : ` Did you mean '${near}'?`}`;
  });
  const more = missing.length - maxHinted;
  return more > 0 ? [...notes, `Nor are ${more} others there.`] : notes;
}
