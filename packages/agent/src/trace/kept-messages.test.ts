import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatMessage } from "@toolplane/core/model/agent/chat";
import { agentRun } from "@toolplane/test/contracts/records";
import { keptMessage, keptRun, messagesFor, reasoningIn } from "./kept-run.ts";

const { messages } = agentRun("one");

test("nothing, the model's last message or all of them are kept, as the trace says", () => {
  assert.deepEqual(messagesFor("none", messages), []);
  assert.deepEqual(messagesFor("last_message", messages), [messages.at(-1)]);
  assert.deepEqual(messagesFor("all_messages", messages), messages);
  const unanswered = messages.slice(0, 3);
  assert.deepEqual(
    messagesFor("last_message", unanswered),
    [messages[1]],
    "a result is no message of the model",
  );
  assert.deepEqual(messagesFor("last_message", []), []);
});

test("what was thought last is reported without the space around it, and null where it is blank", () => {
  const last = (reasoning_content?: string): ChatMessage[] => [
    ...messages,
    {
      role: "assistant",
      content: "x",
      ...(reasoning_content === undefined ? {} : { reasoning_content }),
    },
  ];
  assert.equal(reasoningIn(last("  I know.\n ")), "I know.");
  assert.equal(reasoningIn(last(" \n")), null);
  assert.equal(reasoningIn(last()), null, "an earlier thought is not the last one's");
  assert.equal(reasoningIn([]), null);
});

test("a run is kept without what looks like a secret, wherever it was written", () => {
  const secret = "sk-live-abcdef0123456789";
  const said = `the token is ${secret}, password="hunter22"`;
  const run = agentRun("one", {
    question: said,
    answer: said,
    reasoning: said,
    model: `m-${secret}`,
    messages: [
      { role: "system", content: said },
      { role: "user", content: [{ type: "text", text: said }] },
      {
        role: "assistant",
        content: said,
        reasoning_content: said,
        tool_calls: [
          {
            id: "a",
            type: "function",
            function: { name: `${secret}`, arguments: `{"password":"hunter22"}` },
          },
        ],
      },
      { role: "tool", tool_call_id: "a", content: said },
      {
        role: "user",
        content: [
          {
            type: "image_url",
            image_url: { url: "https://files.example/a.png?signature=hunter22" },
          },
        ],
      },
    ],
  });
  for (const step of run.steps) for (const call of step.calls) call.tool = `tool ${secret}`;
  const text = JSON.stringify(keptRun(run));
  assert.doesNotMatch(text, /sk-live|hunter22/);
  assert.match(text, /files\.example\/a\.png/);
});

test("what a caller gets beside the run is not kept", () => {
  const kept = keptRun({ ...agentRun("one"), history: messages, state: "x" } as never);
  assert.deepEqual(Object.keys(kept).sort(), Object.keys(agentRun("one")).sort());
  assert.deepEqual(kept, agentRun("one"));
});

test("a text or a picture that is too large is cut, and says so", () => {
  const long = keptMessage({ role: "user", content: "🚀".repeat(50_000) });
  assert.match(String(long.content), /… \(34464 more characters were not kept\)$/);
  const small = "data:image/png;base64,iVBORw0KGgo=";
  const large = `data:image/png;base64,${"A".repeat(100_000)}`;
  const urls = [small, large].map((url) => ({ type: "image_url", image_url: { url } }) as const);
  assert.deepEqual(keptMessage({ role: "user", content: urls }).content, [
    urls[0],
    {
      type: "image_url",
      image_url: { url: "data:image/png;base64,… (100022 characters were not kept)" },
    },
  ]);
});
