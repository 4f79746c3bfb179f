import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { principalOf } from "../../model/principal.ts";
import { createParkedRequests } from "./parked-requests.ts";
import type { Answer, RequestContext } from "./request.ts";
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
    signal: new AbortController().signal,
    notify: () => undefined,
    ask: () => Promise.reject(new Error("not in this revision")),
    lacks: () => undefined,
  };
}

const asksOnce = async (inside: RequestContext): Promise<Answer> => {
  const said = await inside.ask("elicitation/create", { message: "?" }, inside.signal);
  return { result: { said } };
};

function stateOf(answer: Answer | null): string {
  assert.ok(answer && "result" in answer);
  assert.equal(answer.result.resultType, "input_required");
  return String(answer.result.requestState);
}

const answers = { "question-1": { action: "accept" } };

test("a request that asks is answered with its question and goes on with the answer", async () => {
  const parked = createParkedRequests();
  const requestState = stateOf(await parked.begin(visitOf("ann"), "call", asksOnce));
  assert.equal(parked.size(), 1);
  const done = await parked.resume(visitOf("ann"), "call", { requestState, inputResponses: answers });
  assert.deepEqual(done, { result: { said: { action: "accept" } } });
  assert.equal(parked.size(), 0);
});

test("nobody else's handle can be used, and it is still good for its owner", async () => {
  const parked = createParkedRequests();
  const requestState = stateOf(await parked.begin(visitOf("ann"), "call", asksOnce));
  const stolen = await parked.resume(visitOf("bob"), "call", { requestState, inputResponses: answers });
  assert.ok(stolen && "error" in stolen);
  assert.equal(stolen.error.code, -32602);
  const done = await parked.resume(visitOf("ann"), "call", { requestState, inputResponses: answers });
  assert.ok(done && "result" in done);
});

test("a question that was not answered is asked again under another handle", async () => {
  const parked = createParkedRequests();
  const first = stateOf(await parked.begin(visitOf("ann"), "call", asksOnce));
  const inputResponses = { other: { action: "accept" }, "question-1": 7 };
  const again = await parked.resume(visitOf("ann"), "call", { requestState: first, inputResponses });
  assert.notEqual(stateOf(again), first);
  parked.close();
});

test("what a server gave out as its own state is not ours to judge", async () => {
  const parked = createParkedRequests();
  assert.equal(await parked.resume(visitOf("ann"), "call", { requestState: "theirs" }), null);
  assert.equal(await parked.resume(visitOf("ann"), "call", {}), null);
});

test("what nobody comes back for is given up", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const parked = createParkedRequests();
    const over = Promise.withResolvers<unknown>();
    const first = await parked.begin(visitOf("ann"), "call", async (inside) => {
      inside.signal.addEventListener("abort", () => over.resolve(inside.signal.reason));
      return asksOnce(inside);
    });
    stateOf(first);
    mock.timers.tick(300_000);
    assert.match(String(await over.promise), /it was not answered in time/);
    assert.equal(parked.size(), 0);
  } finally {
    mock.timers.reset();
  }
});
