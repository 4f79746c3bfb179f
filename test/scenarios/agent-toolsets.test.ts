import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ScriptedResponse } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { agentWorld, sentTo, toldOf } from "./agent-world.ts";
import { callsAt, fixture, namedServer } from "./support.ts";

const call = (name: string, args: string, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args },
});
const says = (text: string): ScriptedResponse => ({ kind: "text", text });
const echo: ScriptedResponse = {
  kind: "tools",
  calls: [{ name: "echo", arguments: { message: "hi" } }],
};
const small = {
  toolsets: { small: { providers: ["fx"], allow_tools: ["echo", "slow"], timeout_sec: 1 } },
};

suite("a toolset", { concurrency: 2 }, () => {
  test("gives schemas under the tools' own names", async () => {
    await using world = await agentWorld([], { fx: fixture("echo") }, { config: small });
    const toolset = world.plane.toolset("small");
    const schemas = (await toolset.schemas()) as unknown as {
      type: string;
      function: { name: string };
    }[];
    assert.deepEqual(
      schemas.map((schema) => [schema.type, schema.function.name]),
      [
        ["function", "echo"],
        ["function", "slow"],
      ],
    );
    const anthropic = (await toolset.schemas("anthropic")) as unknown as { name: string }[];
    assert.deepEqual(
      anthropic.map(({ name }) => name),
      ["echo", "slow"],
    );
    await assert.rejects(
      toolset.schemas("cobol" as never),
      /'cobol' is not a tool format. Use one of openai/,
    );
  });

  test("answers a response with the assistant's message and one message for each call, in order", async () => {
    await using world = await agentWorld([], { fx: fixture("echo") }, { config: small });
    const toolset = world.plane.toolset("small");
    const message = {
      role: "assistant",
      content: null,
      reasoning_content: " hm ",
      tool_calls: [
        call("echo", '{"message":"a"}', "1"),
        call("echo", "", "2"),
        call("env", "{}", "3"),
        call("slow", '{"ms":60000}', "4"),
        call("echo", '{"message":"e"}'),
      ],
    };
    const response = { choices: [{ message }] };
    assert.equal(toolset.toolCallCount(response), 5);
    assert.equal(toolset.hasToolCalls(message), true);
    const [assistant, ...tools] = await toolset.processResponse(response);
    assert.deepEqual(
      [assistant.role, assistant.content, assistant.reasoning_content],
      ["assistant", "", "hm"],
    );
    assert.deepEqual(
      tools.slice(0, 4).map((answer) => answer.tool_call_id),
      ["1", "2", "3", "4"],
    );
    assert.equal(tools[4]?.tool_call_id, assistant.tool_calls?.[4]?.id);
    const texts = tools.map(({ content }) => String(content));
    assert.equal(texts[0], "a");
    assert.match(texts[1] ?? "", /^Error: .*message/);
    assert.match(texts[2] ?? "", /^Error: No tool 'env' can be called here.*There are: echo, slow/);
    assert.match(texts[3] ?? "", /^Error: .* 1 s.*\[TIMEOUT\]/);
    assert.equal(texts[4], "e");
  });

  test("answers a response without calls with its message alone", async () => {
    await using world = await agentWorld([], { fx: fixture("echo") }, { config: small });
    const toolset = world.plane.toolset("small");
    assert.deepEqual(
      await toolset.processResponse({ role: "assistant", content: " Yes. ", tool_calls: [] }),
      [{ role: "assistant", content: " Yes. " }],
    );
    await assert.rejects(toolset.processResponse({ choices: [] }), /'choices' holds no message/);
  });

  test("refuses a response without asking anybody", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using world = await agentWorld(
      [],
      { fx: fixture("echo", ["--log", log]) },
      { config: small },
    );
    const toolset = world.plane.toolset("small");
    const response = {
      role: "assistant",
      content: "x",
      tool_calls: [call("echo", "{}", "1"), call("nope", "{", "2")],
    };
    const [, ...usual] = toolset.refuseResponse(response);
    assert.deepEqual(
      usual.map((answer) => answer.tool_call_id),
      ["1", "2"],
    );
    assert.match(String(usual[0]?.content), /maximum number of tool-calling turns is reached/);
    assert.equal(toolset.refuseResponse(response, "Stop.")[1]?.content, "Stop.");
    assert.deepEqual(callsAt(log), []);
  });

  test("is another at once when it is registered again", async () => {
    await using world = await agentWorld([], { fx: fixture("echo") }, { config: small });
    const { plane } = world;
    const toolset = plane.toolset("small");
    plane.toolsets.register("small", { providers: ["fx"], allow_tools: ["pid"] });
    assert.match(JSON.stringify(await toolset.schemas()), /"pid"/);
    plane.toolsets.register("empty", { providers: ["fx"], allow_tools: [] });
    assert.deepEqual(await plane.toolset("empty").schemas(), []);
    assert.throws(
      () => plane.toolsets.register("x", { max_tool_call_turns: 0 }),
      /'x' cannot be registered/,
    );
  });

  test("says what is wrong with it before a model is asked", async () => {
    const servers = {
      one: namedServer("one", ["both", "alone"]),
      two: namedServer("two", ["both"]),
    };
    const toolsets = {
      both: { providers: ["one", "two"] },
      chosen: { providers: ["one", "two"], allow_tools: ["alone"] },
      named: { providers: ["one", "two"], allow_tools: ["two.both", "alone"] },
      missing: { providers: ["one"], allow_tools: ["alone", "gone", "lost", "al*", "zz*"] },
      stranger: { providers: ["tow"] },
    };
    await using world = await agentWorld([], servers, { config: { toolsets } });
    const { plane } = world;
    assert.throws(() => plane.toolset("chosn"), /No toolset 'chosn'.* Did you mean 'chosen'/);
    await assert.rejects(plane.agent.run("x", { toolset: "both" }), {
      code: "CONFIG_INVALID",
      message: /several tools of the same name: 'both' \(one, two\)/,
    });
    await assert.rejects(
      plane.agent.run("x", { toolset: "both" }),
      /Name the one you mean .* as 'one\.both'/,
    );
    assert.equal(((await plane.toolset("chosen").schemas()) as unknown[]).length, 1);
    assert.equal(((await plane.toolset("named").schemas()) as unknown[]).length, 2);
    await assert.rejects(
      plane.toolset("missing").schemas(),
      /none of its servers \(one\) has: 'gone', 'lost'/,
    );
    await assert.rejects(
      plane.toolset("stranger").schemas(),
      /'tow', which is not configured. Did you mean 'two'/,
    );
    assert.equal(world.model.requests.length, 0);
  });

  test("tells a model of its tools only, as often as its turns allow", async () => {
    const toolsets = { t: { providers: ["fx"], allow_tools: ["echo"], max_tool_call_turns: 1 } };
    let count = 0;
    const script = (): ScriptedResponse => ({
      kind: "tools",
      calls: [{ name: "echo", arguments: { message: `${count++}` } }],
    });
    await using world = await agentWorld(script, { fx: fixture("echo") }, { config: { toolsets } });
    const result = await world.plane.agent.run("Go.", { toolset: "t" });
    assert.deepEqual(toldOf(world.model, 0), ["echo"]);
    assert.equal(world.model.requests.length, 3);
    assert.equal(result.toolset, "t");
    await world.plane.agent.run("Go.", { toolset: "t" });
    assert.deepEqual(world.plane.toolset("t").usage(), {
      totalToolCalls: 6,
      totalToolCallTurns: 6,
      totalGenerations: 2,
      generationsWithTools: 2,
    });
  });
});

