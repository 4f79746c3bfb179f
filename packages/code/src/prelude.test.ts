import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { prelude } from "./prelude.ts";

const guests = globSync("guest/*.ts", { cwd: import.meta.dirname });

for (const file of guests) {
  const source = readFileSync(join(import.meta.dirname, file), "utf8");

  test(`${file} imports types alone: it runs in the sandbox as its text`, () => {
    assert.deepEqual(source.match(/^import (?!type\b).*$/gm), null);
  });

  test(`${file} has one function outside, and it is part of the program`, () => {
    const outside = [...source.matchAll(/^(?:export )?(?:function|const|let|class) (\w+)/gm)];
    const [name = ""] = outside.map(([, declared]) => declared);
    assert.equal(outside.length, 1);
    assert.ok(prelude.includes(`function ${name}(`), name);
  });
}
