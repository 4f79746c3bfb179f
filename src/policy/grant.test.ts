import assert from "node:assert/strict";
import { test } from "node:test";
import { users } from "../../test/fixtures/people.ts";
import { sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { nobody, type Principal } from "../model/principal.ts";
import type { Tool } from "../model/tool.ts";
import { grantFor } from "./grant.ts";

const ada: Principal = { user: users.ada.name, groups: [...users.ada.groups], persona: "writer" };
const bob: Principal = { user: users.bob.name, groups: [...users.bob.groups], persona: null };
const forWriters = { metadata: sampleMetadata({ persona_allowlist: ["writer", "operator"] }) };

const cases: [title: string, who: Principal, tool: Partial<Tool>, answer: string][] = [
  ["a tool for everybody is granted to nobody in particular", nobody, {}, "everybody"],
  ["one common group is enough", ada, { groups: ["finance", "engineering"] }, "group"],
  ["without a common group it is refused", bob, { groups: ["engineering"] }, "members of engineering"],
  ["an anonymous caller is in no group", nobody, { groups: ["everyone"] }, "members of everyone"],
  ["a persona may use its own tools", ada, { persona: "writer" }, "everybody"],
  ["another persona may not", bob, { persona: "writer" }, "persona 'writer'"],
  ["a listed persona may use the tool", ada, forWriters, "everybody"],
  ["a caller without a persona is not on the list", bob, forWriters, "personas writer, operator"],
  [
    "the list is exact about capitals",
    { ...ada, persona: "Writer" },
    forWriters,
    "personas writer, operator",
  ],
  [
    "an empty list of personas lets nobody in",
    bob,
    { metadata: sampleMetadata({ persona_allowlist: [] }) },
    "personas",
  ],
  [
    "the group does not make up for the persona",
    ada,
    { groups: ["engineering"], persona: "reader" },
    "'reader'",
  ],
];

for (const [title, who, tool, expected] of cases) {
  test(title, () => {
    const answer = grantFor(who, sampleTool(tool));
    const text = "refused" in answer ? answer.refused : answer.by;
    assert.ok(text.includes(expected), text);
    assert.equal("refused" in answer, !["everybody", "group"].includes(expected));
  });
}
