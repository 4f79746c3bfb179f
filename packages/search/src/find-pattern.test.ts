import assert from "node:assert/strict";
import { test } from "node:test";
import { growthOf, maxGrowth } from "@toolplane/test/samples/growth";
import { findable } from "@toolplane/test/samples/search-tools";
import { findPattern, patternTrouble } from "./find-pattern.ts";
import { createFindTools } from "./find-tools.ts";
import { createToolIndex } from "./tool-index.ts";

function sample(count: number, description: string) {
  const tools = Array.from({ length: count }, (_, at) => findable("s", `tool_${at}`, description));
  const index = createToolIndex();
  index.update(tools, () => "");
  const candidates = tools.map((tool) => ({ tool, serverText: "" }));
  return { candidates, means: { index, findTools: createFindTools(index), count: 10 } };
}

/** Between two looks at the clock so much was worked. */
function ticking(stepMs: number) {
  let clock = 0;
  const worked = () => {
    clock += stepMs;
    return clock;
  };
  return { worked, now: () => clock };
}

test("a pattern that others need for ever is looked for in a time that grows with the text", () => {
  assert.equal(patternTrouble("(a+)+$"), null);
  const { means } = sample(1, "");
  const grown = growthOf((size) => {
    const tool = findable("s", "t", `${"a".repeat(size)}!`);
    void findPattern("(a+)+$", [{ tool, serverText: "" }], means);
  }, 900);
  assert.ok(grown < maxGrowth, `eight times the text took ${grown} times as long`);
});

test("a search that takes too long ends with what it has and says so", async () => {
  const { candidates, means } = sample(500, "Does it");
  const time = ticking(1.5);
  const { total, notes, isPartial } = await findPattern("does|tool_499", candidates, means, time);
  assert.ok(total > 1 && total < 500, String(total));
  assert.equal(isPartial, true);
  assert.match(notes[0] ?? "", /\d+ of 500 tools were not looked at/);
});

test("names are looked at before any text, so that a slow pattern still finds them", async () => {
  const { candidates, means } = sample(500, "Does it");
  const time = ticking(1.5);
  const { hits } = await findPattern("tool_4\\d\\d$", candidates, { ...means, count: 500 }, time);
  assert.equal(hits.length, 100);
  assert.ok(hits.every(({ score }) => score >= 0.6));
});

test("others have their turn while many tools are looked at", async () => {
  const { candidates, means } = sample(300, "Does it");
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const time = ticking(1);
  const { total } = await findPattern("does", candidates, means, time);
  isOver = true;
  assert.equal(total, 300);
  assert.ok(turns > 0);
});

test("patterns that cannot be had in linear time are none", () => {
  for (const pattern of ["(?=a)", "(a)\\1", "[", "x".repeat(201)])
    assert.ok(patternTrouble(pattern), pattern);
});

test("a pattern is looked for in every spelling of a name", async () => {
  const tools = [findable("my-srv", "read_file", ""), findable("other", "write_file", "")];
  const index = createToolIndex();
  index.update(tools, () => "");
  const candidates = tools.map((tool) => ({ tool, serverText: "" }));
  const means = { index, findTools: createFindTools(index), count: 10 };
  for (const pattern of [
    "^mcp_my_srv_read",
    "^mcp\\.my-srv\\.",
    "^mcp__my-srv__read_file$",
    "^my_srv__",
  ]) {
    const { hits } = await findPattern(pattern, candidates, means);
    assert.deepEqual(
      hits.map(({ tool }) => tool.id.server),
      ["my-srv"],
      pattern,
    );
  }
});
