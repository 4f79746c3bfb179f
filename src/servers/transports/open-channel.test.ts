import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { connectChannel } from "../../../test/fixtures/servers/support/connect-channel.ts";
import { startHttpFixture } from "../../../test/fixtures/start-server.ts";
import { sampleServer } from "../../../test/samples/calls.ts";
import { bundled } from "../../bundled.ts";
import { openChannel } from "./open-channel.ts";

suite("opening a channel", { concurrency: 4 }, () => {
  for (const [transport, fixture, settings] of [
    ["http", "http", []],
    ["sse", "sse", []],
    ["websocket", "websocket", ["--token", "right"]],
  ] as const) {
    test(`a definition with transport '${transport}' speaks it, with its limit and who asks`, async () => {
      await using server = await startHttpFixture(fixture, [...settings]);
      const definition = sampleServer({
        command: undefined,
        transport,
        url: server.url,
        auth: { type: "bearer", token: "configured" },
        maxMessageBytes: 5_000,
      });
      const authorize = async () => ({ authorization: "Bearer right" });
      await using connected = await connectChannel((handlers) =>
        openChannel(definition, {}, handlers, bundled, { authorize }),
      );
      await connected.handshake();
      const failed = connected
        .call("echo", { message: "x".repeat(10_000) })
        .catch((thrown: Error) => thrown.message);
      if (transport !== "sse")
        return assert.match(String(await failed), /limit of 5 KiB \('maxMessageBytes'\)/);
      await connected.call("echo", { message: "after" });
      assert.equal(connected.tooLarge[0]?.[0], 2);
    });
  }

  test("a definition without what its transport needs names the missing key", async () => {
    const handlers = { onMessage: () => undefined, onClose: () => undefined };
    for (const [settings, key] of [
      [{ command: undefined }, "command"],
      [{ command: undefined, transport: "websocket" }, "url"],
    ] as const) {
      await assert.rejects(openChannel(sampleServer(settings), {}, handlers, bundled), {
        name: "TransportError",
        message: new RegExp(`needs '${key}'`),
      });
    }
  });
});
