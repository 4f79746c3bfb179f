import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/samples/texts.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./http-headers.ts";

function decode(value: string): string {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}

test("plain text stands as it is", () => {
  for (const value of ["eu-west-1", "a b", "~!x", "?=", "=?utf-8?x?="])
    assert.equal(encodeHeaderValue(value), value);
});

for (const [title, value] of [
  ["a value beyond ASCII", "Zürich"],
  ["a line break", "a\r\nInjected: yes"],
  ["a blank at the beginning", " a"],
  ["a blank at the end", "a "],
  ["nothing", ""],
  ["a control character", "a\u0000b"],
  ["what looks encoded already", "=?base64?YQ==?="],
] as const) {
  test(`${title} is encoded`, () => {
    const encoded = encodeHeaderValue(value);
    assert.match(encoded, /^=\?base64\?[A-Za-z0-9+/=]*\?=$/);
    assert.equal(decode(encoded), value);
  });
}

test("every text can stand in a header and is understood as itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (value) => {
      const encoded = encodeHeaderValue(value);
      assert.match(encoded, /^[!-~](?:[ -~]*[!-~])?$/);
      assert.equal(decode(encoded), value);
    }),
  );
});

test("what was encoded for a header is read again, and what only looks like it is taken as it is", () => {
  for (const value of ["plain", "größer", " padded ", "=?base64?x"])
    assert.equal(decodeHeaderValue(encodeHeaderValue(value)), value);
  assert.equal(decodeHeaderValue("=?base64?SGVsbG8="), "=?base64?SGVsbG8=");
  for (const broken of ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?="])
    assert.equal(decodeHeaderValue(broken), null);
});
