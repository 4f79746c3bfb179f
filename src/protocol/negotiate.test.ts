import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import type { UnknownObject } from "../model/json.ts";
import { RpcError, TransportError } from "./message.ts";
import { negotiate } from "./negotiate.ts";
import { createPeer, refuseRequest } from "./peer.ts";
import type { Era } from "./session.ts";

type Reply =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  | Error
  | undefined;
type Script = {
  discover?: Reply;
  initialize?: Reply;
  known?: Era;
  isFixed?: boolean;
  signal?: AbortSignal;
};

const discovered = { result: { supportedVersions: ["2026-07-28"], capabilities: {} } };
const initialized = { result: { protocolVersion: "2025-06-18", capabilities: {} } };
const unknown = { error: { code: -32601, message: "Method not found" } };

/** A server that answers like this; undefined is silence, an Error a failure on the way. */
function negotiateWith({
  discover,
  initialize,
  known,
  isFixed,
  signal = new AbortController().signal,
}: Script) {
  const events: string[] = [];
  const reply = (id: unknown, body: object) => peer.receive({ jsonrpc: "2.0", id, ...body });
  const peer = createPeer(
    () => ({
      pid: null,
      useProtocolVersion() {},
      close: async () => undefined,
      async send(message: UnknownObject) {
        events.push(String(message.method));
        const answer =
          message.method === "server/discover"
            ? discover
            : message.method === "initialize"
              ? initialize
              : undefined;
        if (answer instanceof Error) throw answer;
        if (answer) queueMicrotask(() => reply(message.id, answer));
      },
    }),
    { onNotification() {}, onRequest: refuseRequest, onStray() {} },
  );
  const client = { info: { name: "test", version: "1.0.0" }, capabilities: {} };
  const useVersion = (version: string) => events.push(version);
  const session = negotiate(peer, { client, signal, known, isFixed: isFixed ?? false, useVersion });
  session.catch(() => undefined);
  return { session, events, reply, peer };
}

/** Until the handshake is tried: requests 1, 2 and 3 are the question, a ping and the handshake. */
async function beSilent(): Promise<void> {
  await moveTime(500);
  await moveTime(2_000);
}

