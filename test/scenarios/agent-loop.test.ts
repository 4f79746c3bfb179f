import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { AgentMessage } from "../../src/index.ts";
import { type ScriptedResponse, stubbornScript } from "../fixtures/llm-script.ts";
import { patientSeconds } from "../fixtures/patience.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { agentWorld, sentTo, toldOf } from "./agent-world.ts";
import { callsAt, fixture } from "./support.ts";

const echo = (message: string, id?: string | null) => ({
  name: "fx__echo",
  arguments: { message },
  ...(id === undefined ? {} : { id }),
});

const asks = (
  ...calls: Extract<ScriptedResponse, { kind: "tools" }>["calls"]
): ScriptedResponse => ({
  kind: "tools",
  calls,
});
const says = (text: string): ScriptedResponse => ({ kind: "text", text });

suite("an agent", { concurrency: 2 }, () => {
  test("answers with what its tools said, and tells what it does as it comes", async () => {
    await using world = await agentWorld(
      [
        { kind: "tools", reasoning: " I look. ", calls: [echo("one"), echo("two")] },
        { kind: "text", text: "One and two." },
      ],
      { fx: fixture("echo") },
    );
    const told: AgentMessage[] = [];
    const result = await world.plane.agent.run("What is there?", {
      onMessage: (piece) => told.push(piece),
    });
    assert.equal(result.outcome, "completed");
    assert.equal(result.answer, "One and two.");
    assert.equal(result.turns, 1);
    const { messages } = sentTo(world.model, 1);
    assert.deepEqual(
      messages.slice(2).map(({ role, content }) => [role, content]),
      [
        ["tool", "one"],
        ["tool", "two"],
      ],
    );
    const kinds = told.filter(({ end }) => end).map(({ type }) => type);
    assert.deepEqual(kinds, [
      "thought",
      "action",
      "action",
      "observation",
      "observation",
      "answer",
    ]);
    assert.deepEqual(
      told.filter(({ endOfDialog }) => endOfDialog).map(({ type }) => type),
      ["answer"],
    );
    assert.equal(new Set(told.map(({ id }) => id)).size, 6);
  });

  test("is refused once, asked once more without tools, and then it is over, however stubborn it is", async () => {
    let count = 0;
    await using world = await agentWorld(() => asks(echo(`again ${count++}`)), {
      fx: fixture("echo"),
    });
    const result = await world.plane.agent.run("Go on for ever.", { maxTurns: 3 });
    assert.equal(world.model.requests.length, 5);
    assert.equal(result.outcome, "max-iterations");
    assert.equal(result.answer, null);
    assert.equal(result.turns, 3);
    assert.deepEqual(
      result.steps.map(({ offered, refused }) => [offered > 0, refused]),
      [
        [true, false],
        [true, false],
        [true, false],
        [true, true],
        [false, true],
      ],
    );
    assert.deepEqual(result.counters, {
      totalToolCalls: 5,
      totalToolCallTurns: 5,
      totalGenerations: 1,
      generationsWithTools: 1,
    });
    assert.match(
      String(sentTo(world.model, 4).messages.at(-1)?.content),
      /maximum number of tool-calling turns/,
    );
    assert.deepEqual(toldOf(world.model, 4), []);
  });

  test("that may call nothing any more gives the best answer it has", async () => {
    let count = 0;
    const script = (body: { tools?: unknown }) =>
      body.tools === undefined ? says("As far as I know: two.") : asks(echo(`again ${count++}`));
    await using world = await agentWorld(script, { fx: fixture("echo") });
    const result = await world.plane.agent.run("How many?", { maxTurns: 1 });
    assert.equal(result.outcome, "max-iterations");
    assert.equal(result.answer, "As far as I know: two.");
    assert.match(
      String(sentTo(world.model, 2).messages[0]?.content),
      /No tools can be called any more/,
    );
  });

  test("that asks for the same again gets what it got, and is asked to close", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using world = await agentWorld(
      (body) => (body.tools === undefined ? says("Done.") : asks(echo("same"), echo("same"))),
      { fx: fixture("echo", ["--log", log]) },
    );
    const result = await world.plane.agent.run("Say it.");
    assert.equal(result.outcome, "completed");
    assert.equal(result.answer, "Done.");
    assert.equal(world.model.requests.length, 3);
    assert.equal(callsAt(log).length, 1);
    assert.deepEqual(
      result.steps.flatMap(({ calls }) => calls.map(({ status }) => status)),
      ["succeeded", "repeated", "repeated", "repeated"],
    );
  });

  test("reads again what something else may have changed", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const write = (text: string) => ({ name: "fx__write_note", arguments: { text } });
    const read = { name: "fx__echo", arguments: { message: "read" } };
    await using world = await agentWorld(
      [
        asks(read),
        asks(write("on")),
        asks(read),
        asks(write("off")),
        asks(write("on")),
        says("Done."),
      ],
      { fx: fixture("echo", ["--log", log], { trusted: true }) },
    );
    const result = await world.plane.agent.run("Switch it.", { maxTurns: 9 });
    assert.equal(result.answer, "Done.");
    assert.equal(callsAt(log).length, 5);
  });

  test("learns from every mistake what it can do next", async () => {
    await using world = await agentWorld(
      [
        asks(
          { name: "fx__ecko", arguments: { message: "x" } },
          { name: "fx__echo", arguments: "{ this is not JSON" },
          { name: "fx__echo", arguments: "[1]" },
          { name: "fx__echo", arguments: {} },
          { name: "fx__fail", arguments: {} },
        ),
        says("I have learned."),
      ],
      { fx: fixture("echo") },
    );
    const result = await world.plane.agent.run("Make mistakes.");
    assert.equal(result.answer, "I have learned.");
    const [unknown, broken, list, missing, failed] = sentTo(world.model, 1)
      .messages.slice(2)
      .map(({ content }) => String(content));
    assert.match(
      unknown ?? "",
      /^Error: No tool 'fx__ecko' can be called here. Did you mean 'fx__echo'\?/,
    );
    assert.match(broken ?? "", /^Error: .* not valid JSON/);
    assert.match(list ?? "", /^Error: .*must be a JSON object, not a list/);
    assert.match(missing ?? "", /^Error: .*message/);
    assert.match(failed ?? "", /^Error: /);
  });

  test("gives calls ids where the model forgot them or used one twice", async () => {
    await using world = await agentWorld(
      [asks(echo("a", null), echo("b", "x"), echo("c", "x")), says("ok")],
      {
        fx: fixture("echo"),
      },
    );
    const { history } = await world.plane.agent.run("Three calls.");
    const ids = history.flatMap((message) =>
      message.role === "tool" ? [message.tool_call_id] : [],
    );
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(
      history.flatMap((message) => (message.role === "tool" ? [message.content] : [])),
      ["a", "b", "c"],
    );
  });

  test("makes fifty calls side by side and keeps their order", async () => {
    const calls = Array.from({ length: 50 }, (_, at) => echo(`number ${at}`));
    await using world = await agentWorld([asks(...calls), says("Fifty.")], { fx: fixture("echo") });
    const { history, outcome } = await world.plane.agent.run("Fifty calls.");
    assert.equal(outcome, "completed");
    assert.deepEqual(
      history.flatMap((message) => (message.role === "tool" ? [message.content] : [])),
      calls.map((call) => call.arguments.message),
    );
  });

  test("makes no more calls than it may, and says so to the model", async () => {
    await using world = await agentWorld(
      (body) =>
        body.tools === undefined ? says("Enough.") : asks(echo("a"), echo("b"), echo("c")),
      { fx: fixture("echo") },
    );
    const result = await world.plane.agent.run("Many calls.", { maxCalls: 2 });
    assert.deepEqual(
      result.steps[0]?.calls.map(({ status }) => status),
      ["succeeded", "succeeded", "refused"],
    );
    assert.equal(result.answer, "Enough.");
  });

  test("takes a megabyte of arguments", async () => {
    const message = "x".repeat(1_000_000);
    await using world = await agentWorld([asks(echo(message)), says("Long.")], {
      fx: fixture("echo"),
    });
    const result = await world.plane.agent.run("A long call.");
    assert.equal(result.outcome, "completed");
    assert.equal(result.steps[0]?.calls[0]?.status, "succeeded");
    // The result is too large to be shown whole, and from then on the model knows how to read it.
    assert.deepEqual(
      [toldOf(world.model, 0), toldOf(world.model, 1)].map((names) =>
        names.includes("read_result"),
      ),
      [false, true],
    );
  });
});

