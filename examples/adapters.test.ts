import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, isLangChainTool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { generateText, jsonSchema, stepCountIs, type ToolSet } from "ai";
import OpenAI from "openai";
import {
  answerAnthropicMessage,
  answerOpenAiCompletion,
  answerOpenAiResponse,
  asAiSdkTools,
  asLangChainTools,
  type Toolset,
} from "../src/index.ts";
import type { ScriptedCall } from "../test/fixtures/llm-script.ts";
import { type AgentWorld, agentWorld, sentTo } from "../test/scenarios/agent-world.ts";
import { fixture } from "../test/scenarios/support.ts";
import { startJsonEndpoint } from "./json-endpoint.ts";

const calls: ScriptedCall[] = [
  { name: "echo", arguments: { message: "hello" }, id: "a" },
  { name: "png", arguments: {}, id: "b" },
  { name: "ecko", arguments: {}, id: "c" },
];

/** A plane with a toolset of three tools, and a model that uses two of them and then answers. */
async function world(): Promise<AgentWorld & { toolset: Toolset }> {
  const made = await agentWorld(
    [
      { kind: "tools", calls },
      { kind: "text", text: "It said hello." },
    ],
    { echo: fixture("echo"), pictures: fixture("image") },
    {
      config: {
        toolsets: {
          mine: { providers: ["echo", "pictures"], allow_tools: ["echo", "echo_all", "png"] },
        },
      },
    },
  );
  return Object.assign(made, { toolset: made.plane.toolset("mine") });
}

const forModels = /^[a-zA-Z0-9_-]{1,64}$/;

test("OpenAI's client takes the schemas and the messages as they are", async () => {
  await using made = await world();
  const client = new OpenAI({ baseURL: made.model.url, apiKey: "none", maxRetries: 0 });
  const tools = await made.toolset.schemas();
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Say hello." }];
  const ask = () => client.chat.completions.create({ model: "scripted", messages, tools });
  messages.push(...(await answerOpenAiCompletion(made.toolset, await ask())));
  const answer = await ask();
  assert.equal(answer.choices[0]?.message.content, "It said hello.");
  for (const { type, function: definition } of tools) {
    assert.equal(type, "function");
    assert.match(definition.name, forModels);
    assert.equal(definition.parameters.type, "object");
  }
  const [, asked, ...answers] = sentTo(made.model, 1).messages;
  assert.deepEqual(
    answers.slice(0, 3).map(({ role, tool_call_id }) => [role, tool_call_id]),
    ["a", "b", "c"].map((id) => ["tool", id]),
  );
  assert.equal(asked?.tool_calls?.length, 3);
  assert.equal(answers[0]?.content, "hello");
  assert.match(String(answers[2]?.content), /^Error: No tool 'ecko'.* Did you mean 'echo'/);
  const shown = answers[3]?.content as {
    type: string;
    text?: string;
    image_url?: { url: string };
  }[];
  assert.equal(answers[3]?.role, "user");
  assert.match(shown[0]?.text ?? "", /the tool png gave/);
  assert.match(shown[1]?.image_url?.url ?? "", /^data:image\/png;base64,/);
  assert.deepEqual(await answerOpenAiCompletion(made.toolset, answer), [
    answer.choices[0]?.message,
  ]);
});

