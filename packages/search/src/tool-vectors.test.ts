import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const file = readFileSync(`${import.meta.dirname}/tool-vectors.bin`);
const about = readFileSync(`${import.meta.dirname}/tool-vectors.md`, "utf8");

test("the trained vectors are the version whose origin is written down", () => {
  const hash = createHash("sha256").update(file).digest("hex");
  assert.ok(about.includes(`SHA-256 \`${hash}\``), `tool-vectors.md does not describe ${hash}`);
  assert.ok(about.includes(`${file.length.toLocaleString("en")} bytes`));
});

test("they are written in the format that is described", () => {
  assert.equal(file.toString("latin1", 0, 4), "TSV1");
  const [rows = 0, dimensions = 0, tokens = 0] = [4, 8, 12].map((at) => file.readUInt32LE(at));
  assert.ok(
    about.includes(`${dimensions} numbers of four bits for each of ${rows.toLocaleString("en")} `),
  );
  assert.equal(tokens % 4, 0);
  const names = file.toString("utf8", 16, 16 + tokens).trimEnd();
  assert.equal(names.split("\n").length, rows);
  assert.match(
    names,
    /^[\n\x20-\x7e]*$/,
    "they are compared byte by byte with the letters of a text",
  );
  assert.equal(new Set(names.split("\n")).size, rows);
  assert.equal(file.length, 16 + tokens + rows * 4 + (rows * dimensions) / 2);
});
