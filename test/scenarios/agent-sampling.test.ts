import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type PlaneEvent } from "../../src/index.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { agentWorld, sentTo } from "./agent-world.ts";
import { fixture, textsOf } from "./support.ts";

const says = (text: string) => ({ kind: "text" as const, text });
const servers = { fx: fixture("sample") };

suite("a server that asks for a model's words", { concurrency: 2 }, () => {
  test("gets them from the configured model, and it is on record", async () => {
    await using world = await agentWorld([says("Four.")], servers);
    const told: PlaneEvent[] = [];
    world.plane.on("model.sampled", (event) => void told.push(event));
    const args = { prompt: "2 + 2?", system: "Be brief.", temperature: 0.5, omit_max_tokens: true };
    const outcome = await world.plane.call("fx.sample", args);
    const result = {
      role: "assistant",
      content: { type: "text", text: "Four." },
      model: "scripted",
      stopReason: "endTurn",
    };
    assert.deepEqual(outcome.result?.structuredContent, { answers: [{ result }] });
    const { messages, ...request } = sentTo(world.model, 0) as ReturnType<typeof sentTo> & Record<string, unknown>;
    assert.deepEqual(messages[0], { role: "system", content: "Be brief." });
    assert.deepEqual([request.max_tokens, request.temperature], [512, 0.5]);
    const [{ callId = "", ...event } = {}] = told as { callId?: string }[];
    assert.equal(callId, outcome.call.id);
    assert.deepEqual(event, {
      ...{ type: "model.sampled", server: "fx", tool: "fx.sample", status: "answered", reason: null },
      ...{ model: "default", inputTokens: 10, outputTokens: 5 },
    });
  });

  test("gets the model that its hint fits: by our name first, then by the endpoint's", async () => {
    await using model = await startScriptedModel({ responses: () => says("Here.") });
    const models = {
      default: { baseURL: model.url, model: "plain" },
      quick: { baseURL: model.url, model: "haiku-mini" },
      deep: { baseURL: model.url, model: "quick-think" },
    };
    await using plane = await createPlane({ config: { mcpServers: servers, models } });
    for (const hint of ["QUICK", "think", "nobody"]) await plane.call("fx.sample", { prompt: "x", hint });
    assert.deepEqual(
      model.requests.map(({ body }) => body.model),
      ["haiku-mini", "quick-think", "plain"],
    );
  });

  test("gets no more than the configuration gives it", async () => {
    const sampling = { maxTokens: 100, maxCallsPerToolCall: 2 };
    await using world = await agentWorld(() => says("Yes."), servers, { config: { sampling } });
    const told: PlaneEvent[] = [];
    world.plane.on("model.sampled", (event) => void told.push(event));
    await world.plane.call("fx.sample", { prompt: "x", max_tokens: 5_000, times: 3 });
    assert.deepEqual(
      told.map((event) => (event.type === "model.sampled" ? event.status : "")),
      ["answered", "answered", "refused"],
    );
    assert.equal(world.model.requests[0]?.body.max_tokens, 100);
  });

  test("is refused where the configuration says no, and not told of models where there are none to ask", async () => {
    await using denied = await agentWorld([], servers, { config: { sampling: { verdict: "deny" } } });
    const refused = await denied.plane.call("fx.sample", { prompt: "x" });
    assert.match(String(textsOf(refused)), /Sampling was refused|does not let servers ask models/);
    assert.equal(denied.model.requests.length, 0);
    await using off = await agentWorld([], servers, { config: { sampling: { enabled: false } } });
    assert.deepEqual(textsOf(await off.plane.call("fx.sample", { prompt: "x" })), ["the client cannot sample"]);
  });

  test("waits for a person where one has to agree, and learns their no", async () => {
    const config = { sampling: { verdict: "ask" as const } };
    await using world = await agentWorld([says("Yes.")], servers, { config, answersQuestions: true });
    const { plane } = world;
    const answers = ["accept", "decline"] as const;
    const asked: string[] = [];
    const settled: Promise<void>[] = [];
    plane.on("question.asked", ({ questionId }) => {
      const action = answers[asked.length] ?? "cancel";
      asked.push(questionId);
      settled.push(plane.questions.answer(questionId, action === "accept" ? { action, content: {} } : { action }));
    });
    assert.match(String(textsOf(await plane.call("fx.sample", { prompt: "x" }))), /Yes/);
    const refused = await plane.call("fx.sample", { prompt: "x" });
    await Promise.all(settled);
    assert.match(String(textsOf(refused)), /a person said no/);
    assert.equal(world.model.requests.length, 1);
  });

  test("is asked about on a shared plane unless it is trusted", async () => {
    const config = { policy: { profile: "guarded", effects: { "*": "read" } } } as const;
    const trusted = { fx: fixture("sample", [], { trusted: true, requires_consent: false }) };
    await using open = await agentWorld([says("Yes.")], trusted, { config });
    assert.match(String(textsOf(await open.plane.call("fx.sample", { prompt: "x" }))), /Yes/);
    await using shut = await agentWorld([], servers, { config });
    const refused = await shut.plane.call("fx.sample", { prompt: "x" });
    assert.match(String(textsOf(refused)), /a person has to agree, and no person can be asked/);
  });

  test("learns nothing of where the model is when it fails", async () => {
    await using world = await agentWorld([{ kind: "error", status: 400, message: "sk-secret" }], servers);
    const outcome = await world.plane.call("fx.sample", { prompt: "x" });
    assert.match(String(textsOf(outcome)), /The model could not answer/);
    assert.doesNotMatch(JSON.stringify(outcome), /127\.0\.0\.1|sk-secret/);
  });
});

test("a server is answered by our model where the client has none, and by the client where it has", async () => {
  for (const era of ["legacy", "modern"] as const) {
    await using model = await startScriptedModel({ responses: () => says("Ours.") });
    const config = { mcpServers: servers, models: { default: { baseURL: model.url, model: "scripted" } } };
    await using gateway = await startGateway({}, { plane: { config } });
    const without = await EraClient.open(gateway.url, era);
    assert.match(JSON.stringify(await without.call("fx__sample", { prompt: "x" })), /Ours/, era);
    const own = { role: "assistant", content: { type: "text", text: "Theirs." }, model: "own" };
    const capabilities = { sampling: {} };
    const having = await EraClient.open(gateway.url, era, { capabilities, answer: () => own });
    assert.match(JSON.stringify(await having.call("fx__sample", { prompt: "x" })), /Theirs/, era);
    assert.equal(model.requests.length, 1);
  }
});

test("a client without a model is asked whether ours may answer, where somebody has to agree", async () => {
  await using model = await startScriptedModel({ responses: () => says("Ours.") });
  const models = { default: { baseURL: model.url, model: "scripted" } };
  const config = { mcpServers: servers, models, sampling: { verdict: "ask" as const } };
  await using gateway = await startGateway({}, { plane: { config } });
  for (const [action, said] of [
    ["accept", /Ours/],
    ["decline", /a person said no/],
  ] as const) {
    const capabilities = { elicitation: { form: {} } };
    const client = await EraClient.open(gateway.url, "legacy", {
      capabilities,
      answer: () => (action === "accept" ? { action, content: {} } : { action }),
    });
    assert.match(JSON.stringify(await client.call("fx__sample", { prompt: "x" })), said);
    assert.deepEqual(client.asked, ["elicitation/create"]);
  }
});
