import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createPlane } from "../../src/index.ts";
import { type ScriptedResponse, startScriptedModel } from "../fixtures/llm-script.ts";
import { scaledMs } from "../fixtures/patience.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { agentWorld, toldOf } from "./agent-world.ts";
import { fixture, writeConfig } from "./support.ts";

let count = 0;
const asksAgain = (): ScriptedResponse => ({
  kind: "tools",
  calls: [{ name: "fx__echo", arguments: { message: `${count++}` } }],
});
const untilClosed = (body: { tools?: unknown }): ScriptedResponse =>
  body.tools === undefined ? { kind: "text", text: "As far as I got." } : asksAgain();

suite("the budget of an agent", { concurrency: 2 }, () => {
  test("counts tokens, and what is asked for beyond them is refused", async () => {
    await using world = await agentWorld(untilClosed, { fx: fixture("echo") });
    const result = await world.plane.agent.run("Go.", { maxTokens: 30 });
    assert.equal(result.outcome, "budget");
    assert.equal(result.answer, "As far as I got.");
    assert.equal(result.turns, 1);
    assert.match(JSON.stringify(result.history), /used its 30 tokens/);
  });

  test("is over when its tools have cost what they may, and the model learns it", async () => {
    const config = {
      budgets: { maxCost: 1 },
      overlays: { "fx.echo": { cost_per_call: 1, cost_unit: "cent" } },
    };
    await using world = await agentWorld(untilClosed, { fx: fixture("echo") }, { config });
    const result = await world.plane.agent.run("Go.");
    assert.equal(result.outcome, "budget");
    assert.equal(result.answer, "As far as I got.");
    assert.deepEqual(
      result.steps.map(({ calls }) => calls.map(({ status }) => status)),
      [["succeeded"], ["refused"], []],
    );
    // Another question is another conversation, unless it says that it is not.
    assert.equal((await world.plane.agent.run("Go.")).steps[0]?.calls[0]?.status, "succeeded");
    const { conversation } = await world.plane.agent.run("Go.", { conversation: "mine" });
    const spent = await world.plane.agent.run("Go.", { conversation });
    assert.equal(spent.steps[0]?.calls[0]?.status, "refused");
  });
});

suite("the model of an agent", { concurrency: 2 }, () => {
  const answering = { responses: () => ({ kind: "text" as const, text: "Hello." }) };

  test("may be any of the AI SDK, for one run or by name", async () => {
    await using endpoint = await startScriptedModel(answering);
    const provider = createOpenAICompatible({ name: "own", baseURL: endpoint.url });
    const models = { default: provider.chatModel("given") };
    await using plane = await createPlane({ config: { mcpServers: {} }, models });
    assert.equal((await plane.agent.run("Hi.")).model, "default");
    assert.equal(
      (await plane.agent.run("Hi.", { model: provider.chatModel("once") })).model,
      "once",
    );
    assert.deepEqual(
      endpoint.requests.map(({ body }) => body.model),
      ["given", "once"],
    );
    await assert.rejects(plane.agent.run("Hi.", { model: {} as never }), /is not a model/);
  });

  test("is the only one there is, and has to be named where there are several", async () => {
    await using endpoint = await startScriptedModel(answering);
    const one = { baseURL: endpoint.url, model: "scripted" };
    await using plane = await createPlane({ config: { mcpServers: {}, models: { one } } });
    assert.equal((await plane.agent.run("Hi.")).model, "one");
    await using several = await createPlane({
      config: { mcpServers: {}, models: { one, two: one } },
    });
    await assert.rejects(several.agent.run("Hi."), /Say which model to ask: one, two/);
    await using none = await createPlane({ config: { mcpServers: {} } });
    await assert.rejects(none.agent.run("Hi."), {
      code: "CONFIG_INVALID",
      message: /No model is configured/,
    });
  });

  test("gets its key from where the configuration says, and no one else does", async () => {
    await using endpoint = await startScriptedModel(answering);
    await using directory = await temporaryDirectory();
    await (await import("node:fs/promises")).writeFile(
      directory.file("key.txt"),
      "sk-very-secret\n",
    );
    const file = await writeConfig(
      directory,
      {},
      {
        models: {
          default: { baseURL: endpoint.url, model: "scripted", apiKey: "${file:key.txt}" },
        },
      },
    );
    await using plane = await createPlane({ config: file });
    const result = await plane.agent.run("Hi.", { trace: "all_messages" });
    assert.equal(endpoint.requests[0]?.headers.authorization, "Bearer sk-very-secret");
    assert.doesNotMatch(JSON.stringify(result), /very-secret/);
  });

  test("that cannot be reached is a run that failed", async () => {
    await using endpoint = await startScriptedModel(answering);
    await endpoint.close();
    const models = { default: { baseURL: endpoint.url, model: "scripted" } };
    await using plane = await createPlane({ config: { mcpServers: {}, models } });
    const result = await plane.agent.run("Hi.", { timeoutMs: scaledMs(1_000) });
    assert.equal(result.outcome, "failed");
    assert.match(result.error?.message ?? "", /nothing listens at/);
    assert.equal(result.steps.length, 1);
  });
});

test("only the servers of a toolset are started for it", async () => {
  const toolsets = { t: { providers: ["fx"], allow_tools: ["echo"] } };
  const servers = { fx: fixture("echo"), other: fixture("echo") };
  await using world = await agentWorld([{ kind: "text", text: "Hi." }], servers, {
    config: { toolsets },
  });
  await world.plane.agent.run("Hi.", { toolset: "t" });
  assert.deepEqual(toldOf(world.model, 0), ["echo"]);
  const states = await world.plane.servers.list();
  assert.equal(states.find(({ name }) => name === "other")?.state, "disconnected");
});
