import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Plane, type PlaneEvent } from "../../src/index.ts";
import type { QuestionAnswer } from "../../src/model/calls/provider.ts";
import type { Question } from "../../src/model/calls/question-schema.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { agentWorld, sentTo } from "./agent-world.ts";
import { plannedIn, planner } from "./planning.ts";
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
    const { messages, ...request } = sentTo(world.model, 0) as ReturnType<typeof sentTo> &
      Record<string, unknown>;
    assert.deepEqual(messages[0], { role: "system", content: "Be brief." });
    assert.deepEqual([request.max_tokens, request.temperature], [512, 0.5]);
    const [{ callId = "", ...event } = {}] = told as { callId?: string }[];
    assert.equal(callId, outcome.call.id);
    assert.deepEqual(event, {
      type: "model.sampled",
      server: "fx",
      tool: "fx.sample",
      status: "answered",
      reason: null,
      model: "default",
      inputTokens: 10,
      outputTokens: 5,
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
    for (const hint of ["QUICK", "think", "nobody"])
      await plane.call("fx.sample", { prompt: "x", hint });
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
    await using denied = await agentWorld([], servers, {
      config: { sampling: { verdict: "deny" } },
    });
    const refused = await denied.plane.call("fx.sample", { prompt: "x" });
    assert.match(String(textsOf(refused)), /Sampling was refused|does not let servers ask models/);
    assert.equal(denied.model.requests.length, 0);
    await using off = await agentWorld([], servers, { config: { sampling: { enabled: false } } });
    assert.deepEqual(textsOf(await off.plane.call("fx.sample", { prompt: "x" })), [
      "the client cannot sample",
    ]);
  });

  test("waits for a person where one has to agree, and learns their no", async () => {
    const config = { sampling: { verdict: "ask" as const } };
    await using world = await agentWorld([says("Yes.")], servers, {
      config,
      answersQuestions: true,
    });
    const { plane } = world;
    const answers = ["accept", "decline"] as const;
    const asked: string[] = [];
    const settled: Promise<void>[] = [];
    plane.on("question.asked", ({ questionId }) => {
      const action = answers[asked.length] ?? "cancel";
      asked.push(questionId);
      settled.push(
        plane.questions.answer(
          questionId,
          action === "accept" ? { action, content: {} } : { action },
        ),
      );
    });
    assert.match(String(textsOf(await plane.call("fx.sample", { prompt: "x" }))), /Yes/);
    const refused = await plane.call("fx.sample", { prompt: "x" });
    await Promise.all(settled);
    assert.match(String(textsOf(refused)), /a person declined/);
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
    await using world = await agentWorld(
      [{ kind: "error", status: 400, message: "sk-secret" }],
      servers,
    );
    const outcome = await world.plane.call("fx.sample", { prompt: "x" });
    assert.match(String(textsOf(outcome)), /The model could not answer/);
    assert.doesNotMatch(JSON.stringify(outcome), /127\.0\.0\.1|sk-secret/);
  });
});

