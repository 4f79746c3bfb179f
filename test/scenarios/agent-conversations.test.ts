import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { principalOf } from "../../src/index.ts";
import type { ScriptedResponse } from "../fixtures/llm-script.ts";
import { scaledMs } from "../fixtures/patience.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { agentWorld, sentTo, toldOf } from "./agent-world.ts";
import { fixture } from "./support.ts";

const asks = (name: string, args: Record<string, unknown> = {}): ScriptedResponse => ({
  kind: "tools",
  calls: [{ name, arguments: args as never }],
});
const says = (text: string): ScriptedResponse => ({ kind: "text", text });
const put = asks("fx__put_note", { key: "k", text: "t" });

suite("a conversation with an agent", { concurrency: 2 }, () => {
  test("goes on with the history that was returned, in another style too", async () => {
    await using world = await agentWorld(
      [
        asks("fx__echo", { message: "blue" }),
        says("It is blue."),
        says("I said blue."),
        says("Thought: I know.\nFinal Answer: Still blue."),
      ],
      { fx: fixture("echo") },
    );
    const first = await world.plane.agent.run("Which colour?");
    const second = await world.plane.agent.run("What did you say?", { history: first.history });
    assert.equal(second.answer, "I said blue.");
    assert.deepEqual(
      sentTo(world.model, 2).messages.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user"],
    );
    const third = await world.plane.agent.run("And now?", {
      history: second.history,
      style: "react",
    });
    assert.equal(third.answer, "Still blue.");
    assert.equal(third.history.length, 8);
  });

  test("that broke off in a call goes on with what is known of it", async () => {
    await using world = await agentWorld([says("Well.")], {});
    const call = { id: "c1", type: "function" as const, function: { name: "x", arguments: "{}" } };
    await world.plane.agent.run("And?", {
      history: [
        { role: "user", content: "Do it." },
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "assistant", content: "Hm", tool_calls: [] },
      ],
    });
    const { messages } = sentTo(world.model, 0);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user"],
    );
    assert.match(String(messages[2]?.content), /^Interrupted/);
    assert.equal(messages[3]?.tool_calls, undefined);
  });

  test("is not begun with a history that is none", async () => {
    await using world = await agentWorld([], {});
    for (const history of [
      {},
      ["hello"],
      [{ role: "robot", content: "x" }],
      [{ role: "tool", content: "x" }],
    ])
      await assert.rejects(world.plane.agent.run("x", { history: history as never }), {
        code: "USAGE",
      });
  });

  test("offers in each turn what its groups and its state allow", async () => {
    await using world = await agentWorld(
      [asks("fx__echo", { message: "a" }), asks("fx__cwd"), asks("fx__fail"), says("Done.")],
      { fx: fixture("echo") },
      {
        config: {
          overlays: {
            "fx.echo": { group: ["work"], "applicable-states": ["start"], state: "found" },
            "fx.cwd": { group: ["work"], "applicable-states": ["found"] },
            "fx.fail": { group: ["work"], "applicable-states": ["found"], state: "over" },
          },
        },
      },
    );
    const result = await world.plane.agent.run("Work.", { toolGroups: ["work"], state: "start" });
    assert.deepEqual(
      [0, 1, 2, 3].map((at) => toldOf(world.model, at)),
      [["fx__echo"], ["fx__cwd", "fx__fail"], ["fx__cwd", "fx__fail"], ["fx__cwd", "fx__fail"]],
    );
    // What failed leads nowhere.
    assert.equal(result.state, "found");
  });

  test("is for those who may call, with the tools that are theirs", async () => {
    await using world = await agentWorld([says("Hello.")], {
      fx: fixture("echo", [], { groups: ["ops"] }),
    });
    const reader = principalOf({ user: "rea", scopes: ["read"] });
    await assert.rejects(world.plane.agent.run("Hi.", { principal: reader }), {
      code: "FORBIDDEN",
    });
    const result = await world.plane.agent.run("Hi.", { principal: principalOf({ user: "ann" }) });
    assert.equal(result.user, "ann");
    assert.deepEqual(toldOf(world.model, 0), []);
  });
});

