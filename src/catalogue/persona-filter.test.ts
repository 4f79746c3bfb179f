import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { createPersonaFilter, seenThrough } from "./persona-filter.ts";

const tool = (name: string, persona: string | null, persona_allowlist?: string[]) =>
  sampleTool({
    name,
    persona,
    metadata: sampleMetadata(persona_allowlist ? { persona_allowlist } : {}),
  });

const catalogue = [
  tool("lookup", null),
  tool("lookup", "Atlas"),
  tool("notes", "Nova"),
  tool("ledger", null, ["Nova", "Vega"]),
];

const cases: [title: string, asked: string[], seen: string[]][] = [
  ["a persona sees its own tool in the place of the shared one", ["atlas"], ["lookup of Atlas"]],
  ["another one sees the shared tool", ["Nova"], ["lookup", "notes of Nova", "ledger"]],
  [
    "two together see both",
    ["Atlas", "Nova"],
    ["lookup", "lookup of Atlas", "notes of Nova", "ledger"],
  ],
  ["one that owns nothing sees what it is allowed", ["vega"], ["lookup", "ledger"]],
  ["an unknown one sees what is shared", ["Rigel"], ["lookup"]],
];

for (const [title, asked, expected] of cases) {
  test(title, () => {
    const seen = seenThrough(
      createPersonaFilter(asked),
      catalogue,
      (persona, { persona: owner, metadata }) => {
        const allowed = metadata.persona_allowlist?.includes(persona ?? "") ?? true;
        return (owner === null || owner === persona) && allowed;
      },
    );
    assert.deepEqual(
      seen.map(({ name, persona }) => (persona === null ? name : `${name} of ${persona}`)),
      expected,
    );
  });
}

test("what may not be used is not seen through anybody's eyes", () => {
  assert.deepEqual(
    seenThrough(createPersonaFilter(["-shared"]), catalogue, () => false),
    [],
  );
});
