import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createPlane } from "../../src/index.ts";
import { type ScriptedResponse, startScriptedModel } from "../../test/fixtures/llm-script.ts";
import {
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../../test/fixtures/start-server.ts";
import { isAlive, isRunning, runCli } from "../../test/scenarios/support.ts";
import { tellStory } from "../story.ts";

const { chapter, promise } = tellStory("Seed 004: tool configurations for models that generate");
await using directory = await temporaryDirectory();
const log = directory.file("log");
await using docs = await startHttpFixture("sse");
const look = (word: string) => ({ name: "lookup", arguments: { word } });
const script: ScriptedResponse[] = [
  { kind: "tools", calls: [look("tool"), look("plane")] },
  { kind: "text", text: " 42 ", reasoning: " It was in the book. " },
];
/** A model that looks two words up and answers, or one that never stops asking. */
const isStubborn = (body: object) => JSON.stringify(body).includes("forever");
await using model = await startScriptedModel({
  responses: (body) => {
    const messages = body.messages as { role: string }[];
    const turn = messages.filter(({ role }) => role === "assistant").length;
    if (!isStubborn(body)) return script[Math.min(turn, 1)] as ScriptedResponse;
    return body.tools
      ? { kind: "tools", calls: [look(`word ${turn}`)] }
      : { kind: "text", text: "I stop." };
  },
});
Object.assign(process.env, {
  NODE: process.execPath,
  SERVER: `${import.meta.dirname}/server.ts`,
  LOG: log,
});
Object.assign(process.env, { DOCS_URL: docs.url, DOCS_API_KEY: "k-secret", MODEL_URL: model.url });
const config = ["mcp_providers.yaml", "tool_configs.yaml"].map(
  (name) => `${import.meta.dirname}/${name}`,
);
await using plane = await createPlane({ config });
const received = (method: string) => receivedMessages(readLog(log), method).length;
const response = (...calls: { name: string; arguments: object }[]) => ({
  choices: [
    {
      message: {
        role: "assistant",
        content: null,
        tool_calls: calls.map(({ name, arguments: args }, at) => ({
          id: `call-${at}`,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        })),
      },
    },
  ],
});

chapter("Configuration");
await promise(
  "a remote provider speaks SSE, a local one is a process, and the key is a variable's name",
  async () => {
    const servers = await plane.servers.list({ connect: true });
    assert.deepEqual(
      servers.map(({ name, transport, state }) => [name, transport, state]),
      [
        ["docs", "sse", "connected"],
        ["local-tools", "stdio", "connected"],
      ],
    );
  },
);
await promise("without any provider a plane is a plane without tools", async () => {
  await using empty = await createPlane({ config: { providers: [] } as object });
  assert.deepEqual(await empty.tools.list(), []);
});

chapter("The registry");
await promise(
  "a configuration is found by its alias, and an unknown one is named with its nearest",
  () => {
    assert.equal(plane.toolset("my-tools").alias, "my-tools");
    assert.throws(() => plane.toolset("my-tool"), /my-tool.*my-tools/s);
  },
);
await promise(
  "names that no provider has, and names that two have, are refused with all of them",
  async () => {
    await assert.rejects(plane.toolset("missing").schemas(), /no_such_tool/);
    await assert.rejects(plane.toolset("too-much").schemas(), /fail.*docs.*local-tools/s);
  },
);
await promise(
  "a configuration that names an unknown provider is reported when it is validated",
  async () => {
    const tool_configs = [{ tool_alias: "x", providers: ["nowhere"] }];
    await writeFile(directory.file("bad.json"), JSON.stringify({ providers: [], tool_configs }));
    const { stdout } = await runCli([
      "config",
      "validate",
      "--config",
      directory.file("bad.json"),
      "--json",
    ]);
    assert.match(stdout, /nowhere/);
  },
);

chapter("The facade");
const facade = plane.toolset("my-tools");
await promise(
  "it has alias, providers, allowed tools, turns and timeout of its configuration",
  () => {
    const { alias, providers, allow_tools, max_tool_call_turns, timeout_sec } = facade;
    assert.deepEqual(
      { alias, providers, allow_tools, max_tool_call_turns, timeout_sec },
      {
        alias: "my-tools",
        providers: ["docs", "local-tools"],
        max_tool_call_turns: 2,
        timeout_sec: 30,
        allow_tools: ["echo", "lookup", "slow_lookup"],
      },
    );
  },
);
await promise(
  "schemas of all its providers are in OpenAI's format, and only the allowed ones",
  async () => {
    const schemas = await facade.schemas();
    assert.deepEqual(schemas.map((schema) => schema.function.name).sort(), [
      "echo",
      "lookup",
      "slow_lookup",
    ]);
    assert.ok(schemas.every(({ type }) => type === "function"));
  },
);
await promise("it counts the calls of a response", () => {
  const two = response(look("a"), look("b"));
  assert.deepEqual([facade.toolCallCount(two), facade.hasToolCalls(two)], [2, true]);
  assert.equal(
    facade.hasToolCalls({ choices: [{ message: { role: "assistant", content: "Hi" } }] }),
    false,
  );
});
await promise("it makes the calls and returns the messages, in order", async () => {
  const messages = await facade.processResponse(
    response(look("a"), { name: "echo", arguments: { message: "b" } }),
  );
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      ["assistant", ""],
      ["tool", "a means something (story)"],
      ["tool", "b"],
    ],
  );
});
await promise("a call that is not allowed, or unknown, is a message for the model", async () => {
  const [, refused] = await facade.processResponse(response({ name: "fail", arguments: {} }));
  assert.match(String(refused?.content), /^Error: /);
});
await promise("it refuses calls gracefully, without asking a provider", async () => {
  const before = received("tools/call");
  const [, refused] = facade.refuseResponse(response(look("a")), "That is enough.");
  assert.deepEqual(
    [refused?.content, refused?.tool_call_id, received("tools/call")],
    ["That is enough.", "call-0", before],
  );
});

