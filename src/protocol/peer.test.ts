import assert from "node:assert/strict";
import { test } from "node:test";
import { connectPeer as connect } from "../../test/samples/peers.ts";
import type { UnknownObject } from "../model/json.ts";
import { type OutgoingMessage, RpcError, TransportError } from "./message.ts";
import { createPeer, refuseRequest } from "./peer.ts";
import type { Progress } from "./session.ts";

test("answers reach the request they belong to, in any order, as they came", async () => {
  const { peer, sent, answer } = connect();
  const first = peer.request("one", { a: 1 });
  const second = peer.request("two");
  assert.deepEqual(
    sent.map(({ method, params }) => [method, params]),
    [
      ["one", { a: 1 }],
      ["two", {}],
    ],
  );
  assert.notEqual(sent[0]?.id, sent[1]?.id);
  answer(sent[1]?.id, { result: { unknown: [0, null] } });
  answer(sent[0]?.id, { result: 0 });
  assert.deepEqual(await Promise.all([first, second]), [0, { unknown: [0, null] }]);
});

test("answers to no request, second answers and what is no message are passed over", async () => {
  const { peer, sent, strays, answer } = connect();
  const request = peer.request("one");
  for (const noise of [null, "text", 7, {}, { id: null, result: 1 }]) peer.receive(noise);
  answer("1-wrong", { result: "for another request" });
  answer(sent[0]?.id, { result: "mine" });
  answer(sent[0]?.id, { result: "again" });
  assert.equal(await request, "mine");
  assert.equal(strays.count, 7);
});

test("the answer to a request that was cancelled may still come, once", async () => {
  const { peer, sent, strays, answer } = connect();
  const controller = new AbortController();
  const request = peer.request("one", {}, { signal: controller.signal });
  controller.abort("enough");
  await assert.rejects(request, (reason) => reason === "enough");
  answer(sent[0]?.id, { result: "late" });
  assert.equal(strays.count, 0);
  answer(sent[0]?.id, { result: "again" });
  assert.equal(strays.count, 1);
});

test("a batch is taken apart", async () => {
  const { peer, sent } = connect();
  const both = Promise.all([peer.request("one"), peer.request("two")]);
  peer.receive(sent.map(({ id, method }) => ({ jsonrpc: "2.0", id, result: method })));
  assert.deepEqual(await both, ["one", "two"]);
});

test("an error answer rejects with its code, message and data", async () => {
  const { peer, sent, answer } = connect();
  const request = peer.request("one");
  answer(sent[0]?.id, { error: { code: -32602, message: "bad", data: { at: "x" } } });
  await assert.rejects(request, (error) => {
    assert.ok(error instanceof RpcError);
    assert.deepEqual([error.code, error.message, error.data], [-32602, "bad", { at: "x" }]);
    return true;
  });
});

test("progress reaches its own request only, and none after the answer", async () => {
  const { peer, sent, notified, answer } = connect();
  const heard: Progress[] = [];
  const request = peer.request(
    "one",
    { _meta: { kept: 1 } },
    { onProgress: (progress) => heard.push(progress) },
  );
  const quiet = peer.request("two");
  const { progressToken, kept } = (sent[0]?.params?._meta ?? {}) as UnknownObject;
  assert.equal(kept, 1);
  assert.equal(sent[1]?.params?._meta, undefined);
  const progress = (params: object) =>
    peer.receive({ jsonrpc: "2.0", method: "notifications/progress", params });
  progress({ progressToken, progress: 1, total: 3, message: "one" });
  progress({ progressToken, progress: "two" });
  progress({ progressToken: "other", progress: 2 });
  answer(sent[0]?.id, { result: {} });
  progress({ progressToken, progress: 3 });
  assert.deepEqual(heard, [
    { progress: 1, total: 3, message: "one" },
    { progress: 0, total: null, message: null },
  ]);
  answer(sent[1]?.id, { result: {} });
  await Promise.all([request, quiet]);
  assert.deepEqual(notified, []);
});

test("giving up rejects with the reason and tells the other side which request", async () => {
  const { peer, sent, answer } = connect();
  const controller = new AbortController();
  const request = peer.request("slow", {}, { signal: controller.signal });
  controller.abort("enough");
  await assert.rejects(request, (reason) => reason === "enough");
  assert.equal(sent[1]?.method, "notifications/cancelled");
  assert.equal(sent[1]?.params?.requestId, sent[0]?.id);
  answer(sent[0]?.id, { result: "too late" });
  assert.equal(sent.length, 2);
});

