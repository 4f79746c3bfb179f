import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hasCompiler, renderScanCode } from "../scripts/build-scan.ts";
import { isWholeTier } from "./fixtures/tier.ts";

const kept = join(import.meta.dirname, "../packages/search/src/scan-code.ts");

/** All tests need the tools; the quick ones do without. */
const skip = !hasCompiler && !isWholeTier && "the compiler comes with 'npm run tools'";

test("the scan of vectors that ships is compiled from its source, byte for byte", {
  skip,
}, async () => {
  assert.ok(hasCompiler, "run 'npm run tools'");
  assert.equal(readFileSync(kept, "utf8"), await renderScanCode(), "run 'npm run build:scan'");
});
