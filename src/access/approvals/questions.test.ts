import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, settled, useMockedTime } from "../../../test/samples/mocked-time.ts";
import { checkSchema } from "../../calls/schema-check.ts";
import type { QuestionAnswer } from "../../model/calls/provider.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { Json, JsonObject, UnknownObject } from "../../model/json.ts";
import { type Principal, principalOf } from "../../model/principal.ts";
import { createQuestions } from "./questions.ts";

const person = {
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: "integer" },
    mail: { type: "boolean", default: false },
  },
  required: ["name", "age"],
};

const of = (user: string | null) => principalOf({ user });

function sample(
  problems = async (schema: JsonObject, value: Json) =>
    checkSchema(schema, value).map(({ path, message }) => `${path} ${message}`),
) {
  const events: PlaneEvent[] = [];
  const questions = createQuestions({ emit: (event) => events.push(event), problems });
  const ask = (
    params: UnknownObject,
    { user = "ada", signal = new AbortController().signal } = {},
  ) => {
    const asked = { callId: "call-1", server: "s", tool: "s.t", user, params };
    return questions.ask(asked, signal, of(user));
  };
  const only = (user: string | null = "ada") =>
    questions.waiting(of(user))[0] ?? assert.fail("nothing is asked");
  const answer = (given: QuestionAnswer, user: string | null = "ada") =>
    questions.answer(only().id, given, of(user));
  return { questions, events, ask, only, answer };
}

