import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "../../lib/text/nearest.ts";
import { PlaneError } from "../errors.ts";
import { parseToolQuery, type ToolQuery, unfilteredQuery } from "./tool-query.ts";

const wording = { spell: (parameter: string) => `'${parameter}'`, nearest };
const parse = (text: string) => parseToolQuery(new URLSearchParams(text), wording);

const taken: [query: string, fields: Partial<ToolQuery>][] = [
  ["", {}],
  ["persona=Atlas&persona=-shared", { personas: ["Atlas", "-shared"] }],
  ["persona=Atlas,-shared", { personas: ["Atlas", "-shared"] }],
  ["persona=shared:false", { personas: ["shared:false"] }],
  ["persona=WITHOUT-SHARED", { personas: ["WITHOUT-SHARED"] }],
  ["provider=openai&provider=mcp", { providers: ["openai", "mcp"] }],
  ["capability=web_search&capability=News", { capabilities: ["web_search", "News"] }],
  ["version=%3E%3D1.0,%3C2.0", { version: ">=1.0,<2.0" }],
  ["min_success_rate=0.8", { minSuccessRate: 0.8 }],
  ["min_success_rate=80", { minSuccessRate: 0.8 }],
  ["min_success_rate=80%25", { minSuccessRate: 0.8 }],
  ["min_success_rate=.5", { minSuccessRate: 0.5 }],
  ["min_success_rate=1", { minSuccessRate: 1 }],
  ["min_success_rate=1%25", { minSuccessRate: 0.01 }],
  ["min_success_rate=1.5", { minSuccessRate: 0.015 }],
  ["min_success_rate=0", { minSuccessRate: 0 }],
  ["min_success_rate=100", { minSuccessRate: 1 }],
  ["include_unused=yes", { includeUnused: true }],
  ["include_unused=OFF", { includeUnused: false }],
  ["side_effects=none&side_effects=write", { sideEffects: ["none", "write"] }],
  ["side_effects=NONE", { sideEffects: ["none"] }],
  ["safety_level=high", { safetyLevels: ["high"] }],
  ["server=echo&q=add+two", { server: "echo", q: "add two" }],
  ["limit=1000&cursor=YQ", { limit: 1000, cursor: "YQ" }],
  ["include_provider_health=0", { includeProviderHealth: false }],
];

for (const [query, fields] of taken) {
  test(`'${query}' is understood`, () =>
    assert.deepEqual(parse(query), { ...unfilteredQuery, ...fields }));
}

const refused: [query: string, parameter: string, message: RegExp][] = [
  [
    "capabilty=x",
    "capabilty",
    /'capabilty' is not a parameter of this list of tools\. Did you mean 'capability'\? Known are persona, /,
  ],
  ["constructor=x", "constructor", /Known are/],
  [
    "persona=-share",
    "persona",
    /'persona' cannot be '-share': .*without-shared.*Did you mean '-shared'\?/,
  ],
  ["persona=shared=no", "persona", /'shared=no'/],
  ["persona=", "persona", /needs a value/],
  ["persona=Atlas,", "persona", /needs a value/],
  ["provider=", "provider", /needs a value/],
  ["version=1&version=2", "version", /'version' is given twice/],
  ["min_success_rate=often", "min_success_rate", /'often': give a share from 0 to 1/],
  ["min_success_rate=101", "min_success_rate", /'101'/],
  ["min_success_rate=101%25", "min_success_rate", /'101%'/],
  ["min_success_rate=-1", "min_success_rate", /'-1'/],
  ["min_success_rate=NaN", "min_success_rate", /'NaN'/],
  ["min_success_rate=0x1", "min_success_rate", /'0x1'/],
  ["min_success_rate=", "min_success_rate", /''/],
  ["include_unused=maybe", "include_unused", /give true or false/],
  [
    "side_effects=wriet",
    "side_effects",
    /'wriet': give one of none, write, .*Did you mean 'write'\?/,
  ],
  ["safety_level=extreme", "safety_level", /low, medium, high/],
  ["limit=0", "limit", /from 1 to 1000/],
  ["limit=1001", "limit", /'1001'/],
  ["limit=ten", "limit", /'ten'/],
  ["limit=1.5", "limit", /'1.5'/],
  ["include_provider_health=2", "include_provider_health", /'2'/],
];

for (const [query, parameter, message] of refused) {
  test(`'${query}' is refused by name, with what is allowed`, () => {
    assert.throws(
      () => parse(query),
      (thrown) => {
        assert.ok(thrown instanceof PlaneError);
        assert.deepEqual([thrown.code, thrown.data.parameter], ["USAGE", parameter]);
        assert.match(thrown.message, message);
        return true;
      },
    );
  });
}

test("what is parsed never changes what stands for no filter at all", () => {
  parse("persona=Atlas&capability=x");
  assert.deepEqual(unfilteredQuery.personas, []);
  assert.deepEqual(unfilteredQuery.capabilities, []);
});
