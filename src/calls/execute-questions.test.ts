import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { routedCall } from "../../test/samples/calls.ts";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import { noRouting } from "../../test/samples/routing.ts";
import type { Provider } from "../model/calls/provider.ts";
import type { UnknownObject } from "../model/json.ts";
import { execute } from "./execute.ts";

/** Runs a call whose server asks something, and tells what became of the question. */
function run(provider: Provider, answer: (signal: AbortSignal) => Promise<UnknownObject>) {
  const signals: AbortSignal[] = [];
  const executed = execute(routedCall(), {
    provider: () => provider,
    checkOutput: async () => [],
    onRetry: () => undefined,
    onProgress: () => undefined,
    routing: noRouting,
    answer(_call, _server, _asked, signal) {
      signals.push(signal);
      return answer(signal);
    },
  });
  return { executed, signals };
}

const { signal } = new AbortController();
const forever = () => new Promise<UnknownObject>(() => undefined);

suite("a question in the middle of a call", () => {
  useMockedTime();

  test("is over when the server goes on without its answer", async () => {
    const { executed, signals } = run(async (_spec, _args, { onRequest }) => {
      void onRequest?.("elicitation/create", {}, signal);
      return { content: [] };
    }, forever);
    await executed;
    assert.equal(signals[0]?.aborted, true);
  });

  test("is over when the call fails", async () => {
    const { executed, signals } = run(async (_spec, _args, { onRequest }) => {
      void onRequest?.("elicitation/create", {}, signal);
      throw new Error("broken");
    }, forever);
    await assert.rejects(executed);
    assert.equal(signals[0]?.aborted, true);
  });

  test("does not take from the time that the server has for its work", async () => {
    const person = Promise.withResolvers<UnknownObject>();
    const { executed } = run(
      async (_spec, _args, { onRequest, signal: limit }) => {
        await onRequest?.("elicitation/create", {}, signal);
        return new Promise((_, reject) =>
          limit.addEventListener("abort", () => reject(limit.reason)),
        );
      },
      () => person.promise,
    );
    const view = settled(executed);
    await moveTime(250_000);
    assert.equal(view.state, "pending");
    person.resolve({ action: "accept" });
    await moveTime(59_999);
    assert.equal(view.state, "pending");
    await moveTime(1);
    assert.equal(view.state, "rejected");
  });
});