suite("questions", () => {
  useMockedTime();

  test("a question waits for the one who called, with what is asked and until when", () => {
    const { questions, only, ask, events } = sample();
    void ask({ message: "Who?", requestedSchema: person });
    const { id, askedAt, expiresAt, ...question } = only();
    assert.deepEqual(question, {
      callId: "call-1",
      server: "s",
      tool: "s.t",
      user: "ada",
      message: "Who?",
      schema: person,
      url: null,
    });
    assert.equal(Date.parse(expiresAt) - Date.parse(askedAt), 300_000);
    assert.deepEqual(questions.waiting(of("bob")), []);
    assert.deepEqual(questions.waiting(of(null)), []);
    assert.deepEqual(events, [
      { type: "question.asked", questionId: id, callId: "call-1", server: "s", tool: "s.t" },
    ]);
  });

  test("another key of the same user neither sees nor answers a question, and its presence counts for nothing", async () => {
    const { questions } = sample();
    const [strong, weak] = ["k1", "k2"].map((key) => principalOf({ user: "ada", key })) as [
      Principal,
      Principal,
    ];
    const asked = {
      callId: "c",
      server: "s",
      tool: "s.t",
      user: "ada",
      params: { message: "Who?" },
    };
    void questions.ask(asked, new AbortController().signal, strong);
    assert.deepEqual(questions.waiting(weak), []);
    assert.equal(questions.isListening(strong), false);
    const [question] = questions.waiting(strong);
    assert.equal(questions.isListening(strong), true);
    const id = String(question?.id);
    await assert.rejects(questions.answer(id, { action: "decline" }, weak), { code: "FORBIDDEN" });
    await questions.answer(id, { action: "decline" }, strong);
  });

  test("an answer reaches the server with the defaults of what was left out, and is over then", async () => {
    const { questions, ask, only, answer, events } = sample();
    const told = ask({ message: "Who?", requestedSchema: person });
    const { id } = only();
    await answer({ action: "accept", content: { name: "Ada", age: 36 } });
    assert.deepEqual(await told, {
      action: "accept",
      content: { name: "Ada", age: 36, mail: false },
    });
    assert.deepEqual(questions.waiting(of("ada")), []);
    assert.deepEqual(events.at(-1), {
      type: "question.answered",
      questionId: id,
      callId: "call-1",
      action: "accept",
    });
    await assert.rejects(questions.answer(id, { action: "decline" }, of("ada")), {
      code: "NOT_FOUND",
    });
  });

  for (const action of ["decline", "cancel"] as const) {
    test(`'${action}' needs no content, and what is given with it is not passed on`, async () => {
      const { ask, answer } = sample();
      const told = ask({ message: "Who?", requestedSchema: person });
      await answer({ action, content: { name: 7 } });
      assert.deepEqual(await told, { action });
    });
  }

  test("an answer that does not fit is refused with the reason, and the question still waits", async () => {
    const { questions, ask, answer } = sample();
    const told = settled(ask({ message: "Who?", requestedSchema: person }));
    await assert.rejects(answer({ action: "accept", content: { name: "Ada", age: "old" } }), {
      code: "INVALID_ARGUMENTS",
      message: /age/,
    });
    await assert.rejects(answer({ action: "accept" }), { code: "INVALID_ARGUMENTS" });
    assert.equal(questions.waiting(of("ada")).length, 1);
    assert.equal(told.state, "pending");
  });

  test("a lone value is taken for the only field there is", async () => {
    const { ask, answer } = sample();
    const requestedSchema = {
      type: "object",
      properties: { value: { type: "string" } },
      required: ["value"],
    };
    const told = ask({ message: "?", requestedSchema });
    await answer({ action: "accept", content: "blue" });
    assert.deepEqual(await told, { action: "accept", content: { value: "blue" } });
  });

  test("a question for nothing but a yes takes a yes, with whatever it is said", async () => {
    for (const requestedSchema of [{ type: "object", properties: {} }, undefined, "text"]) {
      for (const content of [undefined, null, "yes", true, { any: 1 }]) {
        const { ask, answer } = sample();
        const told = ask({ message: "Sure?", requestedSchema });
        await answer({ action: "accept", content });
        assert.deepEqual(await told, { action: "accept", content: {} });
      }
    }
  });

  test("a page to visit has an address and no fields, and its answer no content", async () => {
    const { ask, only, answer } = sample();
    const told = ask({ mode: "url", url: "https://example.com/x", message: "Visit." });
    assert.deepEqual([only().url, only().schema], ["https://example.com/x", null]);
    await answer({ action: "accept", content: { a: 1 } });
    assert.deepEqual(await told, { action: "accept" });
  });

  test("no other user may answer, and the question goes on waiting", async () => {
    const { ask, answer, only } = sample();
    void ask({ message: "Who?", requestedSchema: person });
    for (const user of ["bob", null]) {
      await assert.rejects(answer({ action: "decline" }, user), { code: "FORBIDDEN" });
    }
    assert.ok(only());
  });

  test("a question without an answer is cancelled when its time is over", async () => {
    const { ask, questions, events } = sample();
    const told = settled(ask({ message: "Who?" }));
    await moveTime(299_999);
    assert.equal(told.state, "pending");
    await moveTime(1);
    assert.equal(told.state, "fulfilled");
    assert.deepEqual(questions.waiting(of("ada")), []);
    assert.equal(events.at(-1)?.type, "question.answered");
  });

  test("a call that ends takes its question with it, told once", async () => {
    const { ask, questions, events } = sample();
    const controller = new AbortController();
    const told = ask({ message: "Who?" }, { signal: controller.signal });
    controller.abort();
    assert.deepEqual(await told, { action: "cancel" });
    await moveTime(300_000);
    assert.deepEqual([questions.waiting(of("ada")), events.length], [[], 2]);
  });

  test("a call that has ended asks no one for long", async () => {
    const { ask, questions } = sample();
    assert.deepEqual(await ask({ message: "Who?" }, { signal: AbortSignal.abort() }), {
      action: "cancel",
    });
    assert.deepEqual(questions.waiting(of("ada")), []);
  });

  test("an answer that comes too late, or second, is refused and not taken as given", async () => {
    const checking = Promise.withResolvers<string[]>();
    const { ask, questions, only } = sample(() => checking.promise);
    const told = ask({ message: "Who?", requestedSchema: person });
    const { id } = only();
    const content = { name: "Ada", age: 36 };
    const [first, second] = [1, 2].map(() =>
      settled(questions.answer(id, { action: "accept", content }, of("ada"))),
    );
    checking.resolve([]);
    await told;
    await moveTime(0);
    assert.deepEqual([first?.state, second?.state], ["fulfilled", "rejected"]);
    assert.equal(second?.reason<{ code: string }>().code, "NOT_FOUND");
  });

  test("two questions of one call are answered each for itself", async () => {
    const { ask, questions } = sample();
    const told = [ask({ message: "one" }), ask({ message: "two" })];
    const [one, two] = questions.waiting(of("ada"));
    assert.notEqual(one?.id, two?.id);
    await questions.answer(two?.id ?? "", { action: "decline" }, of("ada"));
    assert.deepEqual(await told[1], { action: "decline" });
    assert.deepEqual(
      questions.waiting(of("ada")).map(({ message }) => message),
      ["one"],
    );
    await questions.answer(one?.id ?? "", { action: "cancel" }, of("ada"));
    await told[0];
  });
});
