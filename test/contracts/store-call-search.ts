import assert from "node:assert/strict";
import { firstIdOf } from "../../src/lib/ids-and-time.ts";
import type { CallFilter } from "../../src/model/calls/call-history.ts";
import type { Promises } from "./opened-store.ts";
import { callEntry } from "./records.ts";

const day = Date.parse("2026-03-01T00:00:00.000Z");
const hourMs = 3_600_000;

/** A call an hour, named after its hour; each was written when the next had begun. */
function hourly(count: number) {
  return Array.from({ length: count }, (_, hour) => {
    const at = new Date(day + hour * hourMs);
    const id = `${firstIdOf(at.getTime())}-${hour}`;
    const tool = hour % 2 === 0 ? "Files.read_one" : "mail.send%now";
    const cost = hour === 5 ? { cost: { amount: 0.4, unit: "USD" } } : {};
    return callEntry(id, {
      at: at.toISOString(),
      tool,
      server: tool.split(".")[0] ?? null,
      durationMs: hour * 10,
      ...cost,
    });
  }).map((entry, place, all) => all[place ^ 1] ?? entry);
}

export const callSearchPromises: Promises = {
  "finds calls by time, duration, server, cost and a part of their tool's name": async ({
    store,
  }) => {
    await store.append(hourly(30));
    const found = async (filter: CallFilter) =>
      (await store.calls(filter)).map(({ id }) => Number(id.split("-")[1]));
    assert.deepEqual(await found({ since: "2026-03-02" }), [29, 28, 27, 26, 25, 24]);
    assert.deepEqual((await found({ until: "2026-03-01" })).length, 24);
    assert.deepEqual(
      await found({ since: "2026-03-01T02:00:00Z", until: "2026-03-01T05:00:00.000Z" }),
      [4, 3, 2],
    );
    assert.deepEqual(
      await found({ since: "2026-03-01T03:00:00+01:00", until: "2026-03-01T02:00:00.001Z" }),
      [2],
    );
    assert.deepEqual(await found({ since: "2026-03-01", minMs: 270, limit: 2 }), [29, 28]);
    assert.deepEqual(await found({ minMs: 270, maxMs: 280, limit: 5 }), [28, 27]);
    assert.deepEqual(await found({ since: "2026-03-02", match: "READ", limit: 5 }), [28, 26, 24]);
    assert.deepEqual(await found({ since: "2026-03-02", match: "d%n" }), [29, 27, 25]);
    assert.deepEqual(await found({ match: "s_n", limit: 5 }), []);
    assert.deepEqual(await found({ since: "2026-03-02", server: "mail" }), [29, 27, 25]);
    assert.deepEqual(await found({ minCost: 0.4, limit: 5 }), [5]);
    assert.deepEqual(await found({ minCost: 0.41, limit: 5 }), []);
    await assert.rejects(store.calls({ since: "soon" }), {
      code: "USAGE",
      message: /'since' cannot be 'soon'/,
    });
  },

  "finds calls of a time page by page, each once": async ({ store }) => {
    await store.append(hourly(30));
    const seen: string[] = [];
    for (let before: string | undefined; ; before = seen.at(-1)) {
      const page = await store.calls({
        since: "2026-03-01T01:00:00Z",
        server: "mail",
        limit: 4,
        ...(before === undefined ? {} : { before }),
      });
      seen.push(...page.map(({ id }) => id));
      if (page.length < 4) break;
    }
    assert.deepEqual(
      seen.map((id) => Number(id.split("-")[1])),
      Array.from({ length: 15 }, (_, place) => 29 - 2 * place),
    );
  },

  "tells when each tool was last called, and when the records begin": async ({ store }) => {
    assert.deepEqual(await store.lastUses(), { since: null, tools: [] });
    await store.append(hourly(30));
    const { since, tools } = await store.lastUses();
    assert.equal(since, "2026-03-01T01:00:00.000Z");
    assert.deepEqual(tools, [
      { name: "Files.read_one", lastAt: "2026-03-02T04:00:00.000Z" },
      { name: "mail.send%now", lastAt: "2026-03-02T05:00:00.000Z" },
    ]);
  },
};
