import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeResult, readMedia, resultText } from "./result.ts";

test("a proper result passes untouched, with its unknown fields and blocks", () => {
  const raw = {
    content: [
      { type: "text", text: "hi", annotations: { priority: 1 } },
      { type: "hologram", depth: 3 },
    ],
    structuredContent: { a: 1 },
    isError: false,
    _meta: { trace: "x" },
  };
  assert.deepEqual(normalizeResult(raw), { result: raw, warnings: [] });
});

for (const value of [0, false, "", [], null]) {
  test(`${JSON.stringify(value)} as structured content is kept`, () => {
    const { result } = normalizeResult({ content: [], structuredContent: value });
    assert.deepEqual(result.structuredContent, value);
  });

  test(`${JSON.stringify(value)} as a bare answer is kept, with a warning`, () => {
    const { result, warnings } = normalizeResult(value);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    assert.deepEqual(result, { content: [{ type: "text", text }], structuredContent: value });
    assert.match(warnings.join(), /bare value/);
  });
}

const errorFlags: [given: unknown, isError: boolean | undefined, warns: boolean][] = [
  [true, true, false],
  [false, false, false],
  [undefined, undefined, false],
  ["true", true, true],
  ["no", undefined, true],
  [1, undefined, true],
];

for (const [given, expected, warns] of errorFlags) {
  test(`isError ${JSON.stringify(given)} is read as ${expected}${warns ? " and warned about" : ""}`, () => {
    const { result, warnings } = normalizeResult({ content: [], isError: given });
    assert.equal(result.isError, expected);
    assert.equal(warnings.length, warns ? 1 : 0);
  });
}

test("blocks without a type and content that is not a list are kept as text and warned about", () => {
  const mixed = normalizeResult({ content: ["bare", { type: "text", text: "good" }, { text: 1 }] });
  assert.equal(resultText(mixed.result), 'bare\ngood\n{"text":1}');
  assert.match(mixed.warnings.join("\n"), /block 1.*block 3/s);
  const single = normalizeResult({ content: "all of it" });
  assert.equal(resultText(single.result), "all of it");
  assert.equal(single.warnings.length, 1);
});

test("a result without content has none, and nothing to warn about", () => {
  assert.deepEqual(normalizeResult({ structuredContent: 0 }), {
    result: { structuredContent: 0, content: [] },
    warnings: [],
  });
});

test("an answer of nothing is an empty text", () => {
  assert.deepEqual(normalizeResult(undefined).result, { content: [{ type: "text", text: "" }] });
});

test("the text of a result is its text blocks in order, one per line", () => {
  const image = { type: "image", data: "", mimeType: "image/png" };
  const content = [
    { type: "text", text: "first" },
    image,
    { type: "text", text: "" },
    { type: "text", text: "last" },
  ];
  assert.equal(resultText({ content }), "first\n\nlast");
});

const media: [type: string, mimeType: string, extension: string][] = [
  ["image", "image/png", "png"],
  ["image", "IMAGE/JPEG", "jpg"],
  ["image", "image/gif", "gif"],
  ["image", "image/svg+xml", "svg"],
  ["image", "image/webp", "webp"],
  ["image", "image/bmp", "bmp"],
  ["audio", "audio/wav", "wav"],
  ["audio", "audio/x-wav", "wav"],
];

for (const [type, mimeType, extension] of media) {
  test(`${mimeType} is read as a .${extension} file`, () => {
    assert.deepEqual(readMedia({ type, mimeType, data: "aGk=" }), {
      mimeType: mimeType.toLowerCase(),
      extension,
      bytes: Buffer.from("hi"),
    });
  });
}

const refused: [title: string, block: Record<string, unknown>, problem: RegExp][] = [
  [
    "an image of an unknown type",
    { mimeType: "image/tiff", data: "aGk=" },
    /'image\/tiff' is not one/,
  ],
  ["an image that is a page", { mimeType: "text/html", data: "aGk=" }, /not one we show/],
  [
    "an image named after a property of objects",
    { mimeType: "constructor", data: "aGk=" },
    /not one we show/,
  ],
  ["an image without a type", { data: "aGk=" }, /not one we show/],
  ["data that is not base64", { mimeType: "image/png", data: "<svg>" }, /not valid base64/],
  ["data of a wrong length", { mimeType: "image/png", data: "abc" }, /not valid base64/],
  ["no data", { mimeType: "image/png", data: "" }, /not valid base64/],
];

for (const [title, block, problem] of refused) {
  test(`${title} is refused with the reason`, () => {
    const read = readMedia({ type: "image", ...block });
    assert.match("problem" in read ? read.problem : "taken", problem);
  });
}
