import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentMessage } from "@toolplane/core/model/agent/agent-run";
import { createMessageStream } from "./message-stream.ts";

function listening() {
  const heard: AgentMessage[] = [];
  const brief = () =>
    heard.map(({ type, text, end, endOfDialog }) => [type, text, end, endOfDialog]);
  return { stream: createMessageStream((piece) => heard.push(piece)), heard, brief };
}

test("pieces of one message share its id, and another type begins another", () => {
  const { stream, heard, brief } = listening();
  stream.say("thought", "I ");
  stream.say("thought", "");
  stream.say("thought", "think");
  stream.say("answer", "So");
  stream.endDialog("answer");
  assert.deepEqual(brief(), [
    ["thought", "I ", false, false],
    ["thought", "think", false, false],
    ["thought", "", true, false],
    ["answer", "So", false, false],
    ["answer", "", true, true],
  ]);
  const [first, second, third, fourth, fifth] = heard.map(({ id }) => id);
  assert.ok(first === second && second === third && fourth === fifth && first !== fourth);
});

test("what is said whole closes what was open", () => {
  const { stream, brief } = listening();
  stream.say("answer", "Let me see");
  stream.tell("action", "look {}", { call: { id: "1", tool: "look" } });
  stream.endDialog("error", "Nothing came.");
  assert.deepEqual(brief(), [
    ["answer", "Let me see", false, false],
    ["answer", "", true, false],
    ["action", "look {}", true, false],
    ["error", "Nothing came.", true, true],
  ]);
});