suite("a call of an agent that a person has to agree to", { concurrency: 2 }, () => {
  const config = { policy: { rules: [{ tool: "fx.put_*", verdict: "ask" as const }] } };

  test("is asked about where the agent was started", async () => {
    await using world = await agentWorld(
      [put, says("Stored.")],
      { fx: fixture("echo") },
      { config },
    );
    const asked: string[] = [];
    const result = await world.plane.agent.run("Store it.", {
      async askHere(held) {
        asked.push(held.tool);
        return { decision: "approve" };
      },
    });
    assert.deepEqual(asked, ["fx.put_note"]);
    assert.equal(result.steps[0]?.calls[0]?.status, "succeeded");
  });

  test("waits for an answer as long as it was said, and runs when it comes", async () => {
    await using world = await agentWorld(
      [put, says("Stored.")],
      { fx: fixture("echo") },
      { config },
    );
    const { plane } = world;
    const answers: Promise<unknown>[] = [];
    plane.on("approval.requested", ({ approvalId }) => {
      answers.push(plane.approvals.answer(approvalId, { decision: "approve" }));
    });
    const result = await plane.agent.run("Store it.", { approvalWaitMs: 60_000 });
    await Promise.all(answers);
    assert.equal(result.steps[0]?.calls[0]?.status, "succeeded");
  });

  test("is not waited for longer than leaves time for an answer", async () => {
    await using world = await agentWorld(
      [put, says("It waits.")],
      { fx: fixture("echo") },
      { config },
    );
    // A fifth of it is left for the answer.
    const timeoutMs = scaledMs(5_000);
    const result = await world.plane.agent.run("Store it.", { approvalWaitMs: 600_000, timeoutMs });
    assert.equal(result.answer, "It waits.");
    assert.equal(result.steps[0]?.calls[0]?.status, "waiting");
    const [held] = await world.plane.approvals.list();
    assert.equal(held?.status, "pending");
  });

  test("is an observation that says so when no one answers, and so is a no", async () => {
    await using world = await agentWorld(
      [put, says("It waits.")],
      { fx: fixture("echo") },
      { config },
    );
    const waiting = await world.plane.agent.run("Store it.");
    assert.equal(waiting.steps[0]?.calls[0]?.status, "waiting");
    assert.match(String(waiting.history[2]?.content), /needs a person's yes.*Do not call it again/);
    await using other = await agentWorld([put, says("No.")], { fx: fixture("echo") }, { config });
    const refused = await other.plane.agent.run("Store it.", {
      askHere: async () => ({ decision: "reject", reason: "not today" }),
    });
    assert.match(String(refused.history[2]?.content), /not today/);
  });

  test("is queued in plan mode, and the agent goes on without it", async () => {
    await using world = await agentWorld([put, says("Planned.")], { fx: fixture("echo") });
    const result = await world.plane.agent.run("Store it.", { mode: "plan" });
    assert.equal(result.answer, "Planned.");
    assert.match(String(result.history[2]?.content), /PLAN MODE.*queued for approval/);
  });

  test("is no person's own call: what asks for consent is asked about, also where a person started the agent", async () => {
    await using world = await agentWorld([put, says("It waits.")], {
      fx: fixture("echo", [], { requires_consent: true }),
    });
    const result = await world.plane.agent.run("Store it.", { face: "cli" });
    assert.equal(result.steps[0]?.calls[0]?.status, "waiting");
  });
});

test("a plane that stops ends its agents, and keeps what they did", async () => {
  await using directory = await temporaryDirectory();
  const { path: dataDirectory } = directory;
  const world = await agentWorld([{ kind: "hang", text: "Let me th" }], {}, { dataDirectory });
  const heard = Promise.withResolvers<void>();
  const running = world.plane.agent.run("Hello?", { onMessage: () => heard.resolve() });
  await heard.promise;
  await world.plane.stop();
  const { id, outcome } = await running;
  assert.equal(outcome, "cancelled");
  await world.model.close();
  await using later = await agentWorld([], {}, { dataDirectory });
  assert.equal((await later.plane.runs.get(id)).outcome, "cancelled");
});
