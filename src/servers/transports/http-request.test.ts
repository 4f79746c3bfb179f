import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { suite, test } from "node:test";
import { connectChannel } from "../../../test/fixtures/servers/support/connect-channel.ts";
import { startHttpFixture } from "../../../test/fixtures/start-server.ts";
import { listen } from "../../../test/samples/channels.ts";
import { PlaneError } from "../../model/errors.ts";
import { openHttp } from "./http.ts";
import type { HttpOptions } from "./http-request.ts";

const connect = (url: string, changes: Partial<HttpOptions> = {}) =>
  connectChannel((handlers) =>
    openHttp({ url, headers: {}, maxMessageBytes: 10_000, ...changes }, handlers),
  );

const answer = '{"jsonrpc":"2.0","id":ID,"result":{}}';

/** A server that does with each socket what no HTTP library would. */
async function serveSockets(onData: (socket: Socket, data: string, nth: number) => void) {
  const sockets = new Set<Socket>();
  let seen = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (data) => onData(socket, String(data), ++seen));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/pw-path?key=pw-query`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

suite("HTTP requests", { concurrency: 8 }, () => {
  test("who asks is found again for every request, and once more when it was refused", async () => {
    await using fixture = await startHttpFixture("http", ["--token", "right"]);
    const challenges: unknown[] = [];
    let asked = 0;
    let token = "old";
    await using connected = await connect(fixture.url, {
      headers: { Authorization: "Bearer configured" },
      async authorize() {
        asked += 1;
        return { authorization: `Bearer ${token}` };
      },
      async onRefused(challenge) {
        challenges.push(challenge);
        token = "right";
        return true;
      },
    });
    await connected.handshake();
    assert.deepEqual(challenges, [
      { status: 401, wwwAuthenticate: 'Bearer realm="fixture", error="invalid_token"' },
    ]);
    const before = asked;
    await connected.call("echo", { message: "x" });
    assert.equal(asked, before + 1);
  });

  test("a refusal that is not taken back is reported with its status, after one more try at most", async () => {
    for (const [again, tries] of [
      [true, 2],
      [false, 1],
    ] as const) {
      let requests = 0;
      await using server = await listen((_, response) => {
        requests += 1;
        response
          .writeHead(403, { "content-type": "application/json" })
          .end(answer.replace("ID", "null"));
      });
      await using connected = await connect(server.url, { onRefused: async () => again });
      await assert.rejects(connected.peer.request("x"), {
        name: "TransportError",
        status: 403,
        sent: true,
        permanent: true,
      });
      assert.equal(requests, tries);
    }
  });

  test("a reason of our own not to ask is passed on as it is", async () => {
    await using server = await listen((_, response) => response.writeHead(401).end());
    const reason = new PlaneError("FORBIDDEN", "Sign in first.");
    for (const changes of [
      { authorize: () => Promise.reject(reason) },
      { onRefused: () => Promise.reject(reason) },
    ]) {
      await using connected = await connect(server.url, changes);
      await assert.rejects(connected.peer.request("x"), reason);
    }
  });

  test("saying goodbye starts no sign-in", async () => {
    let goodbyes = 0;
    await using server = await listen((request, response) => {
      if (request.method === "DELETE") goodbyes += 1;
      const status = request.method === "DELETE" ? 401 : 202;
      request.resume();
      response.writeHead(status, { "mcp-session-id": "s" }).end();
    });
    const connected = await connect(server.url, {
      onRefused: () => assert.fail("asked to sign in"),
    });
    await connected.channel.send({ jsonrpc: "2.0", method: "notifications/x" });
    await connected.channel.close();
    assert.equal(goodbyes, 1);
  });

  test("a closed port, an unknown host and a port without TLS have reasons of their own, without secrets", async () => {
    await using plain = await listen((_, response) => response.end());
    await using other = await serveSockets((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    const gone = await startHttpFixture("http");
    await gone.stop();
    const secret = (url: string) =>
      `${url.replace("://", "://ada:pw-user@").replace("/mcp", "/pw-path")}?key=pw-query`;
    const places: [url: string, reason: RegExp][] = [
      [secret(gone.url), /^nothing listens at 127\.0\.0\.1:\d+/],
      [
        "http://ada:pw-user@no-such-host.invalid/pw-path",
        /^host 'no-such-host\.invalid' was not found/,
      ],
      [secret(plain.url.replace("http:", "https:")), /^127\.0\.0\.1:\d+ does not speak TLS/],
      [other.url, /does not speak HTTP/],
    ];
    for (const [url, reason] of places) {
      await using connected = await connect(url);
      await assert.rejects(connected.peer.request("x"), (error: Error) => {
        assert.match(error.message, reason);
        assert.doesNotMatch(error.message, /pw-|ada/);
        return true;
      });
    }
  });

  test("a header that cannot be sent is named without its value", async () => {
    await using connected = await connect("http://127.0.0.1:9/", {
      headers: { "x-key": "hunter2\n" },
    });
    await assert.rejects(connected.peer.request("x"), (error: Error) => {
      assert.match(error.message, /x-key.*'headers'/);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  });

  test("a connection that is cut after the request may have been seen, also where it was an old one", async () => {
    const body = answer.replace("ID", "1");
    await using server = await serveSockets((socket, _, nth) => {
      if (nth > 1) socket.resetAndDestroy();
      else
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
    });
    await using connected = await connect(server.url);
    await connected.peer.request("x");
    for (const kind of ["an old connection", "a new one"]) {
      await assert.rejects(connected.peer.request("x"), (error: Error & { sent: boolean }) => {
        assert.match(error.message, /^the connection to 127\.0\.0\.1:\d+ was cut$/);
        assert.equal(error.sent, true, kind);
        return true;
      });
    }
  });

  test("an answer above the limit fails its request and no other one", async () => {
    const large = { jsonrpc: "2.0", id: 0, result: { text: "x".repeat(20_000) } };
    const ways: Record<
      string,
      (id: number) => [headers: Record<string, string | number>, body: string]
    > = {
      announced(id) {
        const body = JSON.stringify({ ...large, id });
        return [{ "content-type": "application/json", "content-length": body.length }, body];
      },
      unannounced: (id) => [
        { "content-type": "application/json" },
        JSON.stringify({ ...large, id }),
      ],
      "as an event": (id) => [
        { "content-type": "text/event-stream" },
        `data: ${JSON.stringify({ ...large, id })}\n\n`,
      ],
    };
    for (const [title, way] of Object.entries(ways)) {
      await using server = await listen(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
        const [headers, body] =
          method === "large"
            ? way(id)
            : [{ "content-type": "application/json" }, answer.replace("ID", id)];
        response.writeHead(200, headers);
        response.write(body.slice(0, 5_000));
        response.end(body.slice(5_000));
      });
      await using connected = await connect(server.url);
      const small = connected.peer.request("small");
      await assert.rejects(
        connected.peer.request("large"),
        {
          name: "TransportError",
          message: "its answer exceeds the limit of 10 KiB ('maxMessageBytes')",
          sent: true,
        },
        title,
      );
      assert.deepEqual([await small, await connected.peer.request("small")], [{}, {}]);
      assert.equal(connected.closings, 0);
    }
  });
});
