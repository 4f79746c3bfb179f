import assert from "node:assert/strict";
import type { StateLine, Store } from "../../src/model/store.ts";
import { sampleLetter } from "../samples/dead-letters.ts";
import type { Promises } from "./opened-store.ts";

async function* given(lines: readonly StateLine[], breaksOff = false): AsyncGenerator<StateLine> {
  yield* lines;
  if (breaksOff) throw new Error("the file ends here");
}

/** Without the versions, which opening a store writes. */
async function letterLines(store: Store): Promise<StateLine[]> {
  const lines = await Array.fromAsync(store.readAll());
  return lines.filter(({ table }) => table === "dead_letters");
}

export const statePromises: Promises = {
  "takes a whole state or nothing of it, and only where there is none": async ({
    store,
    reopen,
  }) => {
    const letters = ["a", "b", "c"].map((id) =>
      sampleLetter(id, { arguments: { odd: "\u0000 \ud800 é" } }),
    );
    for (const letter of letters) await store.addDeadLetter(letter, 10);
    const tables = (await Array.fromAsync(store.readAll())).map(({ table }) => table);
    assert.deepEqual(new Set(tables), new Set(["store_versions", "dead_letters"]));
    const lines = await letterLines(store);
    for (const { id, revision } of letters) await store.deleteDeadLetter(id, revision);

    await assert.rejects(store.writeAll(() => given(lines, true)));
    await assert.rejects(store.writeAll(() => given([...lines, ...lines])));
    assert.equal(await store.countRows("dead_letters"), 0);
    assert.equal(await store.writeAll(() => given(lines)), null);
    const again = await reopen();
    for (const letter of letters) assert.deepEqual(await again.deadLetter(letter.id), letter);
    assert.deepEqual(await letterLines(again), lines);
    assert.equal(await again.writeAll(() => given(lines)), "dead_letters");
  },

  "takes what an older export does not say as unset": async ({ store }) => {
    const letters = [sampleLetter("a"), sampleLetter("b")];
    for (const letter of letters) await store.addDeadLetter(letter, 10);
    const lines = await letterLines(store);
    for (const { id, revision } of letters) await store.deleteDeadLetter(id, revision);
    const columns = await store.stateColumns("dead_letters");
    assert.deepEqual(columns.toSorted(), Object.keys(lines[0]?.row ?? {}).toSorted());

    const [older, whole] = lines as [StateLine, StateLine];
    const { due_at: _, ...row } = older.row;
    assert.equal(await store.writeAll(() => given([{ ...older, row }, whole])), null);
    const again = await letterLines(store);
    assert.deepEqual(again, [{ ...older, row: { ...older.row, due_at: null } }, whole]);
  },

  "writes on after what was imported": async ({ store }) => {
    await store.addDeadLetter(sampleLetter("a"), 10);
    const lines = await letterLines(store);
    await store.deleteDeadLetter("a", 1);
    const later = lines.map(({ table, row }) => ({ table, row: { ...row, sequence: 7 } }));
    await store.writeAll(() => given(later));
    await store.addDeadLetter(sampleLetter("b"), 10);
    const numbers = (await letterLines(store)).map(({ row }) => row.sequence);
    assert.deepEqual(numbers, [7, 8]);
  },
};