chapter("The I/O layer");
await promise("one session per provider, whatever was called", () => {
  assert.equal(received("initialize"), 1);
  assert.deepEqual(
    [...new Set(plane.servers.poolInfo().sessions.map(({ server }) => server))].sort(),
    ["docs", "local-tools"],
  );
  assert.ok(!JSON.stringify(plane.servers.poolInfo()).includes("k-secret"));
});
await promise("fifty who ask for the tools at once make one request", async () => {
  await plane.servers.clearCaches("local-tools");
  const before = received("tools/list");
  await Promise.all(Array.from({ length: 50 }, () => plane.toolset("everything-local").schemas()));
  assert.equal(received("tools/list"), before + 1);
});
await promise("parallel calls of one response run at the same time", async () => {
  const slow = (word: string) => ({ name: "slow_lookup", arguments: { word } });
  const [, ...answers] = await facade.processResponse(response(slow("a"), slow("b"), slow("c")));
  assert.deepEqual(
    answers.map(({ content }) => content),
    ["3 at once", "3 at once", "3 at once"],
  );
});

chapter("Generating with tools");
const {
  value,
  turns,
  messages: trace,
  reasoning,
} = await facade.generate({
  prompt: "How much is it?",
  parser: Number,
  trace: "all_messages",
});
await promise("the answer of the loop is parsed into a value", () => assert.equal(value, 42));
await promise("parallel calls are one turn", () => assert.equal(turns, 1));
await promise("the messages are returned as a trace, with tool calls and results", () => {
  const roles = trace.map(({ role }) => role).filter((role) => role !== "system");
  assert.deepEqual(roles, ["user", "assistant", "tool", "tool", "assistant"]);
});
await promise("the content of a trace is a list of blocks", () =>
  assert.ok(trace.every(({ content }) => Array.isArray(content))),
);
await promise("the reasoning of the last message is extracted, without blanks around it", () =>
  assert.equal(reasoning, "It was in the book."),
);
await promise(
  "a model that never stops is refused once, asked once more without tools, and stopped",
  async () => {
    const before = model.requests.length;
    const run = await facade.generate({ prompt: "Look up forever." });
    assert.deepEqual([run.answer, run.outcome], ["I stop.", "max-iterations"]);
    assert.equal(model.requests.length - before, 2 + 2);
  },
);
await promise("usage counts calls, turns and generations", () => {
  const { totalToolCalls, totalToolCallTurns, totalGenerations, generationsWithTools } =
    facade.usage();
  console.log(`      ${JSON.stringify(facade.usage())}`);
  assert.deepEqual([totalGenerations, generationsWithTools], [2, 2]);
  assert.ok(totalToolCalls >= totalToolCallTurns && totalToolCallTurns >= 3);
});
await promise("a toolset that is registered while the plane runs is in force at once", async () => {
  plane.toolsets.register("my-tools", { providers: ["local-tools"], allow_tools: ["lookup"] });
  assert.equal((await plane.toolset("my-tools").schemas()).length, 1);
});

chapter("The end");
await promise("the plane takes its local provider along", async () => {
  const { pid } = await plane.servers.get("local-tools", { connect: true });
  assert.ok(isAlive(Number(pid)));
  await plane.stop();
  assert.ok(!isRunning(Number(pid)));
});