test("a server is answered by our model where the client has none, and by the client where it has", async () => {
  for (const era of ["legacy", "modern"] as const) {
    await using model = await startScriptedModel({ responses: () => says("Ours.") });
    const config = {
      mcpServers: servers,
      models: { default: { baseURL: model.url, model: "scripted" } },
    };
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

test("a client without a model is asked whether ours may answer, where a person has to agree", async () => {
  await using model = await startScriptedModel({ responses: () => says("Ours.") });
  const models = { default: { baseURL: model.url, model: "scripted" } };
  const config = { mcpServers: servers, models, sampling: { verdict: "ask" as const } };
  await using gateway = await startGateway({}, { plane: { config } });
  for (const [action, said] of [
    ["accept", /Ours/],
    ["decline", /a person declined/],
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

suite("a person who tries a tool in the workbench answers in the place of a model", () => {
  const asPerson = { face: "workbench" as const };
  const open = (more: object = {}) =>
    createPlane({ answersQuestions: true, relays: true, config: { mcpServers: servers, ...more } });
  const modern = {
    mcpServers: { echo: fixture("echo"), planner: planner({ protocol: "modern" }) },
  };
  const answering = (plane: Plane, answer: QuestionAnswer) => {
    const seen: Question[] = [];
    plane.on("question.asked", async ({ questionId }) => {
      seen.push(...(await plane.questions.list()));
      await plane.questions.answer(questionId, answer);
    });
    return seen;
  };

  test("where no model is configured: the prompt is shown, and the text is the answer", async () => {
    await using plane = await open();
    const told: PlaneEvent[] = [];
    plane.on("model.sampled", (event) => void told.push(event));
    const seen = answering(plane, { action: "accept", content: { text: "Four, I think." } });
    const outcome = await plane.call(
      "fx.sample",
      { prompt: "2 + 2?", system: "Be brief." },
      asPerson,
    );
    const content = { type: "text", text: "Four, I think." };
    const result = { role: "assistant", content, model: "person", stopReason: "endTurn" };
    assert.deepEqual(outcome.result?.structuredContent, { answers: [{ result }] });
    assert.deepEqual(seen[0]?.sampling, {
      systemPrompt: "Be brief.",
      messages: [{ role: "user", text: "2 + 2?" }],
      maxTokens: 256,
      hasModel: false,
    });
    const [event] = told as (PlaneEvent & { type: "model.sampled" })[];
    assert.deepEqual(
      [event?.status, event?.model, event?.reason],
      ["answered", null, "a person answered"],
    );
  });

  test("a modern server is offered sampling in such a call, and in no other", async () => {
    await using plane = await open(modern);
    const steps = [{ tool: "echo_pid", arguments: {} }];
    const seen = answering(plane, {
      action: "accept",
      content: { text: JSON.stringify({ steps }) },
    });
    const planned = plannedIn(await plane.call("planner.plan_with_tools", { task: "t" }, asPerson));
    assert.equal(planned.steps.length, 1);
    const without = plannedIn(await plane.call("planner.plan_with_tools", { task: "t" }));
    assert.deepEqual([without.steps, seen.length], [[], 1]);
    await using denied = await open({ ...modern, sampling: { verdict: "deny" } });
    assert.deepEqual(
      plannedIn(await denied.call("planner.plan_with_tools", { task: "t" }, asPerson)).steps,
      [],
    );
  });

  test("an empty answer is refused and the question stays; a no reaches the server", async () => {
    await using plane = await open();
    plane.on("question.asked", async ({ questionId }) => {
      await assert.rejects(
        plane.questions.answer(questionId, { action: "accept", content: { text: "" } }),
        {
          code: "INVALID_ARGUMENTS",
        },
      );
      await plane.questions.answer(questionId, { action: "decline" });
    });
    const refused = await plane.call("fx.sample", { prompt: "x" }, asPerson);
    assert.match(String(textsOf(refused)), /a person declined/);
  });

  test("where the configuration asks first: they write it themselves, or let the model", async () => {
    await using model = await startScriptedModel({ responses: () => says("The model's.") });
    const models = { default: { baseURL: model.url, model: "scripted" } };
    await using plane = await open({ models, sampling: { verdict: "ask" } });
    const answers: QuestionAnswer[] = [
      { action: "accept", content: { text: "Mine." } },
      { action: "accept", content: {} },
    ];
    plane.on("question.asked", ({ questionId }) => {
      const answer = answers.shift() ?? { action: "cancel" };
      void plane.questions.answer(questionId, answer);
    });
    assert.match(
      String(textsOf(await plane.call("fx.sample", { prompt: "x" }, asPerson))),
      /Mine\./,
    );
    assert.equal(model.requests.length, 0);
    assert.match(
      String(textsOf(await plane.call("fx.sample", { prompt: "x" }, asPerson))),
      /The model's\./,
    );
  });

  test("other callers are refused at once", async () => {
    await using plane = await open();
    assert.match(
      String(textsOf(await plane.call("fx.sample", { prompt: "x" }))),
      /No model is configured/,
    );
    await using off = await open({ sampling: { enabled: false } });
    assert.match(
      String(textsOf(await off.call("fx.sample", { prompt: "x" }, asPerson))),
      /No model is configured/,
    );
    assert.deepEqual(await plane.questions.list(), []);
  });
});