test("OpenAI's client takes items of the Responses API as they are", async () => {
  await using made = await world();
  const call = (call_id: string, name: string, args: string) => ({
    ...{
      type: "function_call",
      id: `fc_${call_id}`,
      call_id,
      name,
      arguments: args,
      status: "completed",
    },
  });
  const output = [
    { type: "reasoning", id: "r", summary: [] },
    call("a", "echo", '{"message":"hello"}'),
    call("b", "png", ""),
    call("c", "echo", "[oops"),
  ];
  const text = { type: "output_text", text: "It said hello.", annotations: [] };
  const message = {
    type: "message",
    id: "m",
    role: "assistant",
    status: "completed",
    content: [text],
  };
  const whole = { object: "response", id: "first" };
  await using endpoint = await startJsonEndpoint([
    { ...whole, output },
    { ...whole, output: [message] },
  ]);
  const client = new OpenAI({ baseURL: endpoint.url, apiKey: "none", maxRetries: 0 });
  const tools: OpenAI.Responses.Tool[] = await made.toolset.schemas("openai-responses");
  const ask = (more: { input: OpenAI.Responses.ResponseInput; previous_response_id?: string }) =>
    client.responses.create({ model: "scripted", tools, ...more });
  const first = await ask({ input: [{ role: "user", content: "Say hello." }] });
  const input = await answerOpenAiResponse(made.toolset, first);
  const second = await ask({ input, previous_response_id: first.id });
  assert.equal(second.output_text, "It said hello.");
  assert.deepEqual(await answerOpenAiResponse(made.toolset, second), []);

  const sent = endpoint.bodies[1] as {
    input: { output: string }[];
    tools: { name: string; strict: boolean }[];
  };
  assert.deepEqual(
    sent.tools.map(({ name, strict }) => [name, strict]),
    ["echo", "echo_all", "png"].map((name) => [name, false]),
  );
  const [echoed, picture, failed] = sent.input;
  assert.deepEqual(echoed, { type: "function_call_output", call_id: "a", output: "hello" });
  assert.match(
    JSON.stringify(picture?.output),
    /^\[\{"type":"input_image","image_url":"data:image\/png;base64,/,
  );
  assert.match(String(failed?.output), /^Error: The arguments of .* are not valid JSON/);
});

test("Anthropic's client takes the schemas and the blocks as they are", async () => {
  await using made = await world();
  const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });
  const message = { id: "m", type: "message", role: "assistant", model: "scripted", usage: {} };
  const content = [
    { type: "text", text: "I look." },
    use("a", "echo", { message: "hello" }),
    use("b", "png", {}),
    use("c", "ecko", {}),
  ];
  await using endpoint = await startJsonEndpoint([
    { ...message, content, stop_reason: "tool_use" },
    { ...message, content: [{ type: "text", text: "It said hello." }], stop_reason: "end_turn" },
  ]);
  const client = new Anthropic({ baseURL: endpoint.url, apiKey: "none", maxRetries: 0 });
  const tools: Anthropic.Tool[] = await made.toolset.schemas("anthropic");
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Say hello." }];
  const ask = () => client.messages.create({ model: "scripted", max_tokens: 100, messages, tools });
  messages.push(...(await answerAnthropicMessage(made.toolset, await ask())));
  messages.push(...(await answerAnthropicMessage(made.toolset, await ask())));
  assert.deepEqual(messages.at(-1)?.content, [{ type: "text", text: "It said hello." }]);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant", "user", "assistant"],
  );

  assert.ok(
    tools.every(({ name, input_schema }) => forModels.test(name) && input_schema.type === "object"),
  );
  const sent = endpoint.bodies[1] as { messages: { content: Anthropic.ToolResultBlockParam[] }[] };
  assert.deepEqual(sent.messages[1]?.content, content);
  const [echoed, picture, failed] = sent.messages[2]?.content ?? [];
  assert.deepEqual(echoed, { type: "tool_result", tool_use_id: "a", content: "hello" });
  assert.match(
    JSON.stringify(picture?.content),
    /^\[\{"type":"image","source":\{"type":"base64","media_type":"image\/png","data":"iVBOR/,
  );
  assert.equal(failed?.is_error, true);
});

test("the AI SDK runs its own loop with a toolset", async () => {
  await using made = await world();
  const tools: ToolSet = await asAiSdkTools(made.toolset, jsonSchema);
  const model = createOpenAICompatible({ name: "scripted", baseURL: made.model.url })("scripted");
  const { text, steps } = await generateText({
    model,
    tools,
    prompt: "Say hello.",
    stopWhen: stepCountIs(3),
  });
  assert.equal(text, "It said hello.");
  const outputs = steps[0]?.toolResults.map(
    ({ output }) => output as { content: unknown; isError: boolean },
  );
  assert.deepEqual(outputs?.[0], { content: "hello", isError: false });
  const [told] = sentTo(made.model, 0).tools as {
    function: { name: string; parameters: object };
  }[];
  assert.deepEqual(
    told?.function.parameters,
    (await made.toolset.schemas())[0]?.function.parameters,
  );
  const answers = sentTo(made.model, 1).messages.filter(({ role }) => role === "tool");
  assert.equal(answers[0]?.content, "hello");
});

test("what a tool refuses is an error for the AI SDK, and what it shows a file", async () => {
  await using made = await world();
  const { echo, png } = await asAiSdkTools(made.toolset, jsonSchema);
  const output = await echo?.execute({ wrong: 1 }, { toolCallId: "a" });
  assert.equal(output?.isError, true);
  assert.ok(output && echo);
  const { type } = echo.toModelOutput({ output });
  assert.equal(type, "error-text");
  const picture = await png?.execute(
    {},
    { toolCallId: "b", abortSignal: new AbortController().signal },
  );
  assert.ok(picture && png);
  const shown = png.toModelOutput({ output: picture });
  assert.equal(shown.type, "content");
  assert.deepEqual(shown.type === "content" && shown.value.map((part) => part.type), ["file"]);
});

test("LangChain takes a toolset for tools of its own", async () => {
  await using made = await world();
  const tools = await asLangChainTools(made.toolset, DynamicStructuredTool);
  const [echo] = tools;
  assert.ok(echo);
  assert.ok(tools.every(isLangChainTool));
  assert.deepEqual(
    tools.map((tool) => convertToOpenAITool(tool).function.parameters),
    (await made.toolset.schemas()).map((schema) => schema.function.parameters),
  );
  const messages: BaseMessage[] = [new HumanMessage("Say hello.")];
  const call = { name: "echo", args: { message: "hello" }, id: "a", type: "tool_call" as const };
  messages.push(new AIMessage({ content: "", tool_calls: [call] }), await echo.invoke(call));
  const answer = messages.at(-1);
  assert.ok(answer instanceof ToolMessage);
  assert.deepEqual([answer.tool_call_id, answer.content], ["a", "hello"]);
  assert.equal(await echo.invoke({ message: "again" }), "again");
  await assert.rejects(echo.invoke({ message: 1 }), /did not match expected schema/);
});

test("who gives up on a framework's call gives up on the tool", async () => {
  await using made = await world();
  const { echo } = await asAiSdkTools(made.toolset, jsonSchema);
  const output = await echo?.execute(
    { message: "x" },
    { toolCallId: "a", abortSignal: AbortSignal.abort() },
  );
  assert.equal(output?.isError, true);
});

const place = {
  type: "object",
  properties: { city: { type: "string" }, zip: { type: "string" } },
  oneOf: [{ required: ["city"] }, { required: ["zip"] }],
};

test("a schema that endpoints would refuse is sent in a shape they take, and still decides what is called", async () => {
  const providers = [{ name: "mcp", config: { server: "echo", tool: "echo_all" } }];
  const described = {
    description: "Finds a place by its city or its zip.",
    side_effects: "none" as const,
    providers,
  };
  await using made = await agentWorld(
    [
      { kind: "tools", calls: [{ name: "find", arguments: { city: "Bern", zip: "3000" } }] },
      { kind: "tools", calls: [{ name: "find", arguments: { city: "Bern" } }] },
      { kind: "text", text: "Bern." },
    ],
    { echo: fixture("echo") },
    {
      config: {
        tools: { find: { name: "find", ...described, parameters: place } },
        toolsets: { places: { providers: ["echo"], allow_tools: ["find"] } },
      },
    },
  );
  const { properties } = place;
  const [definition] = await made.plane.toolset("places").schemas("anthropic");
  assert.deepEqual(definition?.input_schema, { type: "object", properties });
  await made.plane.agent.run("Where is Bern?", { toolset: "places" });
  const [told] = sentTo(made.model, 0).tools as { function: { parameters: object } }[];
  assert.deepEqual(told?.function.parameters, { type: "object", properties });
  const answers = sentTo(made.model, 2).messages.filter(({ role }) => role === "tool");
  assert.match(String(answers[0]?.content), /^Error: /);
  assert.match(String(answers[1]?.content), /Bern/);
});
