import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../model/json.ts";
import type { Peer } from "./peer.ts";
import { legacyVersions, listAll, openSession } from "./session.ts";

const { signal } = new AbortController();
const client = { name: "toolplane", version: "1.0.0" };

/** The other side as one function. */
function peerOf(
  answer: (method: string, params: UnknownObject) => unknown,
): Peer & { asked: UnknownObject[] } {
  const asked: UnknownObject[] = [];
  return {
    asked,
    async request(method, params = {}) {
      asked.push({ method, ...params });
      return answer(method, params);
    },
    notify() {},
    receive() {},
    fail() {},
  };
}

test("a session offers the newest revision with a handshake and says who asks", async () => {
  const peer = peerOf(() => ({ protocolVersion: legacyVersions[0], capabilities: { tools: {} } }));
  assert.deepEqual(await openSession(peer, client, signal), {
    protocolVersion: legacyVersions[0],
    offersTools: true,
  });
  assert.deepEqual(peer.asked, [
    { method: "initialize", protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client },
  ]);
});

for (const version of legacyVersions) {
  test(`a server that answers with ${version} is taken at its word`, async () => {
    const peer = peerOf(() => ({ protocolVersion: version, capabilities: {} }));
    assert.deepEqual(await openSession(peer, client, signal), {
      protocolVersion: version,
      offersTools: false,
    });
  });
}

for (const answer of [{ protocolVersion: "1999-01-01" }, { protocolVersion: 7 }, {}, null, "hello"]) {
  test(`a handshake answered with ${JSON.stringify(answer)} fails and names what is known`, async () => {
    await assert.rejects(
      openSession(
        peerOf(() => answer),
        client,
        signal,
      ),
      /2025-11-25.*2024-11-05/,
    );
  });
}

test("a listing follows its cursors to the end", async () => {
  const peer = peerOf((_, { cursor }) => {
    const page = Number(cursor ?? 0);
    return { tools: [`tool-${page}`], ...(page < 2 ? { nextCursor: String(page + 1) } : {}) };
  });
  assert.deepEqual(await listAll(peer, "tools/list", "tools", signal), ["tool-0", "tool-1", "tool-2"]);
  assert.deepEqual(
    peer.asked.map(({ cursor }) => cursor),
    [undefined, "1", "2"],
  );
});

for (const [title, nextCursor, requests] of [
  ["a cursor that does not advance", "same", 2],
  ["an empty cursor", "", 1],
  ["a cursor that is no text", 7, 1],
] as const) {
  test(`${title} ends the listing`, async () => {
    const peer = peerOf(() => ({ tools: ["x"], nextCursor }));
    await listAll(peer, "tools/list", "tools", signal);
    assert.equal(peer.asked.length, requests);
  });
}

test("cursors that go round in a circle end the listing", async () => {
  const peer = peerOf((_, { cursor }) => ({ tools: [cursor], nextCursor: cursor === "a" ? "b" : "a" }));
  assert.deepEqual(await listAll(peer, "tools/list", "tools", signal), [undefined, "a", "b"]);
});

for (const answer of [{}, null, { tools: {} }, []]) {
  test(`a listing answered with ${JSON.stringify(answer)} fails`, async () => {
    await assert.rejects(
      listAll(
        peerOf(() => answer),
        "tools/list",
        "tools",
        signal,
      ),
      /no list 'tools'/,
    );
  });
}
