import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../model/json.ts";
import { openLegacySession } from "./negotiate.ts";
import { createPeer, refuseRequest } from "./peer.ts";
import { legacyVersions } from "./session.ts";

const client = { info: { name: "test", version: "1.0.0" }, capabilities: { roots: {} } };

/** Opens a session with a server that answers every request like this. */
function openWith(result: unknown) {
  const sent: UnknownObject[] = [];
  const peer = createPeer(
    () => ({
      pid: null,
      useProtocolVersion() {},
      close: async () => undefined,
      send(message) {
        sent.push(message);
        if ("id" in message)
          queueMicrotask(() => peer.receive({ jsonrpc: "2.0", id: message.id, result }));
      },
    }),
    { onNotification() {}, onRequest: refuseRequest, onStray() {} },
  );
  return { sent, session: openLegacySession(peer, client, new AbortController().signal) };
}

test("the handshake offers the newest revision and says who we are", async () => {
  const { sent, session } = openWith({ protocolVersion: "2025-11-25" });
  await session;
  assert.deepEqual(sent[0]?.params, {
    protocolVersion: "2025-11-25",
    capabilities: { roots: {} },
    clientInfo: { name: "test", version: "1.0.0" },
  });
});

for (const protocolVersion of legacyVersions) {
  test(`a server that answers with ${protocolVersion} is taken at its word`, async () => {
    const session = await openWith({ protocolVersion }).session;
    assert.deepEqual([session.era, session.protocolVersion], ["legacy", protocolVersion]);
  });
}

test("what the server tells of itself is kept, and whatever is of the wrong kind is nothing", async () => {
  const protocolVersion = "2025-06-18";
  const told = { capabilities: { tools: {} }, serverInfo: { name: "s" }, instructions: "Be kind." };
  const { capabilities, serverInfo, instructions } = await openWith({ protocolVersion, ...told })
    .session;
  assert.deepEqual({ capabilities, serverInfo, instructions }, told);
  const wrong = { capabilities: [], serverInfo: "s", instructions: 7 };
  const bare = await openWith({ protocolVersion, ...wrong }).session;
  assert.deepEqual([bare.capabilities, bare.serverInfo, bare.instructions], [{}, null, null]);
});

for (const answer of [{ protocolVersion: "1999-01-01" }, {}, null, "text"]) {
  test(`a server that answers the handshake with ${JSON.stringify(answer)} is refused with what is known`, async () => {
    await assert.rejects(openWith(answer).session, /it speaks protocol .*; known are 2025-11-25, /);
  });
}
