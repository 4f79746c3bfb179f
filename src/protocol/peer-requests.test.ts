import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { connectPeer as connect, type Sent } from "../../test/samples/peers.ts";
import type { UnknownObject } from "../model/json.ts";
import { type AnswerRequest, RpcError, TransportError } from "./message.ts";

suite("what the other side asks", () => {
  const ask = (id: unknown, params: object = {}) => ({
    jsonrpc: "2.0",
    id,
    method: "elicitation/create",
    params,
  });
  const named =
    (name: string): AnswerRequest =>
    async () => ({ name });
  const turn = () => new Promise(setImmediate);
  /** Who answered which question. */
  const answers = (sent: Sent[]) =>
    sent.flatMap(({ id, result }) =>
      result === undefined ? [] : [[id, (result as { name: string }).name]],
    );

  function withTwoCalls() {
    const connected = connect(undefined, { onRequest: named("no call's") });
    const onProgress = () => undefined;
    void connected.peer.request("tools/call", {}, { onRequest: named("first"), onProgress });
    void connected.peer.request("tools/call", {}, { onRequest: named("second"), onProgress });
    return connected;
  }

  test("on the stream of a call is answered by that call", async () => {
    const { peer, sent } = withTwoCalls();
    peer.receive(ask("a"), 2);
    peer.receive([ask("b")], 1);
    await turn();
    assert.deepEqual(answers(sent), [
      ["a", "second"],
      ["b", "first"],
    ]);
  });

  test("with the token of a call is answered by that call, but its stream counts for more", async () => {
    const { peer, sent } = withTwoCalls();
    const token = ((sent[1]?.params?._meta ?? {}) as UnknownObject).progressToken;
    peer.receive(ask("a", { _meta: { progressToken: token } }));
    peer.receive(ask("b", { _meta: { progressToken: token } }), 1);
    await turn();
    assert.deepEqual(answers(sent), [
      ["a", "second"],
      ["b", "first"],
    ]);
  });

  test("with a number of the server's own as its token is no other caller's, nor is progress on it", async () => {
    const { peer, sent } = withTwoCalls();
    const seen: unknown[] = [];
    void peer.request("tools/call", {}, { onProgress: (progress) => seen.push(progress) });
    for (const progressToken of [1, 2, "1", "2"])
      peer.receive(ask(`q${progressToken}`, { _meta: { progressToken } }));
    for (const progressToken of [3, "3"])
      peer.receive({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 1 },
      });
    await turn();
    assert.deepEqual([...new Set(answers(sent).map(([, by]) => by))], ["no call's"]);
    assert.deepEqual(seen, []);
  });

  test("for no call in particular goes to the only one that can answer", async () => {
    const { peer, sent } = connect(undefined, { onRequest: named("no call's") });
    void peer.request("tools/list");
    peer.receive(ask("early"));
    void peer.request("tools/call", {}, { onRequest: named("the only one") });
    peer.receive(ask("later"));
    peer.receive(ask("with a token of its own", { _meta: { progressToken: 0 } }));
    await turn();
    assert.deepEqual(answers(sent), [
      ["early", "no call's"],
      ["later", "the only one"],
      ["with a token of its own", "the only one"],
    ]);
  });

  test("of several calls, a call that is over or an unknown one belongs to no call", async () => {
    const { peer, sent, answer } = withTwoCalls();
    peer.receive(ask("ambiguous"));
    peer.receive(ask("unknown", { _meta: { progressToken: 99 } }));
    answer(2, { result: {} });
    peer.receive(ask("over"), 2);
    await turn();
    assert.deepEqual(answers(sent), [
      ["ambiguous", "no call's"],
      ["unknown", "no call's"],
      ["over", "no call's"],
    ]);
  });

  test("by the id of our own request is a question, and our request still gets its answer", async () => {
    const { peer, sent, answer } = connect();
    const request = peer.request("tools/call", {}, { onRequest: named("mine") });
    const id = sent[0]?.id;
    peer.receive(ask(id));
    await turn();
    assert.deepEqual(sent[1], { jsonrpc: "2.0", id, result: { name: "mine" } });
    assert.equal(peer.pending(), 1);
    answer(id, { result: "done" });
    assert.equal(await request, "done");
  });

  test("and cancels ends the asking, and is answered nothing any more", async () => {
    for (const outcome of ["resolve", "reject"] as const) {
      const asked = Promise.withResolvers<UnknownObject>();
      const seen: AbortSignal[] = [];
      const onRequest: AnswerRequest = (_method, _params, signal) => {
        seen.push(signal);
        return asked.promise;
      };
      const { peer, sent, notified } = connect(undefined, { onRequest });
      peer.receive(ask("q"));
      peer.receive({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: "other" },
      });
      assert.equal(seen[0]?.aborted, false);
      peer.receive({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: "q" },
      });
      assert.equal(seen[0]?.aborted, true);
      if (outcome === "resolve") asked.resolve({ action: "cancel" });
      else asked.reject(new Error("given up"));
      await turn();
      assert.deepEqual([sent, notified], [[], []], outcome);
    }
  });

  test("fails with the error it was answered with, and without the details of any other failure", async () => {
    const failures = [new RpcError(-1, "user said no"), new Error("secret path")];
    const onRequest: AnswerRequest = async () => {
      throw failures.shift();
    };
    const { peer, sent } = connect(undefined, { onRequest });
    peer.receive(ask("a"));
    peer.receive(ask("b"));
    await turn();
    assert.deepEqual(
      sent.map(({ error }) => error),
      [
        { code: -1, message: "user said no" },
        { code: -32603, message: "it could not be answered" },
      ],
    );
  });

  test("is over when the connection is lost", () => {
    const seen: AbortSignal[] = [];
    const onRequest: AnswerRequest = (_method, _params, signal) => {
      seen.push(signal);
      return new Promise(() => undefined);
    };
    const { peer } = connect(undefined, { onRequest });
    peer.receive(ask("q"));
    peer.fail(new TransportError("lost", { sent: true }));
    assert.equal(seen[0]?.aborted, true);
  });
});