suite("an agent whose model or caller goes away", { concurrency: 2 }, () => {
  test("ends with what broke off, and keeps what was said until then", async () => {
    await using world = await agentWorld(
      [asks(echo("a")), { kind: "broken", text: "The answer is f" }],
      {
        fx: fixture("echo"),
      },
    );
    const result = await world.plane.agent.run("What is it?", { trace: "all_messages" });
    assert.equal(result.outcome, "failed");
    assert.match(
      result.error?.message ?? "",
      /^Model 'default' failed: it broke off in the middle of its answer/,
    );
    assert.equal(result.answer, null);
    assert.equal(result.steps.length, 2);
    assert.deepEqual(result.messages.at(-1), {
      role: "assistant",
      content: [{ type: "text", text: "The answer is f" }],
    });
  });

  test("asks again where the endpoint is overloaded, and not where it does not know the key", async () => {
    const busy: ScriptedResponse = {
      kind: "error",
      status: 429,
      message: "sk-secret is busy",
      headers: { "retry-after": "0" },
    };
    await using patient = await agentWorld([busy, busy, says("Now.")], {});
    assert.equal((await patient.plane.agent.run("When?")).answer, "Now.");
    await using locked = await agentWorld(
      [{ kind: "error", status: 401, message: "sk-secret is wrong" }],
      {},
    );
    const result = await locked.plane.agent.run("Why?");
    assert.equal(result.outcome, "failed");
    assert.match(result.error?.message ?? "", /does not take its key/);
    assert.doesNotMatch(JSON.stringify(result), /sk-secret/);
    assert.equal(locked.model.requests.length, 1);
  });

  test("ends when its time is over, whatever the model does", async () => {
    await using world = await agentWorld([{ kind: "hang", text: "Let me th" }], {});
    const limitSeconds = patientSeconds(1);
    const result = await world.plane.agent.run("Hello?", { timeoutMs: limitSeconds * 1_000 });
    assert.equal(result.outcome, "budget");
    assert.equal(result.error?.code, "BUDGET_EXCEEDED");
    assert.match(result.error?.message ?? "", new RegExp(`used its ${limitSeconds} s`));
    assert.deepEqual(result.history.at(-1), { role: "assistant", content: "Let me th" });
  });

  test("says of a call that was under way that it was interrupted", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using world = await agentWorld([asks({ name: "fx__slow", arguments: { ms: 60_000 } })], {
      fx: fixture("echo", ["--log", log]),
    });
    const leaving = new AbortController();
    const running = world.plane.agent.run("Take your time.", { signal: leaving.signal });
    await until("the call", () => callsAt(log).length === 1);
    leaving.abort();
    const result = await running;
    assert.equal(result.outcome, "cancelled");
    assert.equal(result.steps[0]?.calls[0]?.status, "interrupted");
    assert.match(String(result.history.at(-1)?.content), /^Interrupted: /);
  });

  test("is not begun with a question, a model or a budget that makes no sense", async () => {
    await using world = await agentWorld([], {});
    const { plane } = world;
    await assert.rejects(plane.agent.run(" "), { code: "USAGE" });
    await assert.rejects(
      plane.agent.run("x", { model: "defalt" }),
      /No model 'defalt'.* Did you mean 'default'/,
    );
    await assert.rejects(plane.agent.run("x", { maxTurns: 0 }), { code: "USAGE" });
    await assert.rejects(
      plane.agent.run("x", { toolset: "none" }),
      /No toolset 'none' is configured/,
    );
    assert.equal(world.model.requests.length, 0);
  });
});

test("a stubborn model that always asks for the same ends sooner", async () => {
  await using world = await agentWorld(stubbornScript("fx__echo"), { fx: fixture("echo") });
  const result = await world.plane.agent.run("Go on.");
  assert.equal(world.model.requests.length, 3);
  assert.equal(result.outcome, "max-iterations");
});
