import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readCompared } from "../scripts/compatibility-docs.ts";

const root = join(import.meta.dirname, "..");
const all = readCompared();

test("each row of the comparison is there once, in order, and says how it compares", () => {
  assert.deepEqual(
    all.map(({ row }) => row),
    all.map((_, at) => at + 1),
  );
  for (const { row, compares, systems, says } of all) {
    assert.match(compares, /^(same|more|differs|partly)$/, String(row));
    assert.match(systems, /^[0-4]+$/, String(row));
    assert.match(says, /\.$/, String(row));
  }
});

test("each row of the comparison names a test that there is", () => {
  const texts = new Map<string, string>();
  const missing = all.filter(({ test: file, title }) => {
    const path = join(root, file);
    if (!texts.has(file)) texts.set(file, existsSync(path) ? readFileSync(path, "utf8") : "");
    return !['"', "`"].some((quote) => texts.get(file)?.includes(`${quote}${title}${quote}`));
  });
  assert.deepEqual(
    missing.map(({ row, test: file, title }) => `${row}: ${file} has no test '${title}'`),
    [],
  );
});
