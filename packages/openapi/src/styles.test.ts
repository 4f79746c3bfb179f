import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@toolplane/core/model/json";
import { writePairs, writePath, writeSimple } from "./styles.ts";

const list = ["blue", "black"];
const color = { R: 100, G: 200 };

/** The table of the specification. */
const paths: [style: string, explode: boolean, value: Json, text: string][] = [
  ["simple", false, "blue", "blue"],
  ["simple", false, list, "blue,black"],
  ["simple", false, color, "R,100,G,200"],
  ["simple", true, color, "R=100,G=200"],
  ["label", false, "blue", ".blue"],
  ["label", true, list, ".blue.black"],
  ["label", false, color, ".R,100,G,200"],
  ["label", true, color, ".R=100.G=200"],
  ["matrix", false, "blue", ";c=blue"],
  ["matrix", false, list, ";c=blue,black"],
  ["matrix", true, list, ";c=blue;c=black"],
  ["matrix", true, color, ";R=100;G=200"],
  ["simple", false, "a/b?c", "a%2Fb%3Fc"],
];
for (const [style, explode, value, text] of paths) {
  test(`in a path, ${JSON.stringify(value)} is ${text} as ${style}${explode ? ", exploded" : ""}`, () => {
    assert.equal(writePath({ name: "c", style, explode }, value), text);
  });
}

const queries: [style: string, explode: boolean, value: Json, pairs: string[]][] = [
  ["form", true, "blue", ["c=blue"]],
  ["form", true, list, ["c=blue", "c=black"]],
  ["form", false, list, ["c=blue,black"]],
  ["form", true, color, ["R=100", "G=200"]],
  ["form", false, color, ["c=R,100,G,200"]],
  ["spaceDelimited", false, list, ["c=blue%20black"]],
  ["pipeDelimited", false, list, ["c=blue%7Cblack"]],
  ["deepObject", true, color, ["c[R]=100", "c[G]=200"]],
  ["deepObject", true, { a: { b: [1, 2] } }, ["c[a][b][0]=1", "c[a][b][1]=2"]],
  ["form", true, null, []],
  ["form", true, "a&b=c#d", ["c=a%26b%3Dc%23d"]],
];
for (const [style, explode, value, pairs] of queries) {
  test(`in a query, ${JSON.stringify(value)} is ${pairs.join("&")} as ${style}${explode ? ", exploded" : ""}`, () => {
    assert.deepEqual(writePairs({ name: "c", style, explode }, value), pairs);
  });
}

test("reserved characters stay where the document allows it, but for those that end the value", () => {
  assert.deepEqual(
    writePairs({ name: "c", style: "form", explode: true, allowReserved: true }, "a/b:c&d#e;f"),
    ["c=a/b:c%26d%23e%3Bf"],
  );
});

test("in a header nothing is encoded", () => {
  assert.equal(
    writeSimple(["a b", "c"], false, (part) => part),
    "a b,c",
  );
});

test("half of a character is sent as the mark for one that cannot be read", () => {
  assert.deepEqual(writePairs({ name: "c", style: "form", explode: true }, "a\ud800"), [
    "c=a%EF%BF%BD",
  ]);
  assert.deepEqual(
    writePairs({ name: "\ud800", style: "form", explode: true, allowReserved: true }, "\udc00"),
    ["%EF%BF%BD=%EF%BF%BD"],
  );
  assert.equal(writePath({ name: "c", style: "simple", explode: false }, "\ud800"), "%EF%BF%BD");
});
