import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scaledMs } from "./fixtures/patience.ts";

const root = join(import.meta.dirname, "..");
/** These show other libraries, which are installed beside the examples. */
const skip =
  !existsSync(join(root, "examples", "node_modules")) &&
  "install their libraries with 'npm run peers'";
const withLibraries = ["ai-sdk", "langchain", "openai"];

for (const example of globSync("examples/*/run.ts", { cwd: root }).sort()) {
  const needsLibraries = withLibraries.some((name) => example.includes(name));
  test(`${example} does what it says`, { skip: needsLibraries && skip }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [example], {
      cwd: root,
      encoding: "utf8",
      timeout: scaledMs(60_000),
    });
    assert.equal(status, 0, stdout + stderr);
  });
}
