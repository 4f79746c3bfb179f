import assert from "node:assert/strict";
import { test } from "node:test";
import { foldName } from "./nearest.ts";

for (const name of [
  "Username",
  "USERNAME",
  "uѕername",
  "us\u200bername",
  "ｕｓｅｒｎａｍｅ",
  "usernáme",
  "uſername",
  "user name",
]) {
  test(`${JSON.stringify(name)} looks like 'username'`, () =>
    assert.equal(foldName(name), "username"));
}

test("other names stay different", () => {
  assert.notEqual(foldName("user_name"), foldName("username"));
  assert.notEqual(foldName("usernames"), foldName("username"));
});
