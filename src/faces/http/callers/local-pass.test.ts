import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalPass } from "./local-pass.ts";

test("each plane has its own word, and nothing else is it", () => {
  const one = createLocalPass();
  const other = createLocalPass();
  assert.ok(one.isIt(one.word));
  for (const wrong of [other.word, one.word.slice(1), `${one.word} `, "", null])
    assert.ok(!one.isIt(wrong), String(wrong));
  assert.match(one.word, /^[\w-]{32}$/);
});