test("giving up after the answer sends nothing", async () => {
  const { peer, sent, answer } = connect();
  const controller = new AbortController();
  const request = peer.request("fast", {}, { signal: controller.signal });
  answer(sent[0]?.id, { result: 1 });
  await request;
  controller.abort();
  assert.equal(sent.length, 1);
});

test("a request that was given up before is not sent", async () => {
  const { peer, sent } = connect();
  await assert.rejects(
    peer.request("one", {}, { signal: AbortSignal.abort("no") }),
    (reason) => reason === "no",
  );
  assert.deepEqual(sent, []);
});

test("a message that cannot be delivered rejects its request, thrown or rejected", async () => {
  const failure = new TransportError("gone", { sent: false });
  const throwing = connect(() => {
    throw failure;
  });
  await assert.rejects(throwing.peer.request("one"), failure);
  const rejecting = connect(() => Promise.reject(failure));
  await assert.rejects(rejecting.peer.request("one"), failure);
  rejecting.peer.notify("notifications/initialized");
});

test("a lost connection rejects everything that waits", async () => {
  const { peer } = connect();
  const requests = [peer.request("one"), peer.request("two")];
  const lost = new TransportError("lost", { sent: true });
  peer.fail(lost);
  for (const request of requests) await assert.rejects(request, lost);
});

test("a ping is answered, any other request is refused, a notification is handed on", async () => {
  const { peer, sent, notified } = connect();
  peer.receive({ jsonrpc: "2.0", id: "p", method: "ping" });
  peer.receive({ jsonrpc: "2.0", id: 0, method: "roots/list" });
  peer.receive({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await new Promise(setImmediate);
  assert.deepEqual(sent, [
    { jsonrpc: "2.0", id: "p", result: {} },
    { jsonrpc: "2.0", id: 0, error: { code: -32601, message: "Method not found: roots/list" } },
  ]);
  assert.deepEqual(notified, ["notifications/tools/list_changed"]);
});

test("a batch in a batch without end is noise, and nothing breaks", () => {
  const { peer } = connect();
  const depth = 100_000;
  peer.receive(JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`));
});

test("an answer with neither a result nor an error fails its request", async () => {
  const { peer, sent, answer } = connect();
  const request = peer.request("one");
  answer(sent[0]?.id, {});
  await assert.rejects(request, { name: "RpcError", message: /neither a result nor an error/ });
});

test("where closing the stream cancels, and for the handshake, giving up says nothing", async () => {
  for (const [method, options] of [
    ["slow", { cancelsByClosing: true }],
    ["initialize", {}],
  ] as const) {
    const { peer, sent } = connect(undefined, options);
    const controller = new AbortController();
    const request = peer.request(method, {}, { signal: controller.signal });
    controller.abort("enough");
    await assert.rejects(request, (reason) => reason === "enough");
    assert.equal(sent.length, 1, method);
  }
});

test("one request can be failed without the others", async () => {
  const { peer, sent, answer } = connect();
  const first = peer.request("one");
  const second = peer.request("two");
  peer.fail(new Error("too large"), sent[0]?.id);
  await assert.rejects(first, /too large/);
  assert.equal(peer.pending(), 1);
  answer(sent[1]?.id, { result: 2 });
  assert.equal(await second, 2);
  assert.equal(peer.pending(), 0);
});

test("the headers of a request and its signal reach the channel", () => {
  const given: unknown[] = [];
  const { signal } = new AbortController();
  const channel = {
    pid: null,
    useProtocolVersion() {},
    close: async () => undefined,
    send: (_: OutgoingMessage, options: unknown) => void given.push(options),
  };
  const peer = createPeer(() => channel, {
    onNotification() {},
    onRequest: refuseRequest,
    onStray() {},
  });
  void peer.request("one", {}, { headers: { "mcp-param-x": "1" }, signal });
  assert.deepEqual(given, [{ headers: { "mcp-param-x": "1" }, signal }]);
});

test("the oldest request that waits for an answer is reported, and a stream of changes is none", async () => {
  const { peer, sent, answer } = connect();
  assert.equal(peer.oldestPendingAt(), null);
  void peer.request("subscriptions/listen");
  assert.equal(peer.oldestPendingAt(), null);
  const older = peer.request("tools/call");
  const at = peer.oldestPendingAt();
  void peer.request("tools/call");
  assert.notEqual(at, null);
  assert.equal(peer.oldestPendingAt(), at);
  answer(sent[1]?.id, { result: {} });
  await older;
  assert.ok(Number(peer.oldestPendingAt()) >= Number(at));
});
