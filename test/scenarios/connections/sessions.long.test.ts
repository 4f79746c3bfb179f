import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Plane } from "../../../src/index.ts";
import { startHttpFixture, temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { postCall } from "../requests.ts";
import { filesWith } from "../rogue/probes.ts";
import {
  callsAt,
  errorOf,
  processFixture as fixture,
  isAlive,
  pidsIn,
  planeOf,
  startServe,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { countIn, entriesOf, odd, person, startsIn, structuredOf } from "./parts.ts";

type Who = { user?: string; conversation?: string };

async function count(
  plane: Plane,
  { user, conversation }: Who = {},
  tool = "increment",
): Promise<unknown> {
  const options = {
    ...(user === undefined ? {} : { principal: person(user) }),
    ...(conversation === undefined ? {} : { conversation }),
  };
  return structuredOf(await plane.call(`state.${tool}`, {}, options)).count;
}

suite("sessions", { concurrency: 4 }, () => {
  for (const transport of ["stdio", "http"] as const) {
    test(`a conversation keeps its own session over ${transport}`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      await using server = await startHttpFixture("state", ["--http", "--log", log]);
      const remote = { url: server.url, session: "conversation" };
      const local = fixture("state", ["--log", log], { session: "conversation" });
      await using plane = await planeOf({ state: transport === "http" ? remote : local });
      const a = { user: "ann", conversation: "one" };
      const b = { user: "ann", conversation: "two" };
      assert.deepEqual(
        [await count(plane, a), await count(plane, a), await count(plane, b)],
        [1, 2, 1],
      );
      const sameName = { user: "bob", conversation: "one" };
      assert.equal(
        await count(plane, sameName),
        1,
        "another user's conversation of the same name is another",
      );
      assert.equal(await count(plane, a), 3);
      assert.equal(await plane.conversations.end("one", { principal: person("ann") }), 1);
      assert.equal(await plane.conversations.end("one", { principal: person("ann") }), 0);
      assert.equal(await count(plane, a), 1, "a new session after the end");
      assert.deepEqual([await count(plane, b), await count(plane, sameName)], [2, 2]);
    });
  }

  test("many calls at once open one session for each conversation", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("state", ["--http", "--log", log]);
    await using plane = await planeOf({ state: { url: server.url, session: "conversation" } });
    await plane.tools.list();
    const before = countIn(log, "initialize");
    const conversations = ["a", "b", "c", "d", "e"];
    const calls = conversations.flatMap((conversation) =>
      Array.from({ length: 20 }, () => count(plane, { user: "ann", conversation })),
    );
    const counts = (await Promise.all(calls)) as number[];
    assert.equal(countIn(log, "initialize") - before, 5);
    for (let at = 0; at < 5; at++) {
      const own = counts.slice(at * 20, at * 20 + 20).toSorted((x, y) => x - y);
      assert.deepEqual(
        own,
        Array.from({ length: 20 }, (_, step) => step + 1),
      );
    }
    assert.equal(await plane.conversations.end("a", { principal: person("ann") }), 1);
    await until("the end of one", () => entriesOf(log, "session-end").length === 1);
  });

  test("a principal never sees the session of another, nor that of no user", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      state: fixture("state", ["--log", log], { session: "principal" }),
    });
    const users = ["ann", "bob", 'a","conversation":null}', ""];
    for (const user of users) assert.equal(await count(plane, { user }), 1, JSON.stringify(user));
    for (const user of users) assert.equal(await count(plane, { user, conversation: "x" }), 2);
    assert.equal(await count(plane), 1);
    await until("five sessions", () => pidsIn(log).filter(isAlive).length === 5);
    await plane.stop();
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
  });

  test("a shared server has one session for all users, whatever they say", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ state: fixture("state", ["--log", log]) });
    assert.equal(await count(plane, { user: "ann", conversation: "one" }), 1);
    assert.equal(await count(plane, { user: "bob", conversation: "two" }), 2);
    assert.equal(await plane.conversations.end("one", { principal: person("ann") }), 0);
    assert.equal(await count(plane), 3);
    assert.equal(startsIn(log).length, 1);
  });

  test("a conversation that ends in the middle of its call ends that call and no other", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd(["--log", log], { session: "conversation" }) });
    const ended = plane.call("odd.slow", { ms: 60_000 }, { conversation: "ended" });
    const kept = plane.call("odd.slow", { ms: 1_500 }, { conversation: "kept" });
    await until("both calls", () => callsAt(log).length === 2);
    assert.equal(await plane.conversations.end("ended"), 1);
    const outcome = await within("the end of the call", ended);
    assert.equal(errorOf(outcome).code, "OUTCOME_UNKNOWN");
    assert.deepEqual(textsOf(await kept), ["waited 1500"]);
  });

  test("the conversation of a call over HTTP decides about its session", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      state: fixture("state", [], { session: "conversation" }),
    });
    await using serving = await startServe(config, directory.file("data"));
    const step = async (conversation: string) => {
      const { body } = await postCall(serving.url, "state.increment", {
        arguments: {},
        conversation,
      });
      return structuredOf(body).count;
    };
    assert.deepEqual([await step("a"), await step("a"), await step("b")], [1, 2, 1]);
    const { status } = await postCall(serving.url, "state.increment", {
      arguments: {},
      conversation: 7,
    });
    assert.equal(status, 400);
  });

  test("the death of one conversation's server costs the others nothing", async () => {
    await using plane = await planeOf({
      state: fixture("state", [], { session: "conversation" }),
      fault: fixture("fault", [], { session: "conversation" }),
    });
    const one = { conversation: "one" };
    assert.deepEqual(textsOf(await plane.call("fault.ok", {}, one)), ["ok"]);
    assert.deepEqual(textsOf(await plane.call("fault.ok", {}, { conversation: "two" })), ["ok"]);
    const waiting = plane.call("fault.wrong_id", {}, { conversation: "two", timeoutMs: 1_500 });
    assert.equal(errorOf(await plane.call("fault.kill_mid_call", {}, one)).code, "OUTCOME_UNKNOWN");
    assert.equal(errorOf(await waiting).code, "TIMEOUT", "it went on waiting in its own session");
    assert.deepEqual(textsOf(await plane.call("fault.ok", {}, one)), ["ok"]);
  });

  for (const calls of [20, 300]) {
    test(`${calls} first calls at once open one session`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const web = directory.file("web");
      await using server = await startHttpFixture("http", ["--log", web]);
      await using plane = await planeOf({
        local: fixture("echo", ["--log", log]),
        remote: { url: server.url },
      });
      const names = Array.from({ length: calls }, (_, at) => `m${at}`);
      const outcomes = await Promise.all(
        names.map((message, at) => plane.call(at % 2 ? "local.echo" : "remote.echo", { message })),
      );
      assert.deepEqual(outcomes.flatMap(textsOf), names);
      assert.deepEqual([countIn(log, "initialize"), startsIn(log).length], [1, 1]);
      assert.deepEqual([countIn(web, "initialize"), countIn(web, "tools/list")], [1, 1]);
    });
  }

  test("other secrets are other sessions, and the pool shows none of them", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("http", ["--log", log]);
    const withKey = (key: string) => ({
      url: server.url,
      headers: { Authorization: `Bearer ${key}` },
    });
    const { env, ...echo } = fixture("echo", ["--label", "CANARY-argument"]);
    await using plane = await planeOf({
      one: withKey("CANARY-one"),
      two: withKey("CANARY-two"),
      three: { ...echo, env: { ...(env as object), API_KEY: "CANARY-three" } },
    });
    const sent = async (name: string) =>
      structuredOf(await plane.call(`${name}.headers`)).authorization;
    assert.deepEqual(
      [await sent("one"), await sent("two")],
      ["Bearer CANARY-one", "Bearer CANARY-two"],
    );
    await plane.call("three.pid");
    assert.equal(countIn(log, "initialize"), 2);
    const info = plane.servers.poolInfo();
    assert.equal(info.size, 3);
    assert.deepEqual(info.sessions.map(({ server: name }) => name).toSorted(), [
      "one",
      "three",
      "two",
    ]);
    assert.equal(new Set(info.sessions.map(({ key }) => key)).size, 3);
    assert.doesNotMatch(JSON.stringify(info), /CANARY/);
  });

  test("no file of the data directory holds a secret of the configuration", async () => {
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    await using server = await startHttpFixture("http");
    await using plane = await planeOf(
      { remote: { url: server.url, headers: { "X-Key": "CANARY-header" } } },
      { dataDirectory: data, principal: person("ann") },
    );
    await plane.call("remote.echo", { message: "hi" });
    await plane.stop();
    assert.deepEqual(filesWith(data, "CANARY"), []);
  });

  test("clearing tells how many sessions it closed, and is safe when there are none", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      state: fixture("state", ["--log", log], { session: "conversation" }),
      echo: fixture("echo", ["--log", log]),
    });
    assert.deepEqual(
      [await plane.servers.clearCaches(), await plane.servers.clearCaches("echo")],
      [0, 0],
    );
    await plane.call("echo.pid");
    for (const conversation of ["a", "b"]) await count(plane, { conversation });
    assert.equal(plane.servers.poolInfo().size, 4);
    assert.equal(await plane.servers.clearCaches("state"), 3);
    assert.equal(plane.servers.poolInfo().size, 1);
    assert.equal(await plane.servers.clearCaches(), 1);
    assert.deepEqual([plane.servers.poolInfo().size, pidsIn(log).filter(isAlive)], [0, []]);
    await assert.rejects(plane.servers.clearCaches("stade"), { code: "SERVER_NOT_FOUND" });
    assert.equal(await count(plane, { conversation: "a" }), 1);
  });

  test("two names of one command are two processes", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const same = fixture("echo", ["--log", log]);
    await using plane = await planeOf({ one: same, two: same });
    const [one] = textsOf(await plane.call("one.pid"));
    const [two] = textsOf(await plane.call("two.pid"));
    assert.notEqual(one, two);
    await plane.servers.disconnect("one");
    assert.deepEqual(textsOf(await plane.call("two.pid")), [two]);
  });
});
