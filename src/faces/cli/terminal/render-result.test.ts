import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import type { ContentBlock, ToolResult } from "../../../model/calls/result.ts";
import { renderResult } from "./outcome.ts";

const render = async (result: ToolResult) => renderResult(result, `test-${randomUUID()}`);
const renderBlock = (block: ContentBlock) => render({ content: [block] });

test("text blocks are printed in order, one per line", async () => {
  const content = ["first", "", "last"].map((text) => ({ type: "text", text }));
  assert.equal(await render({ content }), "first\n\nlast");
});

for (const value of [0, false, "", [], null, { a: 1 }]) {
  test(`${JSON.stringify(value)} is printed when it is all there is`, async () => {
    assert.equal(
      await render({ content: [], structuredContent: value }),
      JSON.stringify(value, null, 2),
    );
  });
}

test("structured content is printed beside a text that says something else, and not repeated", async () => {
  const text = (said: string) => [{ type: "text", text: said }];
  const structuredContent = { sum: 3 };
  assert.equal(
    await render({ content: text("Added."), structuredContent }),
    'Added.\n{\n  "sum": 3\n}',
  );
  assert.equal(await render({ content: text('{"sum":3}'), structuredContent }), '{"sum":3}');
  assert.equal(await render({ content: text("3"), structuredContent }), "3");
});

for (const [type, mimeType, name] of [
  ["image", "image/png", "mcp_image_1.png"],
  ["audio", "audio/wav", "mcp_audio_1.wav"],
] as const) {
  test(`${type} is saved to a file that is named`, async () => {
    const text = await renderBlock({
      type,
      mimeType,
      data: Buffer.from("bytes").toString("base64"),
    });
    const [, file = ""] = /5 bytes: (.*)\]$/.exec(text) ?? [];
    assert.ok(file.endsWith(name), text);
    assert.equal(await readFile(file, "utf8"), "bytes");
    await rm(dirname(file), { recursive: true });
  });
}

const named: [title: string, block: ContentBlock, text: string][] = [
  [
    "a resource with text",
    { type: "resource", resource: { uri: "note://1", text: "hi" } },
    "[resource note://1]\nhi",
  ],
  [
    "a resource with bytes",
    { type: "resource", resource: { uri: "file:///x", mimeType: "application/pdf", blob: "aGk=" } },
    "[resource file:///x, application/pdf, 2 bytes]",
  ],
  [
    "a link",
    { type: "resource_link", name: "report", uri: "file:///r" },
    "[resource report: file:///r]",
  ],
  [
    "an image we do not show",
    { type: "image", mimeType: "image/tiff", data: "aGk=" },
    "[image type 'image/tiff' is not one we show]",
  ],
  ["a block of tomorrow", { type: "hologram", depth: 3 }, '{"type":"hologram","depth":3}'],
];

for (const [title, block, text] of named) {
  test(`${title} is named, not left out`, async () => assert.equal(await renderBlock(block), text));
}

const evil = "\u001b[2J\u009b31m\u202eevil";
const hostile: [title: string, result: ToolResult][] = [
  ["text", { content: [{ type: "text", text: evil }] }],
  ["a resource", { content: [{ type: "resource", resource: { uri: evil, text: evil } }] }],
  [
    "the type of a resource",
    { content: [{ type: "resource", resource: { uri: "x", mimeType: evil, blob: "" } }] },
  ],
  ["a link", { content: [{ type: "resource_link", name: evil, uri: evil }] }],
  ["the type of an image", { content: [{ type: "image", mimeType: evil, data: "aGk=" }] }],
  ["an unknown block", { content: [{ type: "x", [evil]: evil }] }],
  ["structured content", { content: [], structuredContent: { [evil]: evil } }],
];

for (const [title, result] of hostile) {
  test(`${title} cannot drive the terminal`, async () => {
    const text = await render(result);
    assert.match(text, /evil/);
    assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  });
}
