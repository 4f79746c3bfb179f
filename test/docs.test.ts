import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generatedDocs } from "../scripts/generated-docs.ts";

for (const { path, text } of generatedDocs()) {
  test(`${path} says what the code says (npm run docs writes it)`, () => {
    assert.equal(readFileSync(join(import.meta.dirname, "..", path), "utf8"), text);
  });
}
