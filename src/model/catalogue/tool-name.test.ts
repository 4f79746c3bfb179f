import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import { anyCharacter } from "../../../test/samples/texts.ts";
import type { ToolId } from "./tool.ts";
import { createToolNameIndex, mayBelongTo, type NameMatch, toolKey } from "./tool-name.ts";

const safeName = /^[A-Za-z0-9_-]{1,64}$/;

/** Short words over few letters collide often; the rest is what servers really come up with. */
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."ab._-"), maxLength: 6 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom(
    "",
    " ",
    "__",
    "mcp",
    "mcp_a",
    "größe",
    "工具",
    "x".repeat(200),
    `${"x".repeat(199)}y`,
  ),
);
const toolId = fc.record({
  server: fc.oneof({ weight: 4, arbitrary: word }, fc.constant(null)),
  tool: word,
});
const toolIds = fc.uniqueArray(toolId, { selector: toolKey, maxLength: 12 });

function found(match: NameMatch): string[] {
  if (match.kind === "none") return [];
  return (match.kind === "one" ? [match.id] : match.ids).map(toolKey).sort();
}

/** Every way to write one tool, beside its bare name and the name for models. */
function spellings({ server, tool }: ToolId): string[] {
  if (server === null) return [tool, `mcp.${tool}`];
  const pairs = [".", "_", "__"].map((mark) => `${server}${mark}${tool}`);
  return [...pairs, `mcp.${server}.${tool}`, `mcp_${server}_${tool}`, `mcp__${server}__${tool}`];
}

test("names and names for models are unique, and the latter fit every model API", () => {
  fc.assert(
    fc.property(toolIds, (ids) => {
      const index = createToolNameIndex(ids);
      assert.equal(new Set(ids.map(index.name)).size, ids.length);
      assert.equal(new Set(ids.map(index.modelName)).size, ids.length);
      for (const id of ids) assert.match(index.modelName(id), safeName);
    }),
    { numRuns: cases(400) },
  );
});

test("names depend on the set of tools and not on their order", () => {
  const shuffled = toolIds.chain((ids) =>
    fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length })),
  );
  fc.assert(
    fc.property(shuffled, ([ids, others]) => {
      const one = createToolNameIndex(ids);
      const two = createToolNameIndex(others);
      assert.deepEqual(ids.map(one.name), ids.map(two.name));
      assert.deepEqual(ids.map(one.modelName), ids.map(two.modelName));
    }),
  );
});

test("every tool is found again by its name and by its name for models", () => {
  fc.assert(
    fc.property(toolIds, (ids) => {
      const index = createToolNameIndex(ids);
      for (const id of ids) {
        assert.deepEqual(index.find(index.name(id)), { kind: "one", id });
        assert.deepEqual(index.find(index.modelName(id)), { kind: "one", id });
      }
    }),
    { numRuns: cases(400) },
  );
});

test("a spelling that is no tool's name finds every tool that answers to it", () => {
  fc.assert(
    fc.property(toolIds, (ids) => {
      const index = createToolNameIndex(ids);
      const names = new Set(ids.flatMap((id) => [index.name(id), index.modelName(id)]));
      for (const spelling of new Set(ids.flatMap(spellings))) {
        if (names.has(spelling)) continue;
        const expected = ids.filter((id) => spellings(id).includes(spelling)).map(toolKey);
        assert.deepEqual(found(index.find(spelling)), expected.sort(), JSON.stringify(spelling));
      }
    }),
    { numRuns: cases(400) },
  );
});

test("every collision names the tools that share the spelling", () => {
  fc.assert(
    fc.property(toolIds, (ids) => {
      const index = createToolNameIndex(ids);
      for (const { spelling, names } of index.collisions()) {
        const expected = ids.filter((id) => spellings(id).includes(spelling)).map(index.name);
        assert.ok(names.length > 1);
        assert.deepEqual([...names].sort(), expected.sort());
      }
    }),
  );
});

for (const spelling of [
  "my_srv.do_it_now",
  "my_srv_do_it_now",
  "my_srv__do_it_now",
  "mcp.my_srv.do_it_now",
  "mcp_my_srv_do_it_now",
  "mcp__my_srv__do_it_now",
  "do_it_now",
]) {
  test(`'${spelling}' finds the tool`, () => {
    const id = { server: "my_srv", tool: "do_it_now" };
    const index = createToolNameIndex([{ server: "other", tool: "it_now" }, id]);
    assert.deepEqual(index.find(spelling), { kind: "one", id });
  });
}

test("tools whose spellings collide keep names of their own and are reported", () => {
  const ids = [
    { server: "a", tool: "b_c" },
    { server: "a_b", tool: "c" },
  ];
  const index = createToolNameIndex(ids);
  assert.deepEqual(ids.map(index.name), ["a.b_c", "a_b.c"]);
  assert.deepEqual(ids.map(index.modelName), ["a__b_c", "a_b__c"]);
  assert.deepEqual(index.find("a_b_c"), { kind: "many", ids });
  const { names } = index.collisions().find(({ spelling }) => spelling === "a_b_c") ?? {};
  assert.deepEqual(names, ["a.b_c", "a_b.c"]);
});

test("a bare name finds the only tool that has it, and all when several have it", () => {
  const ids = [
    { server: "a", tool: "echo" },
    { server: "b", tool: "echo" },
    { server: "b", tool: "add" },
  ];
  const index = createToolNameIndex(ids);
  assert.deepEqual(index.find("add"), { kind: "one", id: ids[2] });
  assert.deepEqual(index.find("echo"), { kind: "many", ids: ids.slice(0, 2) });
  assert.deepEqual(index.find("subtract"), { kind: "none" });
});

test("a hand-written name and a server's tool that are written alike are both reported", () => {
  const ids = [
    { server: null, tool: "a.b" },
    { server: "a", tool: "b" },
  ];
  const index = createToolNameIndex(ids);
  assert.equal(index.find("a.b").kind, "many");
});

test("a long name for models keeps a readable beginning and stays the same", () => {
  const id = { server: "s".repeat(40), tool: "t".repeat(50) };
  const name = createToolNameIndex([id]).modelName(id);
  assert.match(name, /^s{8,}__t+_[0-9a-f]{8}$/);
  assert.equal(name.length, 64);
  assert.equal(createToolNameIndex([id]).modelName(id), name);
});

test("a spelling may belong to a server when it begins like the server's tools", () => {
  for (const spelling of ["git.x", "git_x", "mcp.git.x", "mcp_git_x", "mcp__git__x"])
    assert.equal(mayBelongTo("git", spelling), true, spelling);
  for (const spelling of ["git", "github.x", "x.git", "status"])
    assert.equal(mayBelongTo("git", spelling), false, spelling);
});
