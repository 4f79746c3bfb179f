import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileErrorText } from "./files.ts";

function troubleWith(path: string): string {
  try {
    readFileSync(path);
  } catch (thrown) {
    return fileErrorText(thrown);
  }
  assert.fail("it was read");
}

test("what the system says about a file is reported in words, and without its path", () => {
  assert.equal(troubleWith("/nowhere/at/all"), "there is no such file or directory");
  assert.equal(troubleWith(import.meta.dirname), "it is a directory");
  assert.equal(
    troubleWith(`${import.meta.filename}/below`),
    "a part of its path is not a directory",
  );
});

test("what is no trouble with a file keeps its own words", () => {
  assert.equal(
    fileErrorText(new Error("Unexpected end of JSON input")),
    "Unexpected end of JSON input",
  );
});
