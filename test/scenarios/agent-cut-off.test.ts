import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ScriptedResponse } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { agentWorld, sentTo } from "./agent-world.ts";
import { callsAt, fixture } from "./support.ts";

const says = (text: string, finish?: string): ScriptedResponse => ({
  kind: "text",
  text,
  ...(finish === undefined ? {} : { finish }),
});
const asks = (name: string, args: string, finish?: string): ScriptedResponse => ({
  kind: "tools",
  calls: [{ name, arguments: args }],
  ...(finish === undefined ? {} : { finish }),
});

/** What the tools said to the model, in the given request. */
function observedIn(world: Awaited<ReturnType<typeof agentWorld>>, request: number): string[] {
  const { messages } = sentTo(world.model, request);
  return messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

suite("a model that is cut off", { concurrency: 2 }, () => {
  test("never has half a note written: it gets an error, and asks again", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using world = await agentWorld(
      [
        asks("fx__write_note", '{"text":"half a no', "length"),
        asks("fx__write_note", '{"text":"half a no'),
        asks("fx__write_note", "", "length"),
        asks("fx__write_note", "{'text': 'a whole note',}"),
        says("Written."),
      ],
      { fx: fixture("echo", ["--log", log]) },
    );
    const { outcome, steps } = await world.plane.agent.run("Write it down.");
    assert.equal(outcome, "completed");
    assert.deepEqual(callsAt(log), [{ name: "write_note", arguments: { text: "a whole note" } }]);
    const [cut = "", open = "", none = "", respelt = ""] = observedIn(world, 4);
    assert.match(cut, /^Error: 'fx__write_note' was not run: your reply was cut off/);
    assert.match(
      open,
      /^Error: The arguments of 'fx__write_note' were cut off.*Give them whole\. \[INVALID/,
    );
    assert.match(none, /your reply was cut off/);
    assert.match(
      respelt,
      /Note: The arguments were no valid JSON \(single quotes, a comma too many\)/,
    );
    assert.deepEqual(
      steps.map(({ finish }) => finish),
      ["length", "tool-calls", "length", "tool-calls", "stop"],
    );
  });

  test("may still read with what it said, and learns that it was completed", async () => {
    await using world = await agentWorld([asks("fx__echo", '{"message":"hi the'), says("Ok.")], {
      fx: fixture("echo"),
    });
    await world.plane.agent.run("Echo.");
    assert.match(observedIn(world, 1)[0] ?? "", /^hi the\nNote: The arguments were cut off/);
  });

  test("has an answer that says that it is cut off, in the result and in its trace", async () => {
    await using world = await agentWorld([says("The first of", "length")], {});
    const { id, outcome, answer, truncated } = await world.plane.agent.run("Tell.");
    assert.deepEqual([outcome, answer, truncated], ["completed", "The first of", true]);
    const { text } = await world.plane.runs.render(id, "text");
    assert.match(text, /the answer was cut off at the model's limit/);
    assert.match(text, /length/);
  });

  test("is not cut off where the model refused to go on", async () => {
    await using world = await agentWorld([says("I can say so much", "content_filter")], {});
    const { id, truncated, refused } = await world.plane.agent.run("Tell.");
    assert.deepEqual([truncated, refused], [undefined, true]);
    const { text } = await world.plane.runs.render(id, "text");
    assert.match(text, /the model refused to go on/);
    assert.doesNotMatch(text, /cut off at the model's limit/);
  });

  test("is heard up to a limit where it never ends", async () => {
    await using world = await agentWorld([says("word ".repeat(500_000))], {});
    const { answer, truncated, usage } = await world.plane.agent.run("Tell.");
    assert.ok((answer?.length ?? 0) <= 1_000_000);
    assert.equal(truncated, true);
    assert.ok(usage.totalTokens > 100_000, "what was heard is counted");
  });

  test("and says nothing is asked once more, and then it has failed", async () => {
    for (const [finish, what] of [
      ["stop", "said nothing"],
      ["content_filter", "was stopped by its content filter"],
    ] as const)
      for (const style of ["tools", "react"] as const) {
        await using world = await agentWorld(() => says("", finish), { fx: fixture("echo") });
        const { outcome, error } = await world.plane.agent.run("Tell.", { style });
        assert.equal(outcome, "failed");
        assert.match(
          error?.message ?? "",
          new RegExp(`^Model 'default' ${what}, twice in a row\\.`),
        );
        assert.equal(world.model.requests.length, 2);
      }
  });

  test("does not run a written action whose arguments were to come", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using world = await agentWorld(
      [says("Thought: a\nAction: fx__do_it_now", "length"), says("Final Answer: Not done.")],
      { fx: fixture("echo", ["--log", log]) },
    );
    const { answer } = await world.plane.agent.run("Do it.", { style: "react" });
    assert.equal(answer, "Not done.");
    assert.deepEqual(callsAt(log), []);
    assert.match(JSON.stringify(sentTo(world.model, 1).messages), /cut off before its Args/);
  });
});

suite("a model that is inexact", { concurrency: 2 }, () => {
  const config = { toolsets: { mine: { providers: ["fx"], allow_tools: ["echo"] } } };

  test("may call a tool by any of its names, where one tool is meant", async () => {
    const names = ["fx.echo", "fx__echo", "functions.echo", "mcp__fx__echo"];
    await using world = await agentWorld(
      [
        { kind: "tools", calls: names.map((name) => ({ name, arguments: { message: name } })) },
        { kind: "tools", calls: [{ name: "other.ecko", arguments: {} }] },
        says("Done."),
      ],
      { fx: fixture("echo") },
      { config },
    );
    await world.plane.agent.run("Echo.", { toolset: "mine" });
    assert.deepEqual(observedIn(world, 1), names);
    assert.match(observedIn(world, 2).at(-1) ?? "", /Did you mean 'echo'\?/);
  });

  test("learns that it named no tool, and goes on", async () => {
    const calls = [{ name: "", arguments: {} }];
    await using world = await agentWorld(
      [{ kind: "tools", calls }, says("Done.")],
      { fx: fixture("echo") },
      { config },
    );
    const { outcome } = await world.plane.agent.run("Echo.", { toolset: "mine" });
    assert.equal(outcome, "completed");
    assert.deepEqual(observedIn(world, 1), ["Error: A call names no tool. There are: echo."]);
  });

  test("reads of its mistakes under the name that it used", async () => {
    await using world = await agentWorld(
      [asks("echo", '{"message" "x"}'), asks("echo", "{}"), says("Done.")],
      { fx: fixture("echo") },
      { config },
    );
    await world.plane.agent.run("Echo.", { toolset: "mine" });
    const [broken, unfit] = observedIn(world, 2);
    assert.match(
      broken ?? "",
      /^Error: The arguments of 'echo' are not valid JSON: they break at position 11/,
    );
    assert.match(unfit ?? "", /^Error: The arguments of 'echo' are invalid: .*missing 'message'/);
  });

  test("may give every call the same id: in the conversation each has its own", async () => {
    const again = (message: string): ScriptedResponse => ({
      kind: "tools",
      calls: [{ id: "call_0", name: "echo", arguments: { message } }],
    });
    await using world = await agentWorld(
      [again("a"), again("b"), says("Done."), says("Yes.")],
      { fx: fixture("echo") },
      { config },
    );
    const { history } = await world.plane.agent.run("Echo.", { toolset: "mine" });
    const ids = history.flatMap((message) =>
      message.role === "tool" ? [message.tool_call_id] : [],
    );
    assert.equal(new Set(ids).size, 2);
    const same = JSON.parse(JSON.stringify(history).replaceAll(ids[1] ?? "", "call_0"));
    await world.plane.agent.run("And?", { toolset: "mine", history: same });
    const sent = sentTo(world.model, 3).messages;
    const asked = sent.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => (call as { id: string }).id),
    );
    const answered = sent.flatMap(({ tool_call_id = [] }) => tool_call_id);
    assert.equal(new Set(asked).size, 2);
    assert.deepEqual(answered, asked);
    assert.deepEqual(observedIn(world, 3), ["a", "b"]);
  });
});

