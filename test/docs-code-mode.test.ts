import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../src/index.ts";
import { commandLineFile } from "./fixtures/bundled.ts";
import { blocksOf, documents } from "./fixtures/documents.ts";

test("the programs of docs/code-mode.md run as they are written", async () => {
  const demo = { command: process.execPath, args: [commandLineFile, "demo"] };
  await using plane = await createPlane({ config: { mcpServers: { demo } } });
  const values: unknown[] = [];
  for (const { text } of documents(["docs/code-mode.md"]).flatMap((guide) =>
    blocksOf(guide, "js"),
  )) {
    const { value, error } = await plane.code.run(text);
    assert.equal(error, null);
    values.push(value);
  }
  assert.equal((values[0] as { total: number }).total, 36);
  assert.deepEqual(values[1], [true, "INVALID_ARGUMENTS"]);
});
