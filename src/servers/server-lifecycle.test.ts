import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../test/samples/calls.ts";
import type { ServerState } from "../model/servers/server-schema.ts";
import type { Server } from "./server.ts";
import { refreshAll } from "./server-lifecycle.ts";

type Settings = {
  state?: ServerState;
  nextRetryAt?: string | null;
  enabled?: boolean;
  failure?: string;
};

function one(
  name: string,
  { state = "connected", nextRetryAt = null, enabled = true, failure }: Settings = {},
) {
  const server = {
    definition: sampleServer({ enabled }),
    status: () => ({ state, nextRetryAt }),
    async refresh() {
      if (failure !== undefined) throw new Error(failure);
    },
  } as unknown as Server;
  return { name, server };
}

const soon = () => new Date(Date.now() + 60_000).toISOString();

test("the report names the servers that reconnected and those that still fail", async () => {
  const report = await refreshAll(
    [
      one("fine"),
      one("back", { state: "error" }),
      one("down", { state: "backoff", failure: "no route" }),
    ],
    true,
  );
  assert.deepEqual(report, {
    attempted: ["fine", "back", "down"],
    reconnected: ["back"],
    still_failed: [{ server: "down", reason: "no route" }],
    skipped: [],
  });
});

test("a server in backoff is skipped with the time of its next try, unless forced", async () => {
  const nextRetryAt = soon();
  const backoff = one("backoff", { state: "backoff", nextRetryAt });
  assert.deepEqual((await refreshAll([backoff], false)).skipped, [
    { server: "backoff", reason: "next try in 60 s" },
  ]);
  assert.deepEqual((await refreshAll([backoff], true)).attempted, ["backoff"]);
});

test("a server whose backoff is over is asked", async () => {
  const due = one("due", { state: "backoff", nextRetryAt: new Date(Date.now() - 1).toISOString() });
  assert.deepEqual((await refreshAll([due], false)).attempted, ["due"]);
});

test("a disabled server is skipped, forced or not", async () => {
  for (const force of [true, false]) {
    const { attempted, skipped } = await refreshAll([one("off", { enabled: false })], force);
    assert.deepEqual([attempted, skipped[0]?.reason], [[], "it is disabled in the configuration"]);
  }
});

test("no servers give an empty report", async () => {
  assert.deepEqual(await refreshAll([], true), {
    attempted: [],
    reconnected: [],
    still_failed: [],
    skipped: [],
  });
});
