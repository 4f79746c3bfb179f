import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseByHints, readSampling } from "./sampling-request.ts";

const user = (content: unknown) => ({ role: "user", content });
const text = { type: "text", text: "Hello" };

test("a request is read with the limits of both sides", () => {
  const read = readSampling(
    { messages: [user(text)], maxTokens: 9_000, stopSequences: ["END", 7] },
    4_096,
  );
  assert.ok(typeof read !== "string");
  assert.deepEqual(read.request, {
    messages: [{ role: "user", content: [text] }],
    maxOutputTokens: 4_096,
    stop: ["END"],
  });
  assert.equal(read.wanted, 9_000);
  const quiet = readSampling({ messages: [user([text])] }, 4_096);
  assert.equal(typeof quiet === "string" ? quiet : quiet.request.maxOutputTokens, 512);
});

test("what cannot be made sense of is reported in words", () => {
  for (const [params, why] of [
    [{}, /'messages' must be a list/],
    [{ messages: [{ role: "system", content: text }] }, /message 1 must have the role/],
    [{ messages: [user({ type: "video" })] }, /neither a text nor a picture/],
    [{ messages: [user(text)], tools: [] }, /'tools' cannot be used here/],
  ] as const)
    assert.match(String(readSampling(params, 100)), why);
});

test("the first hint that anything fits decides, by our names before the endpoints'", () => {
  const known = [
    { name: "default", model: "sonnet-5" },
    { name: "sonnet", model: "other" },
  ];
  assert.equal(chooseByHints(["claude", "Sonnet"], known), "sonnet");
  assert.equal(chooseByHints(["sonnet-5"], known), "default");
  assert.equal(chooseByHints(["", "gpt"], known), undefined);
});
