import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { answerOpenAiCompletion, createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";

type Messages = OpenAI.ChatCompletionMessageParam[];

// Stands for a model: it wants a sum, and then tells what it got.
await using model = await startScriptedModel({
  responses: (body, turn) =>
    turn === 0
      ? { kind: "tools", calls: [{ name: "add", arguments: { a: 19, b: 23 } }] }
      : { kind: "text", text: `It is ${(body.messages as Messages).at(-1)?.content}.` },
});

const demo = fileURLToPath(new URL("../../servers/demo/main.ts", import.meta.url));
await using plane = await createPlane({
  config: {
    mcpServers: { demo: { command: process.execPath, args: [demo] } },
    toolsets: { sums: { providers: ["demo"], allow_tools: ["add"] } },
  },
});

const openai = new OpenAI({ baseURL: model.url, apiKey: "none" });
const messages: Messages = [{ role: "user", content: "How much is 19 and 23?" }];

const toolset = plane.toolset("sums");
const tools = await toolset.schemas();
for (let turn = 0; turn < 5; turn++) {
  const completion = await openai.chat.completions.create({ model: "scripted", messages, tools });
  messages.push(...(await answerOpenAiCompletion(toolset, completion)));
  if (!toolset.hasToolCalls(completion)) break;
}

for (const { role, content } of messages)
  console.log(`${role.padEnd(9)} ${content ?? "(calls a tool)"}`);
assert.equal(messages.at(-1)?.content, "It is 42.");
assert.deepEqual(
  messages.map(({ role }) => role),
  ["user", "assistant", "tool", "assistant"],
);
