import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata } from "../../../test/samples/calls.ts";
import type { AccessRequest } from "../../model/calls/call.ts";
import type { ToolMetadata } from "../../model/catalogue/tool.ts";
import { principalOf, trusted } from "../../model/principal.ts";
import { refuseGroups, refuseGroupsOf, refuseState } from "./grant.ts";

const root = trusted({ user: "root" });

const cases: [
  title: string,
  tool: Partial<ToolMetadata>,
  request: AccessRequest,
  there: boolean,
][] = [
  ["who says nothing means the default group", {}, {}, true],
  ["and no other", { group: ["kb"] }, {}, false],
  ["one common group is enough", { group: ["kb", "web"] }, { toolGroups: ["web", "x"] }, true],
  ["no group means no tool", {}, { toolGroups: [] }, false],
  ["a star means every group", { group: ["kb"] }, { toolGroups: "*" }, true],
  ["also in a list", { group: ["kb"] }, { toolGroups: ["*"] }, true],
  ["capitals count", { group: ["kb"] }, { toolGroups: ["KB"] }, false],
  ["a tool in no group is there for a star alone", { group: [] }, {}, false],
  ["a tool without states is there in all of them", {}, { state: "research" }, true],
  [
    "a tool is there in its states",
    { "applicable-states": ["research"] },
    { state: "research" },
    true,
  ],
  ["and in no other", { "applicable-states": ["research"] }, { state: "Research" }, false],
  ["no state is the state undefined", { "applicable-states": ["undefined"] }, {}, true],
  ["an empty state is none", { "applicable-states": ["undefined"] }, { state: "" }, true],
  ["a star stands for every state", { "applicable-states": ["*"] }, { state: "x" }, true],
  ["a tool of no state is nowhere", { "applicable-states": [] }, {}, false],
];

for (const [title, tool, request, there] of cases) {
  test(title, () => {
    const metadata = sampleMetadata(tool);
    const refused = refuseGroupsOf(root, metadata, request) ?? refuseState(metadata, request);
    assert.equal(refused === null, there);
  });
}

test("no caller asks for more groups than are theirs", () => {
  const ann = principalOf({ user: "ann" });
  const strange = (request: AccessRequest, toolGroups?: string[]) =>
    refuseGroups(toolGroups ? { ...ann, toolGroups } : ann, request);
  assert.equal(strange({}), null);
  assert.equal(strange({ toolGroups: [] }), null);
  assert.equal(strange({ toolGroups: ["default"] }), null);
  assert.match(strange({ toolGroups: ["default", "kb"] }) ?? "", /'kb'/);
  assert.match(strange({ toolGroups: ["Default"] }) ?? "", /'Default'/);
  assert.match(strange({ toolGroups: "*" }) ?? "", /'\*'/);
  assert.equal(strange({ toolGroups: "*" }, ["*"]), null);
  assert.match(strange({ toolGroups: ["default"] }, ["kb"]) ?? "", /'default'/);
  assert.equal(strange({}, []), null);
  assert.equal(refuseGroups(root, { toolGroups: ["anything"] }), null);
});
