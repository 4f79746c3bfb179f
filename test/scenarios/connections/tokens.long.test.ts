import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Plane } from "../../../src/index.ts";
import { startHttpFixture, temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson, postCall } from "../requests.ts";
import { filesWith } from "../rogue/probes.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  planeOf,
  processFixture,
  startServe,
  textsOf,
  writeConfig,
} from "../support.ts";
import { countIn, entriesOf, person, structuredOf } from "./parts.ts";

const ann = person("ann");
const bob = person("bob");
const wanted = { auth: { type: "bearer" } };
const later = (ms: number) => new Date(Date.now() + ms).toISOString();

async function sentBy(plane: Plane, user: typeof ann): Promise<unknown> {
  return structuredOf(await plane.call("remote.headers", {}, { principal: user })).authorization;
}

suite("tokens that people give", { concurrency: 4 }, () => {
  test("a server that is a process, or wants none, takes no token", async () => {
    const open = {
      url: "http://127.0.0.1:9/mcp",
      autoConnect: false,
      auth: { type: "none" as const },
    };
    await using plane = await planeOf({ local: processFixture("echo"), open });
    for (const name of ["local", "open"])
      await assert.rejects(plane.tokens.set(name, { token: "CANARY" }), {
        code: "USAGE",
        message: /takes no token/,
      });
    assert.deepEqual(await plane.tokens.list(), []);
  });

  test("each user's token is theirs: listed without itself, sent in their calls only", async () => {
    await using server = await startHttpFixture("http");
    await using plane = await planeOf(
      { remote: { url: server.url, ...wanted } },
      { principal: ann },
    );
    const given = { token: "CANARY-ann", expiresAt: later(3_600_000), scopes: ["read", "write"] };
    await plane.tokens.set("remote", given);
    await plane.tokens.set("remote", { token: "CANARY-bob" }, { principal: bob });
    assert.deepEqual(
      [await sentBy(plane, ann), await sentBy(plane, bob)],
      ["Bearer CANARY-ann", "Bearer CANARY-bob"],
    );
    const [status, ...others] = await plane.tokens.list();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [status?.server, status?.user, status?.kind, status?.scopes, status?.expired],
      ["remote", "ann", "token", ["read", "write"], false],
    );
    assert.doesNotMatch(
      JSON.stringify([status, plane.servers.poolInfo(), await plane.servers.list()]),
      /CANARY/,
    );
    const [his] = await plane.tokens.list({ principal: bob });
    assert.deepEqual([his?.user, his?.expiresAt], ["bob", null]);
  });

  test("a token is kept encrypted, and survives the plane", async () => {
    await using directory = await temporaryDirectory();
    await using server = await startHttpFixture("http");
    const options = { dataDirectory: directory.file("data"), principal: ann };
    const servers = { remote: { url: server.url, ...wanted } };
    {
      await using plane = await planeOf(servers, options);
      await plane.tokens.set("remote", { token: "CANARY-secret" });
      assert.equal(await sentBy(plane, ann), "Bearer CANARY-secret");
    }
    assert.deepEqual(filesWith(directory.file("data"), "CANARY"), []);
    await using plane = await planeOf(servers, options);
    assert.equal(await sentBy(plane, ann), "Bearer CANARY-secret");
  });

  test("a token in its last minute counts as over", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    await using plane = await planeOf(
      { remote: { url: server.url, ...wanted } },
      { principal: ann },
    );
    await plane.tokens.set("remote", { token: "short", expiresAt: later(50_000) });
    assert.equal((await plane.tokens.list())[0]?.expired, true);
    assert.equal(errorOf(await plane.call("remote.headers")).code, "AUTH_REQUIRED");
    assert.equal(entriesOf(log, "received").length, 0, "nothing is sent with it");
    await plane.tokens.set("remote", { token: "longer", expiresAt: later(120_000) });
    assert.equal((await plane.tokens.list())[0]?.expired, false);
    assert.equal(await sentBy(plane, ann), "Bearer longer");
  });

  test("a token that is taken back ends the sessions that were opened with it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    await using plane = await planeOf(
      { remote: { url: server.url, ...wanted } },
      { principal: ann },
    );
    await plane.tokens.set("remote", { token: "one" });
    assert.equal(await sentBy(plane, ann), "Bearer one");
    assert.ok(plane.servers.poolInfo().size > 0);
    assert.equal(await plane.tokens.forget("remote"), true);
    await until("the end of its sessions", () => plane.servers.poolInfo().size === 0);
    assert.equal(await plane.tokens.forget("remote"), false);
    assert.deepEqual(await plane.tokens.list(), []);
    assert.equal(errorOf(await plane.call("remote.headers")).code, "AUTH_REQUIRED");
    await plane.tokens.set("remote", { token: "two" });
    assert.equal(await sentBy(plane, ann), "Bearer two");
  });

  test("a server learns that the sessions of a revoked token are over", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    await using plane = await planeOf(
      { remote: { url: server.url, ...wanted } },
      { principal: ann },
    );
    await plane.tokens.set("remote", { token: "one" });
    await sentBy(plane, ann);
    const opened = countIn(log, "initialize");
    await plane.tokens.forget("remote");
    await until("the end of its sessions", () => entriesOf(log, "session-end").length === opened);
  });

  test("a user who gave a token can call, also where the plane itself has none", async () => {
    await using server = await startHttpFixture("http", ["--token", "right"]);
    await using plane = await planeOf({ remote: { url: server.url, ...wanted } });
    await plane.tokens.set("remote", { token: "right" }, { principal: ann });
    assert.equal(await sentBy(plane, ann), "Bearer right");
    const names = (await plane.tools.list({ principal: ann })).map(({ name }) => name);
    assert.ok(names.includes("remote.headers"), "and sees what there is to call");
  });

  test("one user's new token does not end the call of another", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    await using plane = await planeOf(
      { remote: { url: server.url, ...wanted } },
      { principal: ann },
    );
    await plane.tokens.set("remote", { token: "ann" });
    await plane.tokens.set("remote", { token: "bob" }, { principal: bob });
    await sentBy(plane, bob);
    const calling = plane.call("remote.slow", { ms: 1_500 }, { principal: bob });
    await until("his call", () => callsAt(log).some(({ name }) => name === "slow"));
    await plane.tokens.set("remote", { token: "ann-again" });
    assert.equal(await plane.tokens.forget("remote"), true);
    assert.deepEqual(textsOf(await calling), ["waited 1500"]);
  });

  test("one user never gets the token of another, whatever they are called", async () => {
    await using server = await startHttpFixture("http");
    await using plane = await planeOf(
      { remote: { url: server.url, ...wanted }, other: { url: server.url, ...wanted } },
      { principal: ann },
    );
    await plane.tokens.set("remote", { token: "of-ann" });
    const users = ["ann ", "ANN", "ann\u0000", "ann/remote", "", "__proto__", "an%6e"];
    for (const user of users) {
      const outcome = await plane.call("remote.headers", {}, { principal: person(user) });
      assert.equal(errorOf(outcome).code, "AUTH_REQUIRED", JSON.stringify(user));
      assert.deepEqual(await plane.tokens.list({ principal: person(user) }), []);
    }
    assert.equal(
      errorOf(await plane.call("other.headers")).code,
      "AUTH_REQUIRED",
      "nor that of another server",
    );
  });

  test("a missing token is a result that says who wants what and how, and harms no one else", async () => {
    await using server = await startHttpFixture("http", ["--token", "right"]);
    await using plane = await planeOf({
      remote: { url: server.url, ...wanted },
      echo: fixture("echo"),
    });
    const outcome = await plane.call("remote.echo", { message: "hi" });
    assertFailed(outcome, "AUTH_REQUIRED", outcome.call.status);
    const { server: name, message, data, recoverable, category } = errorOf(outcome);
    assert.deepEqual([name, recoverable, category], ["remote", false, "policy"]);
    assert.equal(data.kind, "token");
    assert.equal(data.how, "toolplane servers login remote");
    assert.match(message, /'remote'.*toolplane servers login remote/);
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "hi" })), ["hi"]);
    assert.ok((await plane.tools.list()).length > 0);
    assert.match((await plane.servers.get("remote")).error ?? "", /token/);
  });

  test("a token that the server refuses is asked for again, without a loop", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--token", "right", "--log", log]);
    await using plane = await planeOf(
      { remote: { url: server.url, ...wanted } },
      { principal: ann },
    );
    await plane.tokens.set("remote", { token: "CANARY-wrong" });
    const outcome = await plane.call("remote.echo", { message: "hi" });
    const { code, message } = errorOf(outcome);
    assert.equal(code, "AUTH_REQUIRED");
    assert.match(message, /refused/);
    assert.doesNotMatch(
      JSON.stringify([outcome, await plane.servers.list(), await plane.servers.logs("remote")]),
      /CANARY/,
    );
    assert.ok(
      entriesOf(log, "challenged").length <= 4,
      `${entriesOf(log, "challenged").length} tries`,
    );
    await plane.tokens.set("remote", { token: "right" });
    assert.deepEqual(textsOf(await plane.call("remote.echo", { message: "in" })), ["in"]);
  });

  test("a server that needs a person is not knocked at again and again", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--token", "right", "--log", log]);
    const entry = { url: server.url, ...wanted, lazy: false, backoffMs: 50, maxBackoffMs: 50 };
    await using plane = await planeOf({ remote: entry }, { principal: ann });
    await plane.tokens.set("remote", { token: "wrong" });
    plane.start();
    await until("the first try", () => entriesOf(log, "challenged").length > 0);
    await delay(1_000);
    assert.ok(
      entriesOf(log, "challenged").length <= 4,
      `${entriesOf(log, "challenged").length} tries in a second`,
    );
    assert.equal((await plane.servers.get("remote")).state, "error");
  });

  test("a token is given, shown and taken back over HTTP", async () => {
    await using directory = await temporaryDirectory();
    await using server = await startHttpFixture("http", ["--token", "CANARY-right"]);
    const config = await writeConfig(directory, { remote: { url: server.url, ...wanted } });
    await using serving = await startServe(config, directory.file("data"));
    const call = () => postCall(serving.url, "remote.echo", { arguments: { message: "in" } });
    const send = async (method: string, body?: object) => {
      const init = {
        method,
        headers: serving.proof,
        ...(body ? { body: JSON.stringify(body) } : {}),
      };
      return fetch(`${serving.url}/servers/remote/token`, init);
    };
    const before = await call();
    assert.equal(before.status, 401);
    assert.match(JSON.stringify(before.body), /AUTH_REQUIRED/);
    const given = await send("PUT", { token: "CANARY-right", scopes: ["read"] });
    assert.equal(given.status, 200);
    const shown = await getJson(`${serving.url}/tokens`);
    assert.match(JSON.stringify(shown.body), /"scopes":\["read"\]/);
    assert.doesNotMatch((await given.text()) + JSON.stringify(shown.body), /CANARY/);
    assert.equal((await call()).status, 200);
    assert.equal((await send("PUT", { token: "" })).status, 400);
    assert.equal((await send("PUT", { token: "x", expiresAt: "soon" })).status, 400);
    assert.deepEqual(await (await send("DELETE")).json(), { ok: true });
    assert.equal((await call()).status, 401);
    assert.deepEqual(filesWith(directory.file("data"), "CANARY"), []);
  });
});
