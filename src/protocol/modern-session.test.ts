import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, useMockedTime } from "../../test/samples/mocked-time.ts";
import type { UnknownObject } from "../model/json.ts";
import { RpcError, TransportError } from "./message.ts";
import { discoverModern, openModernSession } from "./modern-session.ts";
import type { Peer } from "./peer.ts";
import type { RequestOptions } from "./session.ts";

const client = { info: { name: "test", version: "1.0.0" }, capabilities: { elicitation: {} } };
const { signal } = new AbortController();
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
};

type Sent = { method: string; params: UnknownObject; options: RequestOptions };

/** The other side as one function. */
function peerOf(answer: (method: string, options: RequestOptions) => unknown) {
  const sent: Sent[] = [];
  const peer = {
    async request(method: string, params: UnknownObject = {}, options: RequestOptions = {}) {
      sent.push({ method, params, options });
      return answer(method, options);
    },
  } as Peer;
  return { peer, sent };
}

const discovered = {
  supportedVersions: ["2026-07-28", "2025-11-25"],
  capabilities: { tools: { listChanged: true } },
  instructions: "Be modern.",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "s" } },
};

test("discovery tells who the server is, and asks with the whole envelope", async () => {
  const { peer, sent } = peerOf(() => discovered);
  const session = await discoverModern(peer, client, signal);
  assert.deepEqual([sent[0]?.method, sent[0]?.params], ["server/discover", { _meta: envelope }]);
  const { era, protocolVersion, capabilities, serverInfo, instructions } = session;
  assert.deepEqual([era, protocolVersion, instructions], ["modern", "2026-07-28", "Be modern."]);
  assert.deepEqual([capabilities, serverInfo], [discovered.capabilities, { name: "s" }]);
});

test("every request carries the envelope, and what the caller put into it stays", async () => {
  const { peer, sent } = peerOf(() => ({ content: [] }));
  const session = openModernSession(peer, client, discovered);
  await session.request("tools/call", { name: "t", _meta: { trace: 1 } });
  assert.deepEqual(sent[0]?.params, { name: "t", _meta: { ...envelope, trace: 1 } });
});

test("a server that answers anything to anything has not understood the question", async () => {
  for (const answer of [{}, null, [], { supportedVersions: "2026-07-28" }]) {
    await assert.rejects(discoverModern(peerOf(() => answer).peer, client, signal), {
      code: -32601,
    });
  }
});

test("a server of other revisions is refused with those it knows", async () => {
  const { peer } = peerOf(() => ({ supportedVersions: ["2027-01-01"] }));
  await assert.rejects(discoverModern(peer, client, signal), {
    code: -32022,
    data: { supported: ["2027-01-01"] },
  });
});

suite("the stream of changes", () => {
  useMockedTime();
  const listening = (capabilities: UnknownObject, answer: (options: RequestOptions) => unknown) => {
    const { peer, sent } = peerOf((_method, options) => answer(options));
    const session = openModernSession(peer, client, { ...discovered, capabilities });
    session.watch();
    return { session, sent };
  };
  const tools = { tools: { listChanged: true } };
  const forever = () => new Promise(() => undefined);

  test("is asked for exactly what the server can tell", async () => {
    const capabilities = {
      tools: { listChanged: true },
      prompts: {},
      resources: { listChanged: true },
    };
    const { sent } = listening(capabilities, forever);
    assert.equal(sent[0]?.method, "subscriptions/listen");
    assert.deepEqual(sent[0]?.params.notifications, {
      toolsListChanged: true,
      resourcesListChanged: true,
    });
  });

  test("is not asked for where there is nothing to tell", () => {
    for (const capabilities of [{}, { tools: {} }, { tools: { listChanged: "yes" } }]) {
      assert.equal(listening(capabilities, forever).sent.length, 0);
    }
  });

  test("is asked for again when it ends, after longer and longer gaps", async () => {
    const { sent, session } = listening(tools, () => ({}));
    const counts: number[] = [];
    for (const ms of [999, 1, 1_999, 1, 3_999, 1]) {
      await moveTime(ms);
      counts.push(sent.length);
    }
    assert.deepEqual(counts, [1, 2, 2, 3, 3, 4]);
    session.end();
  });

  test("that lasted long is asked for again soon, however often it ended", async () => {
    const hour = 3_600_000;
    const { sent, session } = listening(
      tools,
      () => new Promise((resolve) => setTimeout(resolve, hour)),
    );
    for (let stream = 1; stream <= 8; stream++) {
      await moveTime(hour);
      await moveTime(2_000);
      assert.equal(sent.length, stream + 1, `after stream ${stream}`);
    }
    session.end();
  });

  test("that was lost on the way is asked for again; one that is refused is not", async () => {
    for (const [failure, times] of [
      [new TransportError("cut", { sent: true }), 2],
      [new TransportError("it answered HTTP 502", { sent: true, status: 502 }), 2],
      [new RpcError(-32601, "unknown"), 1],
      [
        new TransportError("it answered HTTP 405", { sent: false, permanent: true, status: 405 }),
        1,
      ],
    ] as const) {
      const { sent, session } = listening(tools, () => Promise.reject(failure));
      await moveTime(0);
      await moveTime(1_000);
      assert.equal(sent.length, times, failure.message);
      session.end();
    }
  });

  test("ends with the session", async () => {
    const { sent, session } = listening(tools, ({ signal: ended }) => {
      return new Promise((_, reject) =>
        ended?.addEventListener("abort", () => reject(ended.reason)),
      );
    });
    session.end();
    assert.equal(sent[0]?.options.signal?.aborted, true);
    await moveTime(0);
    await moveTime(100_000);
    assert.equal(sent.length, 1);
  });
});
