import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "./load-config.ts";

const load = async (approvals: object) => {
  const { config } = await loadConfig({ mcpServers: {}, approvals }, {});
  const { holdMs, expireMs } = config.approvals;
  const notices = config.problems.filter(({ path }) => path === "approvals.timeoutMs");
  return { lives: [holdMs, expireMs], notices };
};

test("a call is held open for five minutes by default, and the profile says how long a question lives", async () => {
  const { lives, notices } = await load({});
  assert.deepEqual([lives, notices], [[300_000, undefined], []]);
});

test("the key of 0.3 sets both lives, with a notice, unless they are written", async () => {
  const { lives, notices } = await load({ timeoutMs: 1_000 });
  assert.deepEqual(lives, [1_000, 1_000]);
  assert.deepEqual(
    notices.map(({ severity }) => severity),
    ["warning"],
  );
  assert.match(notices[0]?.message ?? "", /both lives of an approval to 1000 ms/);
  assert.deepEqual((await load({ timeoutMs: 1_000, holdMs: 2_000 })).lives, [2_000, 1_000]);
  assert.deepEqual((await load({ timeoutMs: 1_000, expireMs: 2_000 })).lives, [1_000, 2_000]);
});
