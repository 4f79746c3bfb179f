import assert from "node:assert/strict";
import { test } from "node:test";
import { createRunTable, emptyHash, extendHash } from "./run-table.ts";

test("a run keeps its number in any text, also when the table grows", () => {
  const table = createRunTable();
  const names = Array.from({ length: 5_000 }, (_, at) => `run${at}x${"y".repeat(at % 7)}`);
  for (const [at, name] of names.entries()) {
    assert.equal(table.find(name, 0, name.length, hashOf(name)), -1, name);
    assert.equal(table.add(name, 0, name.length, hashOf(name)), at, name);
  }
  for (const [at, name] of names.entries())
    assert.equal(table.find(`a ${name} b`, 2, 2 + name.length, hashOf(name)), at, name);
  assert.equal(table.size(), names.length);
});

test("two runs of one hash stay two", () => {
  const table = createRunTable();
  assert.equal(table.add("read", 0, 4, 7), 0);
  assert.equal(table.find("send", 0, 4, 7), -1);
  assert.equal(table.find("reads", 0, 5, 7), -1);
  assert.equal(table.add("send", 0, 4, 7), 1);
  assert.equal(table.find("read", 0, 4, 7), 0);
  assert.equal(table.find("send", 0, 4, 7), 1);
});

function hashOf(text: string): number {
  let hash = emptyHash;
  for (let at = 0; at < text.length; at++) hash = extendHash(hash, text.charCodeAt(at));
  return hash;
}
