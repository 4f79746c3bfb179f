import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { SignInRows } from "../../model/access/sign-in.ts";
import { createRevocations } from "./revocations.ts";

/** What other planes have taken back; `asked` counts how often it was read, and `gate` holds a read up. */
function createShared({ isInformed = true, gate = Promise.resolve() } = {}) {
  const taken = new Set<string>();
  const counts = { asked: 0 };
  const rows: Partial<SignInRows> = {
    async list() {
      counts.asked += 1;
      const read = [...taken].map((id) => ({ id }));
      await gate;
      return read as never;
    },
    put: async (_kind, id) => void taken.add(id),
    touch: async () => undefined,
  };
  const plane = createRevocations({
    rows: async () => rows as SignInRows,
    isInformed: () => isInformed,
  });
  return { taken, counts, plane };
}

const counts = async (check: () => void | Promise<void>) => {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
};

suite("what was taken back", () => {
  test("does not count in a plane that has just started", async () => {
    const { taken, plane } = createShared();
    taken.add("one");
    assert.equal(await counts(() => plane.requireGrant("one")), false);
    assert.equal(await counts(() => plane.requireGrant("two")), true);
  });

  test("is read once for all who ask meanwhile, and then not asked for", async () => {
    const { counts: reads, plane } = createShared();
    await Promise.all(["a", "b", "c"].map((grant) => plane.requireGrant(grant)));
    assert.equal(plane.requireGrant("d"), undefined, "known without waiting");
    assert.equal(reads.asked, 1);
  });

  test("elsewhere does not count from the next token on", async () => {
    const { taken, plane } = createShared();
    await plane.requireGrant("one");
    taken.add("one");
    plane.changed();
    assert.equal(await counts(() => plane.requireGrant("one")), false);
  });

  test("while it is being read is not lost", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { taken, plane } = createShared({ gate });
    const first = counts(() => plane.requireGrant("other"));
    await new Promise(setImmediate);
    taken.add("one");
    plane.changed();
    await plane.add("two");
    open();
    await first;
    assert.equal(await counts(() => plane.requireGrant("one")), false);
    assert.equal(await counts(() => plane.requireGrant("two")), false);
  });
});
