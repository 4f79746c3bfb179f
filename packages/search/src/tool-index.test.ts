import assert from "node:assert/strict";
import { test } from "node:test";
import { findable } from "@toolplane/test/samples/search-tools";
import fc from "fast-check";
import type { Findable } from "./fields.ts";
import { createFindTools } from "./find-tools.ts";
import { createToolIndex, type ToolIndex } from "./tool-index.ts";

function allSlots(index: ToolIndex) {
  const mask = new Uint8Array(index.corpus().slots);
  for (const slot of index.all()) mask[slot] = 1;
  return mask;
}

function answersOf(index: ToolIndex, queries: readonly string[]) {
  const find = createFindTools(index);
  return queries.map((query) => {
    const { hits, total, coverage } = find(query, allSlots(index), 20);
    return {
      total,
      coverage,
      hits: hits.map(({ tool, score }) => [tool.name, tool.persona, score]),
    };
  });
}

const words = [
  "file",
  "files",
  "read",
  "write",
  "weather",
  "GitHub",
  "issue",
  "send_mail",
  "搜索",
  "list",
];
const queries = [
  "read a file",
  "github issues",
  "weather",
  "send mail",
  "搜索",
  "file_file",
  "s1.read",
];

const toolArb = fc.record({
  tool: fc.constantFrom("read", "write", "send_mail", "getWeather"),
  description: fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(" ")),
  persona: fc.constantFrom(undefined, "Atlas"),
});
/** Each step replaces what one server offers, as servers do. */
const stepArb = fc.record({
  server: fc.constantFrom("s1", "s2", "s3"),
  tools: fc.uniqueArray(toolArb, {
    maxLength: 5,
    selector: ({ tool, persona }) => `${tool}/${persona}`,
  }),
  text: fc.constantFrom("", "about files", "weather of GitHub"),
});

test("whatever changes in which order, answers are those of an index made again", () => {
  fc.assert(
    fc.property(fc.array(stepArb, { minLength: 1, maxLength: 40 }), (steps) => {
      const index = createToolIndex();
      const servers = new Map<string, Findable[]>();
      const texts = new Map<string | null, string>();
      for (const { server, tools, text } of steps) {
        const listed = tools.map(({ tool, description, persona }) =>
          findable(server, tool, description, persona === undefined ? {} : { persona }),
        );
        servers.set(server, listed);
        texts.set(server, text);
        index.update([...servers.values()].flat(), (name) => texts.get(name) ?? "");
      }
      const again = createToolIndex();
      again.update([...servers.values()].flat(), (name) => texts.get(name) ?? "");
      assert.deepEqual(answersOf(index, queries), answersOf(again, queries));
    }),
    { numRuns: 60 },
  );
});

test("what is listed again unchanged is not read again", () => {
  const index = createToolIndex();
  const one = findable("a", "read", "Reads.");
  const two = findable("b", "write", "Writes.");
  assert.equal(
    index.update([one, two], () => ""),
    2,
  );
  assert.equal(
    index.update([{ ...one }, { ...two }], () => ""),
    0,
  );
  assert.equal(
    index.update([{ ...one, description: "Reads anything." }, two], () => ""),
    1,
  );
  assert.equal(
    index.update([two], (server) => (server === "b" ? "A disk." : "")),
    1,
  );
});

test("a thousand tools that come and go leave no more behind than there is", () => {
  const index = createToolIndex();
  for (let round = 0; round < 8; round++) {
    const tools = Array.from({ length: 200 }, (_, at) =>
      findable("s", `tool_${round}_${at}`, "Does it."),
    );
    index.update(tools, () => "");
  }
  const { slots, alive, segments } = index.corpus();
  assert.equal(alive, 200);
  assert.ok(slots <= 700, `${slots} slots for ${alive} tools`);
  assert.ok(segments.length <= 16);
});

test("every spelling of a name leads to its tool, and the exact one before others", () => {
  const index = createToolIndex();
  const tools = [findable("git", "hub_read"), findable("git_hub", "read"), findable(null, "read")];
  index.update(tools, () => "");
  const named = (spelling: string, isLoose = false) =>
    index.named(spelling, isLoose).map((slot) => index.toolAt(slot).name);
  for (const spelling of [
    "git_hub.read",
    "git_hub__read",
    "mcp.git_hub.read",
    "mcp__git_hub__read",
  ]) {
    assert.equal(named(spelling)[0], "git_hub.read", spelling);
  }
  assert.deepEqual(named("read"), ["read", "git_hub.read"]);
  assert.deepEqual(named("GitHub.Read", true), ["git.hub_read", "git_hub.read"]);
  assert.deepEqual(named("GitHub.Read"), []);
});
