import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVaultKey } from "./settings.ts";

const key = Buffer.alloc(32, 0xa7);

test("a key is read as hex and as base64, with the line end of its file", () => {
  for (const text of [key.toString("hex"), key.toString("base64"), key.toString("base64url")])
    assert.deepEqual(parseVaultKey(`${text}\n`), key, text);
});

test("what is too short, too long or no text of a key is none", () => {
  for (const text of [
    "",
    "short",
    key.toString("hex").slice(2),
    `${key.toString("hex")}00`,
    "ä".repeat(32),
  ])
    assert.equal(parseVaultKey(text), null, text);
});
