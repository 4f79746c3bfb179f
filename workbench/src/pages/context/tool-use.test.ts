import assert from "node:assert/strict";
import { test } from "node:test";
import { costsOf, lazyCostOf, reachesBack, unusedOf } from "./tool-use.ts";

const now = Date.parse("2026-11-18T12:00:00Z");
const tools = [
  { name: "a.big", server: "a", fullTokens: 900 },
  { name: "a.small", server: "a", fullTokens: 100 },
  { name: "b.one", server: "b", fullTokens: 50 },
  { name: "own", server: "(hand-written)", fullTokens: 10 },
];
const stats = { tools, lazy: { metaTokens: 200 } } as never;
const usage = {
  since: "2026-10-01T00:00:00Z",
  tools: [
    { name: "a.small", lastAt: "2026-11-17T00:00:00Z" },
    { name: "b.one", lastAt: "2026-10-02T00:00:00Z" },
  ],
};

test("what nobody calls is what no record of these days names, except tools of our own", () => {
  const names = (days: number) =>
    unusedOf(costsOf(stats, usage), days, now).map(({ name }) => name);
  assert.deepEqual(names(30), ["a.big", "b.one"]);
  assert.deepEqual(names(60), ["a.big"]);
});

test("records that begin later cannot say it", () => {
  assert.equal(reachesBack(usage, 30, now), true);
  assert.equal(reachesBack(usage, 60, now), false);
  assert.equal(reachesBack({ since: null, tools: [] }, 1, now), false);
  assert.equal(reachesBack(undefined, 1, now), false);
});

test("with lazy loading a conversation has the search tools, and each tool that it called once", () => {
  const calls = [
    { tool: "a.small", conversation: "x" },
    { tool: "a.small", conversation: "x" },
    { tool: "b.one", conversation: "x" },
    { tool: "a.big", conversation: "y" },
    { tool: "a.big" },
  ];
  assert.deepEqual(lazyCostOf(calls as never, stats), {
    conversations: 2,
    tokens: (350 + 1_100) / 2,
  });
  assert.equal(lazyCostOf([], stats), null);
});
