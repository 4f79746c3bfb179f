import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool } from "../../test/samples/calls.ts";
import { createRegistry, type Snapshot } from "./registry.ts";
import type { Translation } from "./sources/mcp.ts";

function offer(server: string, ...tools: string[]): Translation {
  return {
    tools: tools.map((tool) => {
      const { name: _, modelName: __, ...nameless } = sampleTool({ id: { server, tool } });
      return nameless;
    }),
    rejected: [],
  };
}

const names = ({ tools }: Snapshot) => tools.map(({ name }) => name);

test("the tools of all sources make one catalogue, sorted and named", () => {
  const registry = createRegistry(() => undefined);
  registry.setSource("b", offer("b", "two", "one"));
  registry.setSource("a", offer("a", "x"));
  assert.deepEqual(names(registry.snapshot()), ["a.x", "b.one", "b.two"]);
  const tool = registry.snapshot().byId({ server: "b", tool: "one" });
  assert.deepEqual([tool?.name, tool?.modelName], ["b.one", "b__one"]);
  assert.equal(registry.snapshot().byId({ server: "b", tool: "three" }), undefined);
});

test("a source that lists again replaces what it had and touches no other", () => {
  const registry = createRegistry(() => undefined);
  registry.setSource("a", offer("a", "old", "kept"));
  registry.setSource("b", offer("b", "x"));
  registry.setSource("a", offer("a", "kept", "new"));
  assert.deepEqual(names(registry.snapshot()), ["a.kept", "a.new", "b.x"]);
});

test("a snapshot never changes; a new one takes its place and is announced", () => {
  const announced: [number, string[]][] = [];
  const registry = createRegistry((snapshot) => announced.push([snapshot.revision, names(snapshot)]));
  registry.setSource("a", offer("a", "x"));
  const earlier = registry.snapshot();
  registry.setSource("a", offer("a", "y"));
  assert.deepEqual(names(earlier), ["a.x"]);
  assert.deepEqual(earlier.index.find("a.y"), { kind: "none" });
  assert.deepEqual(announced, [
    [1, ["a.x"]],
    [2, ["a.y"]],
  ]);
  assert.throws(() => Object.assign(earlier.tools[0] ?? {}, { name: "z" }), TypeError);
});

test("what a source listed and what was not taken can be asked", () => {
  const registry = createRegistry(() => undefined);
  const rejected = [{ tool: "entry 2", reason: "it has no name" }];
  registry.setSource("a", { ...offer("a", "x", "y"), rejected });
  assert.deepEqual(registry.listed("a"), { tools: 2, rejected });
  assert.deepEqual(registry.listed("never"), { tools: 0, rejected: [] });
});
