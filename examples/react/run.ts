import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";

// Stands for a model: it misspells a tool, does better, and then tells what it got.
await using endpoint = await startScriptedModel({
  responses: [
    { kind: "text", text: 'Thought: I have to add.\nAction: ad\nArgs: {"a": 19, "b": 23}' },
    { kind: "text", text: 'Thought: It is called add.\nAction: add\nArgs: {"a": 19, "b": 23}' },
    { kind: "text", text: "Thought: That is the sum.\nFinal Answer: It is 42." },
  ],
});

const demo = fileURLToPath(new URL("../../servers/demo/main.ts", import.meta.url));
await using plane = await createPlane({
  config: {
    mcpServers: { demo: { command: process.execPath, args: [demo] } },
    models: { default: { baseURL: endpoint.url, model: "scripted" } },
    toolsets: { sums: { providers: ["demo"], allow_tools: ["add"] } },
  },
});

const types: string[] = [];
const { answer, outcome } = await plane.agent.run("How much is 19 and 23?", {
  style: "react",
  toolset: "sums",
  onMessage({ type, text, end }) {
    process.stdout.write(`${text}${end ? ` [${type}]\n` : ""}`);
    if (end) types.push(type);
  },
});

assert.equal(answer, "It is 42.");
assert.equal(outcome, "completed");
const turn = ["thought", "action", "observation"];
assert.deepEqual(types, [...turn, ...turn, "thought", "answer"]);
