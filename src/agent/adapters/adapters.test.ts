import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedCall, ChatContent } from "../../model/agent/chat.ts";
import type { Toolset } from "../../model/agent.ts";

import { asAiSdkTools } from "./ai-sdk.ts";
import { readPicture } from "./answers.ts";
import { answerAnthropicMessage } from "./anthropic.ts";
import { answerOpenAiCompletion, answerOpenAiResponse } from "./openai.ts";

const picture = (url: string) => ({ type: "image_url" as const, image_url: { url } });
const shown: ChatContent = [
  { type: "text", text: "three" },
  picture("data:image/bmp;base64,AA=="),
  picture("https://example.org/a.png"),
  picture("data:image/webp;base64,BB=="),
];

const parameters = { type: "object", properties: {} };
const definition = {
  type: "function",
  function: { name: "show", description: "Shows.", parameters },
};

/** Whatever is called says the same. */
function toolset(content: ChatContent = shown) {
  const asked: AskedCall[] = [];
  return {
    asked,
    schemas: (async () => [definition]) as unknown as Toolset["schemas"],
    async answerCalls(calls: readonly AskedCall[]) {
      asked.push(...calls);
      return calls.map((call) => ({ call, content, isError: false }));
    },
  };
}

test("a picture is its bytes or its address", () => {
  assert.deepEqual(readPicture("data:image/svg+xml;base64,AA=="), {
    mediaType: "image/svg+xml",
    data: "AA==",
  });
  assert.deepEqual(readPicture("https://example.org/a.png"), { url: "https://example.org/a.png" });
  assert.deepEqual(readPicture("data:text/plain,hello"), { url: "data:text/plain,hello" });
});

test("Claude is shown the pictures it can see and told of the others", async () => {
  const content = [{ type: "tool_use", id: "a", name: "show", input: null }];
  const [, results] = await answerAnthropicMessage(toolset(), { content });
  assert.deepEqual(results?.content[0]?.content, [
    { type: "text", text: "three" },
    { type: "text", text: "[A picture of type image/bmp.]" },
    { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
    { type: "image", source: { type: "base64", media_type: "image/webp", data: "BB==" } },
  ]);
});

test("what is no call of ours, or no whole one, is passed over", async () => {
  const given = toolset();
  const blocks = [
    { type: "server_tool_use", id: "a", name: "web_search", input: {} },
    { type: "tool_use", name: "show" },
  ];
  assert.equal((await answerAnthropicMessage(given, { content: blocks })).length, 1);
  const output = [{ type: "web_search_call" }, { type: "function_call", name: "show" }];
  assert.deepEqual(await answerOpenAiResponse(given, { output }), []);
  assert.deepEqual(given.asked, []);
});

test("calls of a completion without ids get some, in the message and in the answers", async () => {
  const message = { content: null, tool_calls: [{ function: { name: "show", arguments: "{}" } }] };
  const [said, answer] = await answerOpenAiCompletion(toolset("done"), { choices: [{ message }] });
  const { tool_calls: calls } = said as object as { tool_calls: AskedCall[] };
  assert.match(calls[0]?.id ?? "", /./);
  assert.deepEqual(answer, { role: "tool", tool_call_id: calls[0]?.id, content: "done" });
});

test("a completion that holds no message is refused with what is wrong", async () => {
  await assert.rejects(answerOpenAiCompletion(toolset(), { choices: [] }), {
    code: "USAGE",
    message: /cannot be read: 'choices' holds no message/,
  });
});

test("the AI SDK gets pictures as files, by their bytes or their address", async () => {
  const { show } = await asAiSdkTools(toolset([...shown, picture("nowhere")]), (schema) => schema);
  assert.ok(show);
  const output = await show.execute(undefined, { toolCallId: "" });
  assert.deepEqual(show.toModelOutput({ output }), {
    type: "content",
    value: [
      { type: "text", text: "three" },
      { type: "file", mediaType: "image/bmp", data: { type: "data", data: "AA==" } },
      {
        type: "file",
        mediaType: "image/*",
        data: { type: "url", url: new URL("https://example.org/a.png") },
      },
      { type: "file", mediaType: "image/webp", data: { type: "data", data: "BB==" } },
      { type: "text", text: "[picture]" },
    ],
  });
});

test("a call of a reply that was cut off is made only where it is whole", async () => {
  const whole = { id: "a", function: { name: "show", arguments: '{"a":1}' } };
  const half = { id: "b", function: { name: "show", arguments: '{"text":"half a no' } };
  const chat = toolset("shown");
  const message = { role: "assistant", content: null, tool_calls: [whole, half] };
  const [, first, second] = await answerOpenAiCompletion(chat, {
    choices: [{ message, finish_reason: "length" }],
  });
  assert.match(JSON.stringify(first), /"shown"/);
  assert.match(JSON.stringify(second), /'show' was not run: your reply was cut off/);
  assert.deepEqual(
    chat.asked.map(({ id }) => id),
    ["a"],
  );

  const responses = toolset("shown");
  const output = [whole, half].map(({ id, function: asked }) => ({
    type: "function_call",
    call_id: id,
    ...asked,
  }));
  const outputs = await answerOpenAiResponse(responses, { status: "incomplete", output });
  assert.equal(responses.asked.length, 1);
  assert.match(String(outputs[1]?.output), /^Error: 'show' was not run/);
});

test("the last tool use of a message of Claude that was cut off is not made, however whole it looks", async () => {
  const content = [
    { type: "tool_use", id: "a", name: "show", input: { a: 1 } },
    { type: "tool_use", id: "b", name: "show", input: { text: "half a no" } },
  ];
  const cut = toolset("shown");
  const [, results] = await answerAnthropicMessage(cut, { content, stop_reason: "max_tokens" });
  assert.equal(cut.asked.length, 1);
  assert.equal(results?.content[1]?.is_error, true);
  const done = toolset("shown");
  await answerAnthropicMessage(done, { content, stop_reason: "tool_use" });
  assert.equal(done.asked.length, 2);
});

test("what is no message or response is said so", async () => {
  const usage = {
    code: "USAGE",
    message: /cannot be read: its '(?:content|output)' is not a list/,
  };
  await assert.rejects(answerAnthropicMessage(toolset(), { content: null } as never), usage);
  await assert.rejects(answerAnthropicMessage(toolset(), null as never), usage);
  await assert.rejects(answerOpenAiResponse(toolset(), {} as never), usage);
});
