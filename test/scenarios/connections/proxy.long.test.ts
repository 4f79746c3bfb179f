import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { suite, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { startProxy } from "../../fixtures/http-proxy.ts";
import { startApi } from "../../fixtures/openapi-server.ts";
import { selfSigned } from "../../fixtures/self-signed.ts";
import {
  fixtureEnvironment,
  startHttpFixture,
  temporaryDirectory,
} from "../../fixtures/start-server.ts";
import { inSurroundings } from "../../fixtures/surroundings.ts";
import { errorOf, planeOf, startCli, textsOf, writeConfig } from "../support.ts";
import { structuredOf } from "./parts.ts";

/** Names of this domain have no address anywhere, so that only the proxy can resolve them. */
const host = "mcp.example.test";

const within = <T>(env: Record<string, string>, run: () => Promise<T>): Promise<T> =>
  inSurroundings(
    { env: { ...fixtureEnvironment(), NO_PROXY: "", ...env }, directory: process.cwd() },
    run,
  );

suite("through a proxy", { concurrency: 4 }, () => {
  test("an https server is reached by a tunnel, with the credentials of HTTPS_PROXY, which no one else sees", async () => {
    await using directory = await temporaryDirectory();
    await using server = await startHttpFixture("http");
    const pair = selfSigned(host);
    const front = createTlsServer(pair, (socket) => {
      const back = connect(server.port, "127.0.0.1");
      socket.on("error", () => back.destroy()).pipe(back);
      back.on("error", () => socket.destroy()).pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(front, "listening");
    front.unref();
    const ports = { [`${host}:443`]: (front.address() as AddressInfo).port };
    await using proxy = await startProxy({ ports, credentials: "ann:p@ss" });
    await writeFile(directory.file("ca.pem"), pair.cert);
    const config = await writeConfig(directory, { remote: { url: `https://${host}/mcp` } });
    const env = {
      HTTPS_PROXY: `http://ann:p%40ss@${proxy.host}`,
      NODE_EXTRA_CA_CERTS: directory.file("ca.pem"),
    };
    const words = [
      "call",
      "remote.headers",
      "--json",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ];
    const { code, stdout, stderr } = await startCli(words, { env }).result;
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /mcp\.example\.test/);
    assert.doesNotMatch(stdout + stderr, /proxy-authorization|p@ss|p%40ss/i);
    assert.deepEqual(new Set(proxy.seen), new Set([`CONNECT ${host}:443 as ann:p@ss`]));
    const doctor = await startCli(["doctor", "--config", config, "--data-dir", directory.path], {
      env,
    }).result;
    assert.match(
      doctor.stdout,
      new RegExp(`accepts TLS connections through the proxy at ${proxy.host}`),
    );
  });

  test("an http server is asked in absolute form, over kept connections", async () => {
    await using server = await startHttpFixture("http");
    await using proxy = await startProxy({
      ports: { [`${host}:8080`]: server.port },
      credentials: "ann:secret",
    });
    await within({ http_proxy: `ann:secret@${proxy.host}` }, async () => {
      await using plane = await planeOf({ remote: { url: `http://${host}:8080/mcp` } });
      for (const message of ["one", "two", "three"])
        assert.deepEqual(textsOf(await plane.call("remote.echo", { message })), [message]);
      const seen = structuredOf(await plane.call("remote.headers"));
      assert.equal(seen.host, `${host}:8080`);
      assert.equal(seen["proxy-authorization"], undefined);
    });
    assert.equal(proxy.seen[0], `POST http://${host}:8080/mcp as ann:secret`);
    assert.ok(
      proxy.connections < proxy.seen.length,
      `${proxy.connections} connections, ${proxy.seen.length} requests`,
    );
  });

  for (const [fixture, scheme] of [
    ["sse", "http"],
    ["websocket", "ws"],
  ] as const)
    test(`a server of the transport ${fixture} is reached, too`, async () => {
      await using server = await startHttpFixture(fixture);
      await using proxy = await startProxy({ ports: { [`${host}:8080`]: server.port } });
      const { pathname } = new URL(server.url);
      await within({ HTTP_PROXY: `http://${proxy.host}` }, async () => {
        const url = `${scheme}://${host}:8080${pathname}`;
        await using plane = await planeOf({ remote: { url, transport: fixture } });
        assert.deepEqual(textsOf(await plane.call("remote.echo", { message: "hello" })), ["hello"]);
      });
      assert.match(proxy.seen[0] ?? "", scheme === "ws" ? /^CONNECT mcp/ : /^GET http:/);
    });

  test("an OpenAPI document and its API are asked through it", async () => {
    await using api = await startApi();
    await using proxy = await startProxy({
      ports: { "api.example.test:80": Number(new URL(api.url).port) },
    });
    const ping = { get: { operationId: "ping", responses: { 200: { description: "ok" } } } };
    const info = { title: "Pings", version: "1" };
    api.serve("/api.json", {
      openapi: "3.1.0",
      info,
      servers: [{ url: "/" }],
      paths: { "/ping": ping },
    });
    await within({ HTTP_PROXY: `http://${proxy.host}` }, async () => {
      await using plane = await planeOf({
        api: { openapi: "http://api.example.test/documents/api.json" },
      });
      const outcome = await plane.call("api.ping");
      assert.equal(outcome.ok, true, JSON.stringify(outcome));
    });
    assert.deepEqual(
      [...new Set(proxy.seen)],
      ["GET http://api.example.test/documents/api.json", "GET http://api.example.test/ping"],
    );
  });

  test("this machine and what NO_PROXY names are reached directly", async () => {
    await using server = await startHttpFixture("http");
    await using proxy = await startProxy({ ports: {} });
    await within(
      { HTTP_PROXY: `http://${proxy.host}`, NO_PROXY: "other.test, .example.test" },
      async () => {
        await using plane = await planeOf({
          near: { url: server.url },
          far: { url: `http://${host}:8080/mcp` },
        });
        assert.equal((await plane.call("near.echo", { message: "hello" })).ok, true);
        assert.match(
          errorOf(await plane.call("far.echo", { message: "hello" })).message,
          /was not found/,
        );
      },
    );
    assert.deepEqual(proxy.seen, []);
  });

  for (const [what, env, expected] of [
    [
      "that wants credentials",
      { refuse: 407 },
      /refuses to connect to .*:443 \(HTTP 407\); write user and password into https_proxy/,
    ],
    ["that refuses", { refuse: 403 }, /refuses to connect to mcp\.example\.test:443 \(HTTP 403\)/],
    [
      "that is not there",
      null,
      /the proxy at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\); correct https_proxy/,
    ],
  ] as const)
    test(`a proxy ${what} is named with the remedy and without its credentials`, async () => {
      await using proxy = await startProxy({ ports: {}, ...env });
      const at = env === null ? "127.0.0.1:1" : proxy.host;
      await within({ https_proxy: `http://ann:hidden-word@${at}` }, async () => {
        await using plane = await planeOf({ remote: { url: `https://${host}/mcp` } });
        const failure = errorOf(await plane.call("remote.echo", { message: "hello" }));
        assert.match(failure.message, expected);
        assert.doesNotMatch(JSON.stringify([failure, await plane.servers.list()]), /hidden-word/);
      });
    });

  test("an address that is no HTTP proxy is refused by the name of its variable", async () => {
    await within({ HTTPS_PROXY: "socks5://ann:hidden-word@127.0.0.1:1080" }, async () => {
      await using plane = await planeOf({ remote: { url: `https://${host}/mcp` } });
      const { message } = errorOf(await plane.call("remote.echo", { message: "hello" }));
      assert.match(
        message,
        /HTTPS_PROXY is not the address of an HTTP proxy; write it as http:\/\/HOST:PORT/,
      );
      assert.doesNotMatch(message, /hidden-word/);
    });
  });
});
