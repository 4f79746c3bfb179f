import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentMessage } from "../model/agent/agent-run.ts";
import { createVoice } from "./voice.ts";

function listening() {
  const heard: AgentMessage[] = [];
  const brief = () => heard.map(({ type, text, end, endOfDialog }) => [type, text, end, endOfDialog]);
  return { voice: createVoice((piece) => heard.push(piece)), heard, brief };
}

test("pieces of one message share its id, and another type begins another", () => {
  const { voice, heard, brief } = listening();
  voice.say("thought", "I ");
  voice.say("thought", "");
  voice.say("thought", "think");
  voice.say("answer", "So");
  voice.endDialog("answer");
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
  const { voice, brief } = listening();
  voice.say("answer", "Let me see");
  voice.tell("action", "look {}", { call: { id: "1", tool: "look" } });
  voice.endDialog("error", "Nothing came.");
  assert.deepEqual(brief(), [
    ["answer", "Let me see", false, false],
    ["answer", "", true, false],
    ["action", "look {}", true, false],
    ["error", "Nothing came.", true, true],
  ]);
});
