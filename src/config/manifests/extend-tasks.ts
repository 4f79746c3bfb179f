import { nearest } from "../../lib/nearest.ts";
import type { UnknownObject } from "../../model/json.ts";
import { isName } from "../shapes/reading.ts";
import type { Entry } from "./entries.ts";

export type Fail = (entry: Entry, key: string, message: string, hint?: string) => void;

type Problem = { message: string; hint: string };

/**
 * A task may build on another of its owner or of everybody's, and a persona's one does so on the shared one of
 * its name. What cannot be built is left out.
 */
export function extendTasks(entries: readonly Entry[], fail: Fail): Entry[] {
  const byKey = new Map(entries.map((entry) => [keyOf(entry.name, entry.owner), entry]));
  const baseOf = (entry: Entry): Entry | Problem | null => {
    const { owner, name, data } = entry;
    const said = data.extends;
    if (said === undefined) return owner === null ? null : (byKey.get(keyOf(name, null)) ?? null);
    if (!isName(said)) return { message: "must be the name of one task", hint: "Write it as a text." };
    const found = [byKey.get(keyOf(said, owner)), byKey.get(keyOf(said, null))].find(
      (one) => one !== undefined && one !== entry,
    );
    return found ?? missing(said, entry, entries);
  };
  return entries.flatMap((entry) => {
    const chain = chainOf(entry, baseOf);
    if ("message" in chain) {
      fail(entry, "extends", chain.message, chain.hint);
      return [];
    }
    const data: UnknownObject = Object.assign({}, ...chain.toReversed().map((one) => one.data));
    const { extends: _, ...built } = data;
    return [{ ...entry, data: { ...built, ...(entry.name ? { name: entry.name } : {}) } }];
  });
}

/** The task, what it builds on, what that builds on. By hand and not by recursion: a long chain is no mistake. */
function chainOf(entry: Entry, baseOf: (entry: Entry) => Entry | Problem | null): Entry[] | Problem {
  const chain = new Set([entry]);
  for (let last = entry, base = baseOf(last); base !== null; last = base, base = baseOf(last)) {
    if ("message" in base) {
      if (last === entry) return base;
      return { message: `it builds on '${last.name}', which cannot be built`, hint: "Mend that task first." };
    }
    if (chain.has(base)) {
      const names = [...chain, base].map(({ name }) => name);
      const circle = names.slice(names.indexOf(base.name)).join(" → ");
      return { message: `tasks build on each other: ${circle}`, hint: "Remove one 'extends' of them." };
    }
    chain.add(base);
  }
  return [...chain];
}

function missing(said: string, { name, owner }: Entry, entries: readonly Entry[]): Problem {
  if (said === name) return { message: "a task cannot build on itself", hint: "Remove it." };
  const known = entries
    .filter((one) => one.name !== name && (one.owner === null || one.owner === owner))
    .flatMap((one) => one.name ?? []);
  const near = nearest(said, known).map((one) => `'${one}'`);
  const hint = near.length === 0 ? "Check the name." : `Did you mean ${near.join(" or ")}?`;
  return { message: `there is no task '${said}' to build on`, hint };
}

function keyOf(name: string | undefined, owner: string | null): string {
  return JSON.stringify([name ?? null, owner]);
}
