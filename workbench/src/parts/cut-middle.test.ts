import assert from "node:assert/strict";
import { test } from "node:test";
import { cutMiddle } from "./cut-middle.ts";

test("a long name keeps its beginning and its end, a short one all of it", () => {
  assert.equal(cutMiddle("files.read"), "files.read");
  const cut = cutMiddle(`server.${"a_very_long_name_".repeat(6)}version_2`);
  assert.equal([...cut].length, 36);
  assert.match(cut, /^server\.a_very.*….*version_2$/);
});

test("a letter of several units is not cut in two", () => {
  assert.equal(cutMiddle("😀".repeat(5), 3), "😀…😀");
});