test("calls that a turn has no budget for end the run as one that was stopped by it", async () => {
  const calls = ["a", "b", "c", "d", "e"].map((message) => ({
    name: "fx__echo",
    arguments: { message },
  }));
  await using world = await agentWorld([{ kind: "tools", calls }, says("Two of five.")], {
    fx: fixture("echo"),
  });
  const { outcome, answer, steps } = await world.plane.agent.run("Echo.", { maxCalls: 2 });
  assert.deepEqual([outcome, answer], ["budget", "Two of five."]);
  const statuses = steps[0]?.calls.map(({ status }) => status);
  assert.deepEqual(statuses, ["succeeded", "succeeded", "refused", "refused", "refused"]);
  assert.equal(sentTo(world.model, 1).tools, undefined, "it is to close");
});

test("what a server asks of a model in a run is counted to it, and refused when its tokens are used up", async () => {
  const sample = (body: object) => JSON.stringify(body).includes('"2 + 2?"') && !("tools" in body);
  let asked = 0;
  await using world = await agentWorld(
    (body) => {
      if (sample(body)) return says("Four.");
      asked += 1;
      return asked === 1
        ? asks("fx__sample", '{"prompt":"2 + 2?","times":3}')
        : says("It is four.");
    },
    { fx: fixture("sample") },
  );
  const { usage, steps } = await world.plane.agent.run("Ask.", { maxTokens: 40 });
  assert.deepEqual(steps[0]?.sampled, { inputTokens: 20, outputTokens: 10, totalTokens: 30 });
  assert.equal(usage.totalTokens, 60);
});

test("a toolset that says nothing of turns has those of the style", async () => {
  const config = { toolsets: { mine: { providers: ["fx"] } } };
  for (const [style, turns] of [
    ["tools", 5],
    ["react", 10],
  ] as const) {
    let n = 0;
    await using world = await agentWorld(
      (body) => {
        n += 1;
        if (style === "react") return says(`Thought: on\nAction: echo\nArgs: {"message": "${n}"}`);
        return "tools" in body ? asks("echo", `{"message":"${n}"}`) : says("Over.");
      },
      { fx: fixture("echo") },
      { config },
    );
    const { outcome, turns: got } = await world.plane.agent.run("Go on.", {
      toolset: "mine",
      style,
    });
    assert.deepEqual([outcome, got], ["max-iterations", turns], style);
  }
});
