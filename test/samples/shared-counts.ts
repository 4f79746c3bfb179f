import type { TestContext } from "node:test";
import type { SharedCounts } from "../../src/calls/limits/shared-budgets.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";

/** Counts as two planes on one store have them; `away` while the store cannot be reached. */
export async function sharedCounts(
  context: TestContext,
): Promise<SharedCounts & { away: boolean; asked: number }> {
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  const counts = {
    away: false,
    asked: 0,
    read: (key: string) => store.sharedValue(key),
    async change(key, keptMs, step) {
      if (counts.away) throw new Error("the store is unreachable");
      counts.asked += 1;
      return store.changeShared(key, keptMs, step);
    },
  } satisfies SharedCounts & { away: boolean; asked: number } as SharedCounts & {
    away: boolean;
    asked: number;
  };
  return counts;
}
