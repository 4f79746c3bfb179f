import assert from "node:assert/strict";
import { createPlane } from "../../src/index.ts";
import { fixtureCommand } from "../../test/fixtures/start-server.ts";
import { dataOf, tellStory } from "../story.ts";

const { chapter, promise } = tellStory("Results that are kept, and calls that share a request");

await using plane = await createPlane({
  config: {
    mcpServers: {
      ledger: { ...fixtureCommand("ledger"), trusted: true, cache: { ttlMs: 60_000 } },
    },
  },
});
const read = () => plane.call("ledger.read", { key: "colour" });

chapter("A tool that is known to only read");
await promise("is asked once, and the second answer is from the cache", async () => {
  const first = await read();
  const second = await read();
  assert.deepEqual([first.call.cached, second.call.cached], [false, true]);
  assert.deepEqual(dataOf(second), dataOf(first));
});
await promise("is asked again after a write to its server", async () => {
  await plane.call("ledger.write", { key: "colour", value: "red" });
  const after = await read();
  assert.equal(after.call.cached, false);
  assert.deepEqual(dataOf(after), { value: "red" });
});
await promise("answers equal calls that are under way with one request", async () => {
  const calls = [1, 2, 3].map(() => plane.call("ledger.read", { key: "size" }));
  const ended = await Promise.all(calls);
  assert.equal(ended.filter(({ call }) => call.coalesced).length, 2);
});
