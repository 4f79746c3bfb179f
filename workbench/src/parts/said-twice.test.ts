import assert from "node:assert/strict";
import { test } from "node:test";
import { readJson } from "../api/exact-json.ts";
import { isSaidTwice } from "./said-twice.ts";

const structured = { rows: [{ id: 1, name: "a" }], total: 1 };
const text = (said: string) => ({ type: "text", text: said });

test("a text that repeats the structured content is known, however it is written", () => {
  for (const said of [
    JSON.stringify(structured),
    JSON.stringify(structured, null, 2),
    '{"total": 1, "rows": [{"name": "a", "id": 1}]}',
  ])
    assert.equal(isSaidTwice(text(said), structured), true, said);
});

test("a text that says anything more, or something else, is shown", () => {
  for (const said of [
    "One row was found.",
    '{"rows":[],"total":1}',
    `${JSON.stringify(structured)} and more`,
    '{"rows":[{"id":1,"name":"a"}],"total":1,"more":null}',
    '{"__proto__": 1}',
  ])
    assert.equal(isSaidTwice(text(said), structured), false, said);
  assert.equal(
    isSaidTwice({ ...text(JSON.stringify(structured)), annotations: {} }, structured),
    false,
  );
  assert.equal(isSaidTwice({ type: "image", text: JSON.stringify(structured) }, structured), false);
});

test("digits beyond double precision are compared as they are written", () => {
  const large = readJson('{"id": 90071992547409931}');
  assert.equal(isSaidTwice(text('{"id":90071992547409931}'), large), true);
  assert.equal(isSaidTwice(text('{"id":90071992547409932}'), large), false);
});
