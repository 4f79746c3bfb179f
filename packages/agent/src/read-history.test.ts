import assert from "node:assert/strict";
import { test } from "node:test";
import { readHistory } from "./agent-runs.ts";

const call = (id: string) => ({
  id,
  type: "function",
  function: { name: "look", arguments: "{}" },
});
const asks = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map(call),
});
const said = (id: string, content = id) => ({ role: "tool", tool_call_id: id, content });

test("each call has its answer after it, in order, and no answer stands alone", () => {
  const history = readHistory([
    said("0"),
    asks("a", "b", "c"),
    said("c"),
    said("a"),
    { role: "user", content: "?" },
  ]);
  assert.deepEqual(
    history.map(({ role, content }) => [role, content]),
    [
      ["assistant", ""],
      ["tool", "a"],
      ["tool", "Interrupted: nothing is known of how this call ended."],
      ["tool", "c"],
      ["user", "?"],
    ],
  );
});

test("an id that is used again in a later turn means the later call there", () => {
  const history = readHistory([asks("1"), said("1", "first"), asks("1"), said("1", "second")]);
  assert.deepEqual(
    history.flatMap(({ role, content }) => (role === "tool" ? [content] : [])),
    ["first", "second"],
  );
});

test("what is no conversation is refused with the place that is wrong", () => {
  assert.deepEqual(readHistory(undefined), []);
  assert.throws(() => readHistory({}), /'history' must be a list/);
  assert.throws(
    () => readHistory([{ role: "user", content: "x" }, 7]),
    /Message 2 of 'history' is not an object/,
  );
  assert.throws(
    () => readHistory([{ role: "user", content: 7 }]),
    /Message 1 of 'history' cannot be used/,
  );
  assert.throws(() => readHistory([{ role: "tool", content: "x" }]), /has no 'tool_call_id'/);
});

test("steps of other agents become calls with their results", () => {
  const history = readHistory([
    { role: "user", content: "How much?" },
    { thought: "I look.", action: "balance", arguments: { id: 7 }, observation: "12" },
    { thought: "So it is 12." },
  ]);
  assert.deepEqual(
    history.map(({ role, content }) => [role, content]),
    [
      ["user", "How much?"],
      ["assistant", "I look."],
      ["tool", "12"],
      ["assistant", "So it is 12."],
    ],
  );
  const [, asked] = history as { tool_calls?: { function: object }[] }[];
  assert.deepEqual(asked?.tool_calls?.[0]?.function, { name: "balance", arguments: '{"id":7}' });
  assert.throws(
    () => readHistory([{ thought: 7 }]),
    /'thought' of message 1 of 'history' must be a string/,
  );
  assert.throws(() => readHistory([{}]), /must have the role/);
});
