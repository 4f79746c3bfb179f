import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool } from "../../test/samples/calls.ts";
import { createRegistry, type RegistryChange, type Snapshot } from "./registry.ts";
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
  const announced: RegistryChange[] = [];
  const registry = createRegistry((change) => announced.push(change));
  registry.setSource("a", offer("a", "x"));
  const earlier = registry.snapshot();
  registry.setSource("a", offer("a", "y"));
  assert.deepEqual(names(earlier), ["a.x"]);
  assert.deepEqual(earlier.index.find("a.y"), { kind: "none" });
  assert.deepEqual([earlier.revision, registry.snapshot().revision], [1, 2]);
  assert.deepEqual(announced, [
    { revision: 1, tools: 1 },
    { revision: 2, tools: 1 },
  ]);
  assert.throws(() => Object.assign(earlier.tools[0] ?? {}, { name: "z" }), TypeError);
});

test("what is listed again unchanged is no news, whatever the order of its keys", () => {
  const announced: RegistryChange[] = [];
  const registry = createRegistry((change) => announced.push(change));
  registry.setSource("a", offer("a", "x", "y"));
  const before = registry.snapshot();
  const { tools } = offer("a", "x", "y");
  const turned = tools.map(
    (tool) => Object.fromEntries(Object.entries(tool).toReversed()) as typeof tool,
  );
  registry.setSource("a", { tools: turned, rejected: [{ tool: "z", reason: "it has no name" }] });
  assert.deepEqual([announced.length, registry.snapshot() === before], [1, true]);
  assert.equal(registry.listed("a").rejected.length, 1);
});

test("a tool more, one less, another order and a changed one are news, and leave the others as they were", () => {
  const announced: RegistryChange[] = [];
  const registry = createRegistry((change) => announced.push(change));
  for (const listed of [
    ["x", "y"],
    ["w", "x", "y"],
    ["x", "y"],
    ["y", "x"],
  ]) {
    registry.setSource("a", offer("a", ...listed));
    assert.deepEqual(names(registry.snapshot()), listed.map((name) => `a.${name}`).sort());
  }
  const metadata = registry.snapshot().byId({ server: "a", tool: "y" })?.metadata;
  const { tools, rejected } = offer("a", "y", "x");
  registry.setSource("a", {
    tools: tools.map((tool, at) => (at === 1 ? { ...tool, description: "New." } : tool)),
    rejected,
  });
  assert.equal(registry.snapshot().byId({ server: "a", tool: "y" })?.metadata, metadata);
  assert.equal(registry.snapshot().byId({ server: "a", tool: "x" })?.description, "New.");
  assert.equal(announced.length, 5);
});

test("what a source listed and what was not taken can be asked", () => {
  const registry = createRegistry(() => undefined);
  const rejected = [{ tool: "entry 2", reason: "it has no name" }];
  registry.setSource("a", { ...offer("a", "x", "y"), rejected });
  assert.deepEqual(registry.listed("a"), { tools: 2, rejected });
  assert.deepEqual(registry.listed("never"), { tools: 0, rejected: [] });
});

function handWritten(...owners: (string | null)[]): Translation {
  const tools = owners.map((persona) => {
    const {
      name: _,
      modelName: __,
      ...nameless
    } = sampleTool({
      id: { server: null, tool: "lookup" },
      description: `of ${persona}`,
      persona,
    });
    return nameless;
  });
  return { tools, rejected: [] };
}

test("a persona sees its own tool in the place of the shared one, and no other persona does", () => {
  const registry = createRegistry(() => undefined);
  registry.setSource("", handWritten(null, "Atlas", "Nova"));
  registry.setSource("a", offer("a", "x"));
  const seen = (persona: string | null) => {
    const { tools, index, byId } = registry.snapshot({ persona, user: null, workspace: null });
    const match = index.find("lookup");
    const found = match.kind === "one" ? byId(match.id)?.description : match.kind;
    return [tools.map(({ name }) => name), found];
  };
  for (const [persona, description] of [
    [null, "of null"],
    ["Atlas", "of Atlas"],
    ["Nova", "of Nova"],
    ["Other", "of null"],
  ] as const) {
    assert.deepEqual(seen(persona), [["a.x", "lookup"], description]);
  }
  assert.equal(registry.all().length, 4);
});

test("a name that only others have is found, so that its refusal can say whose it is", () => {
  const registry = createRegistry(() => undefined);
  registry.setSource("", handWritten("Nova", "Atlas"));
  assert.notEqual(registry.snapshot().byId({ server: null, tool: "lookup" })?.persona, null);
});

test("readers cannot change a listed tool at any depth", () => {
  const registry = createRegistry(() => undefined);
  registry.setSource("a", offer("a", "x"));
  const [tool] = registry.snapshot().tools;
  assert.throws(() => Object.assign(tool?.metadata ?? {}, { version: "9" }), TypeError);
  assert.throws(() => Object.assign(tool?.providers ?? [], { 0: null }), TypeError);
  assert.throws(() => Object.assign(tool?.parameters.properties ?? {}, { more: {} }), TypeError);
});
