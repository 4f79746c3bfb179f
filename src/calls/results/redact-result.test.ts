import assert from "node:assert/strict";
import { test } from "node:test";
import { createResultRedactor } from "./redact-result.ts";

const off = { secrets: false, entropy: false, patterns: [] };
const text = (...texts: string[]) => ({
  content: texts.map((one) => ({ type: "text", text: one })),
});
const privateKey = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----";

test("known secrets, random words and own patterns are replaced in what a model reads", () => {
  const known = createResultRedactor({ ...off, secrets: true });
  assert.deepEqual(
    known(text(`a ${privateKey} b`, "ghp_abcdefghijklmnop1234")),
    text("a [redacted] b", "[redacted]"),
  );
  const random = createResultRedactor({ ...off, entropy: true });
  const word = "q8Zr2LmT0vXc7BnK4pWd";
  assert.deepEqual(random(text(`x ${word} y`)), text("x [redacted] y"));
  assert.deepEqual(
    random(text("the internationalization2of2things aaaaaaaaaaaaaaaaaaaaaaa1")),
    text("the internationalization2of2things aaaaaaaaaaaaaaaaaaaaaaa1"),
  );
  const own = createResultRedactor({ ...off, patterns: ["ACME-\\d+"] });
  assert.deepEqual(own({ ...text("ACME-12"), structuredContent: { a: [{ b: "see ACME-3" }] } }), {
    ...text("[redacted]"),
    structuredContent: { a: [{ b: "see [redacted]" }] },
  });
});

test("binary data stays as it is", () => {
  const image = {
    content: [{ type: "image", mimeType: "image/png", data: "q8Zr2LmT0vXc7BnK4pWd" }],
  };
  assert.deepEqual(
    createResultRedactor({ secrets: true, entropy: true, patterns: [] })(image),
    image,
  );
});
