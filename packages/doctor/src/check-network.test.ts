import assert from "node:assert/strict";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { suite, test } from "node:test";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import { selfSigned } from "@toolplane/test/fixtures/self-signed";
import { sampleServer } from "@toolplane/test/samples/calls";
import { listen } from "@toolplane/test/samples/channels";
import { bundled } from "@toolplane/test/samples/core";
import { failure, outline } from "@toolplane/test/samples/doctor-checks";
import { examineServer } from "./doctor.ts";

function examine(url: string, limitMs = 10_000): Promise<DoctorCheck[]> {
  const definition = sampleServer({ command: undefined, url, transport: "http" });
  const options = {
    environment: {},
    directory: "/",
    limitMs,
    takeTools: () => assert.fail("nothing is listed"),
    packages: bundled,
  };
  return examineServer("notes", definition, options);
}

const unreached = "configuration enabled url environment !reachable";

suite("a server that cannot be reached", { concurrency: 4 }, () => {
  test("a closed port is reported as such", async () => {
    const server = await listenTo(createServer());
    await server[Symbol.asyncDispose]();
    const checks = await examine(withSecrets(server.url));
    assert.equal(outline(checks), unreached);
    assert.match(failure(checks).detail, /^Nothing listens at 127\.0\.0\.1:\d+\.$/);
    assert.match(failure(checks).fix, /^Start the server, or correct the port in 'url'\.$/);
  });

  test("an unknown host is reported as such", async () => {
    const checks = await examine("http://ada:pw-one@notes.invalid/pw-two?key=pw-three");
    assert.equal(outline(checks), unreached);
    assert.match(failure(checks).detail, /host.* 'notes\.invalid'/);
    assert.match(failure(checks).fix, /^Correct the host name in 'url'/);
  });

  test("TLS on a plain port is reported as such", async () => {
    await using server = await listen((_, response) => response.end("plain"));
    const checks = await examine(withSecrets(server.url.replace("http:", "https:")));
    assert.equal(outline(checks), unreached);
    assert.match(failure(checks).detail, /accepts connections but does not speak TLS/);
    assert.match(failure(checks).fix, /^Change the beginning of 'url' to http:\/\//);
  });

  test("plain HTTP on a TLS port is reported as such", async () => {
    await using server = await listenTo(createHttpsServer(selfSigned()));
    const checks = await examine(withSecrets(server.url));
    assert.equal(outline(checks), unreached);
    assert.match(failure(checks).detail, /expects TLS, and 'url' begins with http:/);
    assert.equal(failure(checks).fix, "Change the beginning of 'url' to https://.");
  });

  test("a certificate of an unknown issuer is reported as such", async () => {
    await using server = await listenTo(createHttpsServer(selfSigned()));
    const checks = await examine(withSecrets(server.url.replace("http:", "https:")));
    assert.equal(outline(checks), unreached);
    assert.match(failure(checks).fix, /NODE_EXTRA_CA_CERTS/);
  });

  test("a port that takes connections and says nothing is given up in time", async () => {
    await using server = await listenTo(createServer());
    const tls = failure(await examine(server.url.replace("http:", "https:"), 300));
    assert.match(tls.detail, /does not speak TLS \(no answer within 0\.3 s\)/);
    const plain = await examine(server.url, 300);
    assert.equal(outline(plain), "configuration enabled url environment reachable !handshake");
    assert.match(failure(plain).detail, /^It gave no answer within 0\.3 s\.$/);
  });
});

function withSecrets(url: string): string {
  return url.replace("://", "://ada:pw-one@").replace(/(\d)(\/mcp)?$/, "$1/pw-two?key=pw-three");
}

async function listenTo(server: Server): Promise<AsyncDisposable & { url: string }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.unref()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
