import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { rememberText } from "../../lib/json/json-text.ts";
import type { UnknownObject } from "../../model/json.ts";
import { wireResult, wireText } from "./wire.ts";

const content = [
  { type: "text", text: 'it says ,"resultType":"complete"} and {"resultType":"complete",' },
];
const kind = { resultType: "complete" };
const results: Record<string, UnknownObject> = {
  "no kind": { content },
  "its kind in front": { ...kind, content },
  "its kind at the end": { content, ...kind },
  "its kind in the middle": { content, ...kind, structuredContent: { a: 1 } },
  "its kind and a cache": { ...kind, content, ttlMs: 1, cacheScope: "user" },
  "its kind and meta": {
    ...kind,
    content,
    _meta: { mine: 1, "io.modelcontextprotocol/serverInfo": { name: "s" } },
  },
  "only its kind": { ...kind },
};

function rendered(
  result: UnknownObject,
  source: string | Buffer | undefined,
  era: "legacy" | "modern",
): unknown {
  const given = structuredClone(result);
  if (source !== undefined) rememberText(given, source);
  const answer = wireResult(given, era);
  if ("result" in answer) return answer.result;
  return JSON.parse("parts" in answer ? wireText(answer.parts) : answer.text);
}

suite("a result as a client of either revision reads it", () => {
  for (const [what, result] of Object.entries(results))
    test(`is the same from its value, its text and its bytes: with ${what}`, () => {
      const text = JSON.stringify(result);
      for (const era of ["legacy", "modern"] as const) {
        const expected = JSON.parse(JSON.stringify(rendered(result, undefined, era)));
        assert.deepEqual(rendered(result, text, era), expected, era);
        assert.deepEqual(rendered(result, Buffer.from(text), era), expected, era);
      }
    });

  test("keeps every byte of the content", () => {
    const text = `{"resultType":"complete","content":[{"type":"text","text":"1.0 and \\u00e9"}]}`;
    const given = JSON.parse(text);
    rememberText(given, Buffer.from(text));
    const answer = wireResult(given, "legacy");
    assert.ok("parts" in answer);
    assert.equal(wireText(answer.parts), `{"content":[{"type":"text","text":"1.0 and \\u00e9"}]}`);
  });
});
