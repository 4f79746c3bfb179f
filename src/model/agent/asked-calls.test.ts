import assert from "node:assert/strict";
import { test } from "node:test";
import { countCalls, readResponse } from "./asked-calls.ts";

const asked = (id: unknown, args: unknown = "{}") => ({
  id,
  function: { name: "look", arguments: args },
});

test("a completion and its message are read alike", () => {
  const message = { role: "assistant", content: "Hello " };
  assert.deepEqual(readResponse({ choices: [{ message }] }), readResponse(message));
  assert.deepEqual(readResponse(message), message);
});

test("what is missing is put in its place: content, ids, types", () => {
  const read = readResponse({
    content: null,
    tool_calls: [asked(null, { a: 1 }), asked("x", null), asked("x")],
  });
  assert.equal(read.content, "");
  assert.deepEqual(
    read.tool_calls?.map((call) => [call.type, call.function.arguments]),
    [
      ["function", '{"a":1}'],
      ["function", ""],
      ["function", "{}"],
    ],
  );
  const ids = read.tool_calls?.map(({ id }) => id) ?? [];
  assert.equal(ids[1], "x");
  assert.equal(new Set(ids).size, 3);
});

test("where a model tells what it thought, both texts lose their blanks", () => {
  const read = readResponse({ content: " yes\n", reasoning: "\n so " });
  assert.deepEqual(read, { role: "assistant", content: "yes", reasoning_content: "so" });
  assert.deepEqual(readResponse({ content: " yes", reasoning_content: " " }), {
    role: "assistant",
    content: "yes",
  });
});

test("an empty list of calls is left out", () => {
  assert.equal("tool_calls" in readResponse({ content: "x", tool_calls: [] }), false);
  assert.equal(countCalls({ content: "x", tool_calls: [] }), 0);
});

test("what is no response is refused with what is wrong with it", () => {
  for (const [response, why] of [
    [null, /not an object/],
    [{ choices: [] }, /holds no message/],
    [{ role: "user", content: "x" }, /role 'user'/],
    [{ content: 7 }, /'content' is neither/],
    [{ tool_calls: {} }, /'tool_calls' is not a list/],
    [{ tool_calls: [{ id: "1" }] }, /call 1 of 'tool_calls' names no function/],
  ] as const)
    assert.throws(() => readResponse(response), { code: "USAGE", message: why });
});
