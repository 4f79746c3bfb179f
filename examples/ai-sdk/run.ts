import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs } from "ai";
import { asAiSdkTools, createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";

// Stands for a model: it greets two people at once, and then tells what it got.
await using endpoint = await startScriptedModel({
  responses: (body, turn) => {
    const said = (body.messages as { role: string; content: string }[]).filter(
      ({ role }) => role === "tool",
    );
    if (turn > 0) return { kind: "text", text: said.map(({ content }) => content).join(" ") };
    const greet = (name: string) => ({ name: "greet", arguments: { name } });
    return { kind: "tools", calls: [greet("Ann"), greet("Bob")] };
  },
});

const demo = fileURLToPath(new URL("../../servers/demo/main.ts", import.meta.url));
await using plane = await createPlane({
  config: {
    mcpServers: { demo: { command: process.execPath, args: [demo] } },
    toolsets: { hello: { providers: ["demo"], allow_tools: ["greet"] } },
  },
});

const model = createOpenAICompatible({ name: "scripted", baseURL: endpoint.url })("scripted");
const tools = await asAiSdkTools(plane.toolset("hello"), jsonSchema);
const { text, steps } = await generateText({
  model,
  tools,
  stopWhen: stepCountIs(5),
  prompt: "Greet Ann and Bob.",
});

console.log(`${text} (${steps.length} steps)`);
assert.equal(text, "Hello, Ann! Hello, Bob!");

const calls = await plane.calls.list({ tool: "demo.greet" });
console.log(`${calls.length} calls on record`);
assert.equal(calls.length, 2);
