import assert from "node:assert/strict";
import { test } from "node:test";
import { createSearch } from "../../src/catalogue/search/search.ts";
import { parseSearch } from "../../src/model/catalogue/search.ts";
import { listAll } from "../../src/protocol/list-all.ts";
import { findable } from "../samples/search-tools.ts";
import { rogue } from "../scenarios/rogue/rogue.ts";
import { planeOf } from "../scenarios/support.ts";

test("a list with more tools than are taken counts those that are left out", async () => {
  const pages = [12_000, 8_300].map((count) => Array.from({ length: count }, (_, at) => ({ name: `t${at}` })));
  const request = async (_: string, { cursor }: { cursor?: unknown } = {}) =>
    cursor === undefined ? { tools: pages[0], nextCursor: "more" } : { tools: pages[1] };
  const listing = await listAll({ request }, "tools/list", new AbortController().signal);
  assert.deepEqual([listing.items.length, listing.leftOut], [20_000, 300]);
  assert.match(listing.warning ?? "", /beyond 20000 were left out: 300$/);
});

test("a server whose list is not taken whole says so in its status", async () => {
  await using plane = await planeOf({ endless: rogue("stdio-odd", ["--mode", "endless"]) });
  await plane.servers.connect("endless");
  const [status] = await plane.servers.list();
  assert.match(status?.incomplete?.reason ?? "", /more than 1000 pages/);
});

test("a search answers from what is indexed while very many tools are still read", async () => {
  const tools = Array.from({ length: 12_500 }, (_, at) => findable("big", `tool_${at}`, `Does the thing number${at}.`));
  const search = createSearch();
  const serverText = () => "";
  const options = { limit: 5, summaryLimit: 100 };
  let left = await search.updateSoon(tools, serverText);
  const early = await search.find(parseSearch({ query: "number7" }), tools, options);
  assert.equal(early.tools[0]?.name, "big.tool_7", "the first are there already");
  for (let looks = 0; left > 0 && looks < 1_000; looks++) left = await search.updateSoon(tools, serverText);
  assert.equal(left, 0);
  const late = await search.find(parseSearch({ query: "number12499" }), tools, options);
  assert.equal(late.tools[0]?.name, "big.tool_12499");
});
