import assert from "node:assert/strict";
import { test } from "node:test";
import { findable } from "@toolplane/test/samples/search-tools";
import { foldSiblings } from "./answer.ts";

const hit = (...tool: Parameters<typeof findable>) => ({ tool: findable(...tool), score: 0.5 });

test("copies of a tool on other servers take one line", () => {
  const text = "Read the complete contents of a file from the file system";
  const lines = foldSiblings([
    hit("a", "read_file", text),
    hit("b", "write_file", "Write a file"),
    hit("c", "read_file", `${text}.`),
    hit("d", "read_file", text),
  ]);
  assert.deepEqual(
    lines.map(({ tool, alsoOn }) => [tool.name, alsoOn.map(({ id }) => id.server)]),
    [
      ["a.read_file", ["c", "d"]],
      ["b.write_file", []],
    ],
  );
});

test("tools of one name that are only alike are distinguished by their words", () => {
  const [first, second, third] = foldSiblings([
    hit("a", "search", "Search issues of a repository by label"),
    hit("b", "search", "Search issues of a repository by author"),
    hit("c", "search", "Find hotels near the beach"),
  ]);
  assert.deepEqual(first?.differsBy, ["label"]);
  assert.deepEqual(second?.differsBy, ["author"]);
  assert.deepEqual(third?.differsBy, []);
});

test("what only shares a server or a text with another keeps its line", () => {
  const lines = foldSiblings([
    hit("a", "x", "Same text"),
    hit("a", "y", "Same text"),
    hit("b", "z", "Same text"),
  ]);
  assert.equal(lines.length, 3);
});
