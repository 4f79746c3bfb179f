import assert from "node:assert/strict";
import { test } from "node:test";
import { parseChallenge } from "./challenge.ts";

const cases: [header: string | null, expected: ReturnType<typeof parseChallenge>][] = [
  [null, null],
  ["", null],
  ['Basic realm="x"', null],
  ["Bearer", { resourceMetadata: null, scopes: null, error: null }],
  [
    'Bearer error="invalid_token", scope="a  b", resource_metadata="https://h/m?x=1,2"',
    { resourceMetadata: "https://h/m?x=1,2", scopes: ["a", "b"], error: "invalid_token" },
  ],
  [
    'Basic realm="a, Bearer scope=no", bearer Scope=one , DPoP scope="other", error="x"',
    { resourceMetadata: null, scopes: ["one"], error: null },
  ],
  ['Bearer realm="say \\"hi\\"", scope=""', { resourceMetadata: null, scopes: [], error: null }],
  [
    'Bearer scope="fine \u0007bell \\"quoted"',
    { resourceMetadata: null, scopes: ["fine"], error: null },
  ],
  [`Bearer scope="${"a ".repeat(10_000)}"`, null],
];

for (const [header, expected] of cases) {
  test(`a challenge is read: ${header?.slice(0, 60) ?? "none"}`, () => {
    assert.deepEqual(parseChallenge(header), expected);
  });
}