suite("a generation", { concurrency: 2 }, () => {
  const config = { toolsets: { t: { providers: ["fx"], allow_tools: ["echo"] } } };

  test("is corrected, then started again from what its tools said, until the parser is pleased", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using world = await agentWorld(
      [echo, says("no"), says("still no"), says("no again"), says("42")],
      { fx: fixture("echo", ["--log", log]) },
      { config },
    );
    const result = await world.plane.toolset("t").generate({
      prompt: "A number.",
      parser(text) {
        const number = Number(text);
        if (Number.isNaN(number)) throw new Error(`'${text}' is no number`);
        return number;
      },
      maxCorrectionSteps: 1,
      maxRestarts: 1,
    });
    assert.equal(result.value, 42);
    assert.deepEqual([result.corrections, result.restarts], [2, 1]);
    assert.equal(callsAt(log).length, 1);
    assert.match(
      String(sentTo(world.model, 2).messages.at(-1)?.content),
      /cannot be used: 'no' is no number/,
    );
    // The restart knows what the tool said and nothing of the answers that were refused.
    assert.deepEqual(
      sentTo(world.model, 3).messages.map(({ role }) => role),
      ["user", "assistant", "tool"],
    );
  });

  test("that never pleases the parser has failed, and says why", async () => {
    await using world = await agentWorld([says("no")], {});
    const result = await world.plane.agent.generate({
      prompt: "A number.",
      parser: () => assert.fail("nope"),
    });
    assert.equal(result.outcome, "failed");
    assert.equal(result.value, null);
    assert.match(result.error?.message ?? "", /no answer that can be used: nope/);
  });

  test("without a parser is the answer", async () => {
    await using world = await agentWorld([says("Yes.")], {});
    const result = await world.plane.agent.generate({ prompt: "Well?", system: "Be brief." });
    assert.equal(result.value, "Yes.");
    assert.deepEqual(sentTo(world.model, 0).messages[0], { role: "system", content: "Be brief." });
  });
});
