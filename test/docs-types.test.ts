import assert from "node:assert/strict";
import { test } from "node:test";
import { writeExcerpts } from "../scripts/write-excerpts.ts";
import { compile, projectCompiler } from "./fixtures/declarations.ts";

test("every excerpt in TypeScript compiles against the library", async () => {
  // After `npm run types` the compiler only sees that nothing has changed.
  assert.equal(await compile(projectCompiler, ["-b", writeExcerpts()]), "");
});
