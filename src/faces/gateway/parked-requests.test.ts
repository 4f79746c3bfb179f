import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { UnknownObject } from "../../model/json.ts";
import { principalOf } from "../../model/principal.ts";
import { CancellableRequest } from "./exchange.ts";
import { createParkedRequests } from "./parked-requests.ts";
import type { RequestContext, RpcAnswer } from "./request.ts";
import { plainView } from "./view.ts";

function visitOf(user: string): RequestContext {
  return {
    principal: principalOf({ user }),
    view: plainView,
    era: "modern",
    client: { capabilities: { elicitation: {} } },
    tools: {} as RequestContext["tools"],
    logLevel: null,
    conversation: null,
    namedConversation: null,
    signal: new AbortController().signal,
    notify: () => undefined,
    ask: () => Promise.reject(new Error("not in this revision")),
    lacks: () => undefined,
  };
}

const call = (params: UnknownObject = {}) => ({ method: "tools/call", params });

const asksOnce = async (_: unknown, inside: RequestContext): Promise<RpcAnswer> => {
  const said = await inside.ask("elicitation/create", { message: "?" }, inside.signal);
  return { result: { said } };
};

function stateOf(answer: RpcAnswer | null): string {
  assert.ok(answer && "result" in answer);
  assert.equal(answer.result.resultType, "input_required");
  return String(answer.result.requestState);
}

const answers = { "question-1": { action: "accept" } };

test("a request that asks is answered with its question and goes on with the answer", async () => {
  const parked = createParkedRequests();
  const requestState = stateOf(await parked.answer(call(), visitOf("ann"), asksOnce));
  assert.equal(parked.size(), 1);
  const done = await parked.answer(
    call({ requestState, inputResponses: answers }),
    visitOf("ann"),
    asksOnce,
  );
  assert.deepEqual(done, { result: { said: { action: "accept" } } });
  assert.equal(parked.size(), 0);
});

test("another caller's handle cannot be used, and it stays valid for its owner", async () => {
  const parked = createParkedRequests();
  const requestState = stateOf(await parked.answer(call(), visitOf("ann"), asksOnce));
  const stolen = await parked.answer(
    call({ requestState, inputResponses: answers }),
    visitOf("bob"),
    asksOnce,
  );
  assert.ok(stolen && "error" in stolen);
  assert.equal(stolen.error.code, -32602);
  const done = await parked.answer(
    call({ requestState, inputResponses: answers }),
    visitOf("ann"),
    asksOnce,
  );
  assert.ok(done && "result" in done);
});

test("a question that was not answered is asked again under another handle", async () => {
  const parked = createParkedRequests();
  const first = stateOf(await parked.answer(call(), visitOf("ann"), asksOnce));
  const inputResponses = { other: { action: "accept" }, "question-1": 7 };
  const again = await parked.answer(
    call({ requestState: first, inputResponses }),
    visitOf("ann"),
    asksOnce,
  );
  assert.notEqual(stateOf(again), first);
  parked.close();
});

test("a server's own state is passed on to it", async () => {
  const parked = createParkedRequests();
  const passed = async ({ params }: { params: UnknownObject }): Promise<RpcAnswer> => ({
    result: params,
  });
  assert.deepEqual(await parked.answer(call({ requestState: "theirs" }), visitOf("ann"), passed), {
    result: { requestState: "theirs" },
  });
  assert.deepEqual(await parked.answer(call(), visitOf("ann"), passed), { result: {} });
});

test("a request that no client returns for is given up", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const parked = createParkedRequests();
    const over = Promise.withResolvers<unknown>();
    const first = await parked.answer(call(), visitOf("ann"), async (request, inside) => {
      inside.signal.addEventListener("abort", () => over.resolve(inside.signal.reason));
      return asksOnce(request, inside);
    });
    stateOf(first);
    mock.timers.tick(300_000);
    assert.match(String(await over.promise), /it was not answered in time/);
    assert.equal(parked.size(), 0);
  } finally {
    mock.timers.reset();
  }
});

test("a client that leaves cancels its request, without a signal until one is asked for", async () => {
  const parked = createParkedRequests();
  const { signal: _, ...visit } = visitOf("ann");
  const arrival = Object.assign(new CancellableRequest(), visit);
  const heard = Promise.withResolvers<unknown>();
  const answered = parked.answer(call(), arrival, (_request, inside) => {
    assert.ok(inside.cancellation);
    inside.cancellation.listen({ cancel: heard.resolve });
    return heard.promise.then(() => ({ result: {} }));
  });
  arrival.cancel("it has left");
  assert.equal(await heard.promise, "it has left");
  assert.deepEqual(await answered, { result: {} });
});
