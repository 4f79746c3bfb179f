import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "@toolplane/core/model/calls/call";
import type { ToolResult } from "@toolplane/core/model/calls/result";
import { observe } from "./run-calls.ts";

const outcome = (result: ToolResult, argumentNotes: string[] = []) =>
  ({
    ok: true,
    call: { status: "succeeded", warnings: ["For people.", ...argumentNotes], argumentNotes },
    result,
  }) as unknown as Outcome;
const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", mimeType: "image/png", data: "QUJD" };

test("texts are one per line, and nothing is nothing", () => {
  assert.equal(observe(outcome({ content: [text("a"), text("b")] })), "a\nb");
  assert.equal(observe(outcome({ content: [] })), "");
  assert.equal(observe(outcome({ content: [], structuredContent: { a: 1 } })), '{"a":1}');
});

test("with a picture among them, all of it comes in order", () => {
  assert.deepEqual(observe(outcome({ content: [text("a"), image, text("b")] })), [
    text("a"),
    { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } },
    text("b"),
  ]);
  assert.match(String(observe(outcome({ content: [{ ...image, data: "?" }] }))), /cannot be shown/);
});

test("other blocks are shown without their unreadable payload", () => {
  const said = observe(
    outcome({ content: [{ type: "audio", mimeType: "audio/wav", data: "QUJDRA==" }] }),
  );
  assert.equal(said, '{"type":"audio","mimeType":"audio/wav","data":"(8 characters of base64)"}');
});

test("what a tool says no with begins with Error, and what was wrong with the arguments is noted", () => {
  assert.equal(observe(outcome({ content: [text("no")], isError: true })), "Error: no");
  const dropped = "Not declared by the tool, left out: x.";
  assert.equal(observe(outcome({ content: [text("a")] }, [dropped])), `a\nNote: ${dropped}`);
});
