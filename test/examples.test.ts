import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { patientMs } from "./fixtures/patience.ts";

const root = join(import.meta.dirname, "..");

for (const example of globSync("examples/*/run.ts", { cwd: root }).sort()) {
  test(`${example} does what it says`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [example], {
      cwd: root,
      encoding: "utf8",
      timeout: patientMs(60_000),
    });
    assert.equal(status, 0, stdout + stderr);
  });
}