suite("finding out the era", () => {
  useMockedTime();

  test("a server that answers the question is modern, and no handshake follows", async () => {
    const { session, events } = negotiateWith({ discover: discovered });
    assert.equal((await session).era, "modern");
    assert.deepEqual(events, ["server/discover", "2026-07-28"]);
  });

  test("a server known to be legacy is not asked, and the version is settled before anything else is sent", async () => {
    const { session, events } = negotiateWith({ initialize: initialized, known: "legacy" });
    assert.equal((await session).protocolVersion, "2025-06-18");
    assert.deepEqual(events, ["initialize", "2025-06-18", "notifications/initialized"]);
  });

  for (const [title, discover] of [
    ["does not know it", unknown],
    ["has an error of its own", { error: { code: -32000, message: "Server not initialized" } }],
    ["answers it with anything", { result: {} }],
    [
      "names older revisions",
      { error: { code: -32022, message: "no", data: { supported: ["2025-11-25"] } } },
    ],
    ["knows other revisions only", { result: { supportedVersions: ["2025-11-25"] } }],
    [
      "refuses it with HTTP 400",
      new TransportError("400", { sent: false, permanent: true, status: 400 }),
    ],
    [
      "refuses it with HTTP 404",
      new TransportError("404", { sent: false, permanent: true, status: 404 }),
    ],
    [
      "refuses it with HTTP 406",
      new TransportError("406", { sent: false, permanent: true, status: 406 }),
    ],
  ] as const) {
    for (const known of [undefined, "modern"] as const) {
      test(`a server that ${title} is shaken hands with${known ? ", whatever it was before" : ""}`, async () => {
        const { session } = negotiateWith({
          discover,
          initialize: initialized,
          ...(known ? { known } : {}),
        });
        assert.equal((await session).era, "legacy");
      });
    }
  }

  for (const code of [-32020, -32021]) {
    test(`an error that only the new revision has (${code}) shows that it is spoken`, async () => {
      const { session, events } = negotiateWith({ discover: { error: { code, message: "no" } } });
      assert.equal((await session).era, "modern");
      assert.ok(!events.includes("initialize"));
    });
  }

  test("a server with unknown revisions only is refused with its revisions and ours", async () => {
    const versions = ["2027-05-01", "2028-01-01\u001b[31m"];
    for (const discover of [
      { error: { code: -32022, message: "no", data: { supported: versions } } },
      { result: { supportedVersions: versions } },
    ]) {
      const { session, events } = negotiateWith({ discover });
      await assert.rejects(
        session,
        /^Error: it speaks protocol 2027-05-01, 2028-01-01; known are 2026-07-28, 2025-11-25, /,
      );
      assert.deepEqual(events, ["server/discover"]);
    }
  });

  test("a handshake that is refused because of its revision names those of the server", async () => {
    const data = { supported: ["2023-01-01"], requested: "2025-11-25" };
    const initialize = { error: { code: -32602, message: "Unsupported protocol version", data } };
    const { session } = negotiateWith({ discover: unknown, initialize });
    await assert.rejects(session, /^Error: it speaks protocol 2023-01-01; known are 2025-11-25, /);
  });

  test("a server that knows neither the question nor the handshake is modern", async () => {
    const { session } = negotiateWith({ discover: unknown, initialize: unknown });
    assert.equal((await session).era, "modern");
  });

  for (const [title, failure] of [
    [
      "who we are not (401)",
      new TransportError("401", { sent: false, permanent: true, status: 401 }),
    ],
    [
      "what we may not (403)",
      new TransportError("403", { sent: false, permanent: true, status: 403 }),
    ],
    ["haste (429)", new TransportError("429", { sent: false, status: 429 })],
    ["trouble there (503)", new TransportError("503", { sent: true, status: 503 })],
    ["a lost connection", new TransportError("gone", { sent: true })],
    ["a failure of ours", new Error("sign in first")],
  ] as const) {
    test(`${title} tells nothing about the era, and is passed on as it is`, async () => {
      const { session, events } = negotiateWith({ discover: failure, initialize: initialized });
      await assert.rejects(session, failure);
      assert.deepEqual(events, ["server/discover"]);
    });
  }

  test("a server that refuses the handshake is reported with its own reason", async () => {
    const refusal = { error: { code: -32000, message: "licence expired" } };
    const { session } = negotiateWith({ discover: unknown, initialize: refusal });
    await assert.rejects(session, { name: "RpcError", message: "licence expired" });
  });

  test("a server that says nothing is shaken hands with after a while, and the question withdrawn", async () => {
    const { session, events } = negotiateWith({ initialize: initialized });
    const view = settled(session);
    await moveTime(500);
    await moveTime(1_999);
    assert.deepEqual([view.state, events], ["pending", ["server/discover", "ping"]]);
    await moveTime(1);
    assert.equal((await session).era, "legacy");
    assert.deepEqual(events.toSorted(), [
      "2025-06-18",
      "initialize",
      "notifications/cancelled",
      "notifications/initialized",
      "ping",
      "server/discover",
    ]);
  });

  test("a server that ignores the question and answers a ping is shaken hands with at once", async () => {
    const { session, reply } = negotiateWith({ initialize: initialized });
    await moveTime(500);
    reply(2, { result: {} });
    assert.equal((await session).era, "legacy");
  });

  test("a server that does not know ping is given its time to answer the question", async () => {
    const { session, reply, events } = negotiateWith({});
    await moveTime(500);
    reply(2, unknown);
    await moveTime(1_999);
    assert.ok(!events.includes("initialize"));
    reply(1, discovered);
    assert.equal((await session).era, "modern");
  });

  test("a server that has to speak the new revision gets no handshake, however slow it is", async () => {
    const { session, reply, events } = negotiateWith({ known: "modern", isFixed: true });
    await moveTime(29_000);
    reply(1, discovered);
    assert.equal((await session).era, "modern");
    assert.deepEqual(events, ["server/discover", "2026-07-28"]);
  });

  test("a slow server that answers the question after all is modern, unless a handshake made it legacy", async () => {
    for (const [answer, again, era] of [
      [unknown, null, "modern"],
      [initialized, discovered, "modern"],
      [initialized, unknown, "legacy"],
      [initialized, null, "legacy"],
      [null, null, "modern"],
    ] as const) {
      const { session, reply, events } = negotiateWith({});
      await beSilent();
      reply(1, discovered);
      await moveTime(0);
      if (answer) reply(3, answer);
      await moveTime(0);
      if (again) reply(4, again);
      await moveTime(2_500);
      assert.equal((await session).era, era);
      assert.equal(events.includes("notifications/initialized"), era === "legacy");
    }
  });

  test("a slow server that does not know the question is legacy", async () => {
    const { session, reply, events } = negotiateWith({});
    await beSilent();
    reply(1, unknown);
    await moveTime(0);
    reply(3, initialized);
    assert.equal((await session).era, "legacy");
    assert.equal(events.filter((event) => event === "initialize").length, 1);
  });

  test("a slow server that refuses both is reported with its reason, and not asked a second time", async () => {
    const { session, reply, events } = negotiateWith({});
    await beSilent();
    reply(1, unknown);
    reply(3, { error: { code: -32000, message: "licence expired" } });
    await moveTime(0);
    reply(4, { error: { code: -32000, message: "asked again" } });
    await assert.rejects(session, /licence expired/);
    assert.equal(events.filter((event) => event === "initialize").length, 1);
  });

  test("a server that was modern and now says nothing is shaken hands with before the time is over", async () => {
    const { session } = negotiateWith({ initialize: initialized, known: "modern" });
    const view = settled(session);
    await moveTime(500);
    await moveTime(28_500);
    assert.equal(view.state, "fulfilled");
  });

  test("a lost connection while both are waited for is reported as such", async () => {
    const { session, peer } = negotiateWith({});
    await beSilent();
    peer.fail(new TransportError("it exited with code 1", { sent: true }));
    await assert.rejects(session, /exited with code 1/);
  });

  test("giving up ends it with the reason at any moment, and nothing more is sent but the withdrawal", async () => {
    for (const ms of [0, 500, 2_000]) {
      const controller = new AbortController();
      const { session, events, peer } = negotiateWith({ signal: controller.signal });
      if (ms > 500) await moveTime(500);
      await moveTime(ms);
      controller.abort("enough");
      await assert.rejects(session, (reason) => reason === "enough");
      assert.ok(!events.slice(1).includes("server/discover"));
      assert.equal(peer.pending(), 0);
    }
  });

  test("an error answer of no session is passed on with its code", async () => {
    const { session } = negotiateWith({ known: "legacy", initialize: unknown });
    await assert.rejects(session, (thrown) => thrown instanceof RpcError && thrown.code === -32601);
  });
});
