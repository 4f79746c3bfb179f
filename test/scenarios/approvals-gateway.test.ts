import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { HeldView } from "../../src/model/calls/held-schema.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { eventually } from "./approving.ts";
import { type Answers, type Message, startGateway } from "./gateway-client.ts";
import { callsAt, processFixture as fixture, runCli, writeConfig } from "./support.ts";

const rules = [{ tool: "echo.put_*", verdict: "ask", reason: "puts are looked at" }];
const elicitation = { elicitation: {} };
const note = { key: "k", text: "words" };

async function open(
  directory: TemporaryDirectory,
  capabilities: object,
  answers: Answers,
  more: object = { policy: { rules } },
) {
  const log = directory.file("log");
  const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) }, more);
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const client = await startGateway(place, capabilities, answers);
  const held = async () =>
    (await runCli(["approvals", "list", "--all", "--json", ...place])).json()
      .approvals as HeldView[];
  return { client, log, place, held, [Symbol.asyncDispose]: client[Symbol.asyncDispose] };
}

const accept = (content: object) => () => ({ action: "accept", content });

suite("approvals through an MCP client", { concurrency: 3 }, () => {
  test("the person at the client is asked with a form, and a yes runs the call", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await open(directory, elicitation, accept({ decision: "approve" }));
    assert.deepEqual(await plane.client.call("echo__put_note", note), {
      text: "stored k",
      isError: false,
    });
    const [question] = plane.client.asked;
    const { message, requestedSchema } = (question?.params ?? {}) as {
      message: string;
      requestedSchema: object;
    };
    assert.equal(question?.method, "elicitation/create");
    assert.match(message, /'echo\.put_note'.*puts are looked at.*"key": "k"/s);
    assert.deepEqual(Object.keys((requestedSchema as { properties: object }).properties), [
      "decision",
      "arguments",
      "reason",
    ]);
    assert.equal(callsAt(plane.log).length, 1);
    const [held] = await plane.held();
    assert.deepEqual([held?.status, held?.face], ["done", "mcp"]);
  });

  test("other arguments are checked, asked for again where they do not fit, and the model learns of them", async () => {
    await using directory = await temporaryDirectory();
    const edits = ["{", '{"key":7,"text":"t"}', '{"key":"other","text":"t"}'];
    await using plane = await open(directory, elicitation, () => ({
      action: "accept",
      content: { decision: "approve", arguments: edits.shift() },
    }));
    const { text } = await plane.client.call("echo__put_note", note);
    assert.match(text, /changed the arguments.*\n\{\n {2}"key": "other",/);
    assert.match(text, /stored other$/);
    const messages = plane.client.asked.map(({ params }) => String(params?.message));
    assert.equal(messages.length, 3);
    assert.match(messages[1] ?? "", /^The arguments are not a JSON object/);
    assert.match(messages[2] ?? "", /must be string/);
    assert.deepEqual(callsAt(plane.log), [
      { name: "put_note", arguments: { key: "other", text: "t" } },
    ]);
  });

  test("a client whose answers never fit is not asked without end, and the question stays open", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await open(directory, elicitation, accept({ confirmed: true }));
    const { text, isError } = await plane.client.call("echo__put_note", note);
    assert.equal(isError, true);
    assert.match(text, /APPROVAL_REQUIRED/);
    assert.equal(plane.client.asked.length, 10);
    const [held] = await plane.held();
    assert.equal(held?.status, "pending");
    assert.deepEqual(callsAt(plane.log), []);
  });

  for (const [title, answer, reason] of [
    [
      "a form that says no",
      { action: "accept", content: { decision: "reject", reason: "no" } },
      /: no\./,
    ],
    ["a client that declines", { action: "decline" }, /no reason was given/],
  ] as const) {
    test(`${title} is a no`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await open(directory, elicitation, () => answer);
      const { text, isError } = await plane.client.call("echo__put_note", note);
      assert.equal(isError, true);
      assert.match(text, /was not run.*APPROVAL_DENIED/);
      assert.match(text, reason);
      assert.doesNotMatch(text, /Do not call it again/);
      assert.deepEqual(callsAt(plane.log), []);
    });
  }

  test("a person who turns away leaves the question open, and the answer names it", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await open(directory, elicitation, () => ({ action: "cancel" }));
    const { text, isError } = await plane.client.call("echo__put_note", note);
    const [held] = await plane.held();
    assert.deepEqual([isError, held?.status], [true, "pending"]);
    assert.match(text, new RegExp(`approval '${held?.id}'. Call it again with the same arguments`));
    const approved = await runCli(["approvals", "approve", String(held?.id), ...plane.place]);
    assert.deepEqual([approved.code, approved.stdout], [0, "stored k\n"]);
    assert.equal(callsAt(plane.log).length, 1);
  });

  for (const capabilities of [{}, { elicitation: { url: {} } }]) {
    test(`a client that can show no form (${JSON.stringify(capabilities)}) learns how it goes on`, async () => {
      await using directory = await temporaryDirectory();
      const more = { policy: { rules }, approvals: { holdMs: 1 } };
      await using plane = await open(directory, capabilities, () => undefined, more);
      const { text } = await plane.client.call("echo__put_note", note);
      const [held] = await plane.held();
      assert.deepEqual([held?.status, held?.caller?.state], ["pending", "told"]);
      assert.match(
        text,
        new RegExp(`approval .${held?.id}.. Call it again with the same arguments`),
      );
      assert.deepEqual(plane.client.asked, []);
      assert.deepEqual(callsAt(plane.log), []);
    });
  }

  test("a person who takes longer than the client's request still answers with the form", async () => {
    await using directory = await temporaryDirectory();
    const more = { policy: { rules }, approvals: { holdMs: 1 } };
    await using plane = await open(directory, elicitation, () => undefined, more);
    const { client } = plane;
    const { text } = await client.call("echo__put_note", note);
    assert.match(text, /Call it again with the same arguments/);
    const question = await client.until(() => client.asked.at(0));
    client.send({
      id: question.id,
      result: { action: "accept", content: { decision: "approve" } },
    });
    await eventually("its run", async () => callsAt(plane.log)[0]);
    const collected = await eventually("the outcome", async () => {
      const [held] = await plane.held();
      return held?.status === "done" ? client.call("echo__put_note", note) : undefined;
    });
    assert.match(collected.text, /stored k$/);
    assert.equal(client.asked.length, 1);
    assert.equal(callsAt(plane.log).length, 1);
  });

  test("a call that is cancelled takes its question along", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await open(directory, elicitation, () => undefined);
    const { client } = plane;
    const { id } = client.begin("tools/call", { name: "echo__put_note", arguments: note });
    const question = await client.until(() => client.asked.at(0));
    client.send({ method: "notifications/cancelled", params: { requestId: id } });
    const cancelled = await client.until(() => cancellationIn(client.told));
    assert.equal(cancelled.params?.requestId, question.id);
    client.send({
      id: question.id,
      result: { action: "accept", content: { decision: "approve" } },
    });
    assert.deepEqual(await client.begin("ping", {}).answer.then(({ result }) => result), {});
    const [held] = await plane.held();
    assert.equal(held?.status, "cancelled");
    assert.deepEqual(callsAt(plane.log), []);
  });

  test("a question whose time is over is taken back", async () => {
    await using directory = await temporaryDirectory();
    const more = { policy: { rules }, approvals: { timeoutMs: 300 } };
    await using plane = await open(directory, elicitation, () => undefined, more);
    const { text } = await plane.client.call("echo__put_note", note);
    assert.match(text, /no answer came in time/);
    await plane.client.until(() => cancellationIn(plane.client.told));
  });

  test("a yes for the tool is remembered where no rule asks every time", async () => {
    await using directory = await temporaryDirectory();
    const more = { policy: { profile: "guarded" } };
    const answers = accept({ decision: "approve", remember: true });
    await using plane = await open(directory, elicitation, answers, more);
    await plane.client.call("echo__put_note", note);
    assert.equal((await plane.client.call("echo__put_note", note)).text, "stored k");
    assert.equal(plane.client.asked.length, 1);
  });
});

const cancellationIn = (told: readonly Message[]) =>
  told.find(({ method }) => method === "notifications/cancelled");
