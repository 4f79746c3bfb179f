import assert from "node:assert/strict";
import { test } from "node:test";
import { createSearch } from "../../src/catalogue/search/search.ts";
import { parseSearch } from "../../src/model/catalogue/search.ts";
import { findable } from "../samples/search-tools.ts";
import { rogue } from "../scenarios/rogue/rogue.ts";
import { planeOf } from "../scenarios/support.ts";

test("a server with more tools than are taken says in its status how many were left out (25)", async () => {
  await using plane = await planeOf({ many: rogue("many-tools", ["--count", "20300", "--page", "10150"]) });
  await plane.servers.connect("many");
  const [status] = await plane.servers.list();
  assert.equal(status?.tools, 20_000);
  assert.equal(status?.incomplete?.leftOut, 300);
  assert.match(status?.incomplete?.reason ?? "", /beyond 20000 were left out: 300$/);
});

test("a search answers from what is indexed while very many tools are still read (25)", async () => {
  const tools = Array.from({ length: 30_000 }, (_, at) => findable("big", `tool_${at}`, `Does the thing number${at}.`));
  const search = createSearch();
  const serverText = () => "";
  const options = { limit: 5, summaryLimit: 100 };
  let left = await search.updateSoon(tools, serverText);
  const early = await search.find(parseSearch({ query: "number7" }), tools, options);
  assert.equal(early.tools[0]?.name, "big.tool_7", "the first are there already");
  for (let looks = 0; left > 0 && looks < 1_000; looks++) left = await search.updateSoon(tools, serverText);
  assert.equal(left, 0);
  const late = await search.find(parseSearch({ query: "number29999" }), tools, options);
  assert.equal(late.tools[0]?.name, "big.tool_29999");
});
