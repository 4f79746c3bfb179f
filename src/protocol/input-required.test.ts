import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../model/json.ts";
import { completeResult } from "./modern-session.ts";
import type { RequestOptions } from "./session.ts";

/** A server that gives these results one after the other, and what it was sent. */
function serverOf(...results: unknown[]) {
  const sent: UnknownObject[] = [];
  const send = async (_method: string, params: UnknownObject) => {
    sent.push(params);
    return results.length > 1 ? results.shift() : results[0];
  };
  return {
    sent,
    call: (options: RequestOptions = {}) =>
      completeResult(send, "tools/call", { name: "t" }, options),
  };
}

const question = (method: string, params: object = {}) => ({ method, params });
const asking = (inputRequests?: object, requestState?: unknown) => ({
  resultType: "input_required",
  ...(inputRequests ? { inputRequests } : {}),
  ...(requestState === undefined ? {} : { requestState }),
});

for (const result of [
  { content: [] },
  { resultType: "complete", content: [] },
  null,
  "text",
  [1],
]) {
  test(`the result ${JSON.stringify(result)} is complete and passed on as it is`, async () => {
    const { sent, call } = serverOf(result);
    assert.equal(await call(), result);
    assert.deepEqual(sent, [{ name: "t" }]);
  });
}

test("questions are answered by the caller, and sent with the state exactly as it came", async () => {
  const state = { opaque: [1, null, "x"] };
  const questions = {
    who: question("elicitation/create", { message: "?" }),
    what: question("sampling/createMessage"),
  };
  const { sent, call } = serverOf(asking(questions, state), { content: [] });
  const { signal } = new AbortController();
  const asked: unknown[] = [];
  const result = await call({
    signal,
    async onRequest(method, params, given) {
      asked.push([method, params]);
      assert.equal(given, signal);
      return { answered: method };
    },
  });
  assert.deepEqual(result, { content: [] });
  assert.deepEqual(asked, [
    ["elicitation/create", { message: "?" }],
    ["sampling/createMessage", {}],
  ]);
  assert.deepEqual(sent[1], {
    name: "t",
    inputResponses: {
      who: { answered: "elicitation/create" },
      what: { answered: "sampling/createMessage" },
    },
    requestState: state,
  });
});

test("every round is answered for itself: no answer and no state of an earlier one is sent again", async () => {
  const { sent, call } = serverOf(
    asking({ a: question("x") }, "one"),
    asking({ b: question("y") }),
    {
      content: [],
    },
  );
  await call({ onRequest: async (method) => ({ method }) });
  assert.deepEqual(sent.slice(1), [
    { name: "t", inputResponses: { a: { method: "x" } }, requestState: "one" },
    { name: "t", inputResponses: { b: { method: "y" } } },
  ]);
});

test("a server that asks nothing but wants its state back gets it", async () => {
  const { sent, call } = serverOf(asking(undefined, ""), { content: [] });
  await call();
  assert.deepEqual(sent[1], { name: "t", requestState: "" });
});

test("a server that never stops asking is given up", async () => {
  const { sent, call } = serverOf(asking({ a: question("x") }));
  await assert.rejects(call({ onRequest: async () => ({}) }), {
    name: "RpcError",
    message: /after 10 rounds/,
  });
  assert.equal(sent.length, 11);
});

test("questions without an answerer, or that are none, fail the call with what was asked", async () => {
  await assert.rejects(
    serverOf(asking({ a: question("elicitation/create") })).call(),
    /'elicitation\/create'/,
  );
  await assert.rejects(
    serverOf(asking({ a: "text" })).call({ onRequest: async () => ({}) }),
    /cannot be answered here/,
  );
});

test("a result of an unknown kind, or a question where none may be asked, is an error", async () => {
  await assert.rejects(serverOf({ resultType: "task" }).call(), /kind we do not know: "task"/);
  const listing = completeResult(async () => asking({}), "tools/list", {}, {});
  await assert.rejects(listing, /kind we do not know/);
});
