import assert from "node:assert/strict";
import { test } from "node:test";
import { connectPeer as connect } from "../../test/samples/peers.ts";

const unasked: [what: string, id: unknown, seen: string][] = [
  ["an id that was never asked", 1003, "it answered the id 1003, which was not asked"],
  ["our id as a text", "1", 'it answered the id "1", which was not asked'],
  ["no id", undefined, "it answered without an id"],
  ["an id that is null", null, "it answered without an id"],
];

for (const [what, id, seen] of unasked)
  test(`a request that is given up after an answer with ${what} says so`, async () => {
    const { peer, answer } = connect();
    const leaving = new AbortController();
    const request = peer.request("tools/call", {}, { signal: leaving.signal });
    answer(id, { result: {} });
    leaving.abort("enough");
    await assert.rejects(request, { name: "GivenUp", seen, cause: "enough" });
  });

test("an answer that comes twice is no news for the request after it", async () => {
  const { peer, sent, answer } = connect();
  const first = peer.request("tools/call");
  answer(sent[0]?.id, { result: 1 });
  assert.equal(await first, 1);
  const leaving = new AbortController();
  const second = peer.request("tools/call", {}, { signal: leaving.signal });
  answer(sent[0]?.id, { result: 1 });
  leaving.abort("enough");
  await assert.rejects(second, (reason) => reason === "enough");
});

test("the true answer counts, whatever came before it", async () => {
  const { peer, sent, answer } = connect();
  const request = peer.request("tools/call");
  answer(77, { result: "other" });
  answer(sent[0]?.id, { result: "mine" });
  assert.equal(await request, "mine");
});

test("a program that writes what it reads is no server, at its first line", async () => {
  const { peer, sent } = connect();
  const request = peer.request("initialize", { protocolVersion: "2025-06-18" });
  peer.receive(sent[0]);
  await assert.rejects(request, {
    name: "TransportError",
    permanent: true,
    message: /sends back what it gets, so it is no MCP server/,
  });
});
