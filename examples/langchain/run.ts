import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { asLangChainTools, createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";
import { ChatModel } from "./chat-model.ts";

// Stands for a model: it keeps a note, reads the notes, and then tells what it got.
await using endpoint = await startScriptedModel({
  responses: (body, turn) => {
    const last = (body.messages as { content: string }[]).at(-1)?.content;
    if (turn === 0)
      return { kind: "tools", calls: [{ name: "add_note", arguments: { note: "buy milk" } }] };
    if (turn === 1) return { kind: "tools", calls: [{ name: "list_notes", arguments: {} }] };
    return { kind: "text", text: `You noted: ${last}` };
  },
});

const demo = fileURLToPath(new URL("../../servers/demo/main.ts", import.meta.url));
await using plane = await createPlane({
  config: {
    mcpServers: { demo: { command: process.execPath, args: [demo] } },
    toolsets: { notes: { providers: ["demo"], allow_tools: ["*_note", "*_notes"] } },
  },
});

const tools = await asLangChainTools(plane.toolset("notes"), DynamicStructuredTool);
const model = new ChatModel(endpoint.url).bindTools(tools);
const byName = new Map(tools.map((tool) => [tool.name, tool]));

const messages: BaseMessage[] = [
  new HumanMessage("Note that I have to buy milk, then read me my notes."),
];
for (let turn = 0; turn < 5; turn++) {
  const answer = await model.invoke(messages);
  messages.push(answer);
  const calls = answer.tool_calls ?? [];
  for (const call of calls) {
    const tool = byName.get(call.name);
    if (tool) messages.push(await tool.invoke({ ...call, type: "tool_call" as const }));
  }
  if (calls.length === 0) break;
}

for (const message of messages)
  console.log(`${message.getType().padEnd(5)} ${message.text || "(calls a tool)"}`);
assert.equal(messages.at(-1)?.text, "You noted: buy milk");
