import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createPlane } from "../../../src/index.ts";
import type { ServerStatus } from "../../../src/model/servers/server-schema.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson } from "../requests.ts";
import { eventually } from "../rogue/rogue.ts";
import {
  callsAt,
  errorOf,
  processFixture as fixture,
  isAlive,
  pidsIn,
  planeOf,
  sleepyServer,
  startServe,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { countIn, startsIn } from "./parts.ts";

const _lifeEvents = [
  "server.connecting",
  "server.connected",
  "server.disconnected",
  "server.error",
] as const;
const _stubborn = ["--ignore-sigterm", "--ignore-stdin-end", "--ttl", "60"];

suite("two things at once", { concurrency: 4 }, () => {
  test("a disconnect in the middle of a call ends the call, and nothing brings the server back", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log], { trusted: true }) });
    const calling = plane.call("echo.slow", { ms: 60_000 });
    await until("the call", () => callsAt(log).length === 1);
    await plane.servers.disconnect("echo");
    const outcome = await within("the end of the call", calling);
    assert.equal(outcome.ok, false);
    assert.match(errorOf(outcome).message, /'echo'/);
    await plane.tools.list();
    assert.equal(startsIn(log).length, 1);
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    await plane.servers.connect("echo");
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "back" })), ["back"]);
  });

  test("a connect in the middle of a disconnect has the last word", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    await plane.servers.connect("echo");
    const leaving = plane.servers.disconnect("echo");
    const coming = plane.servers.connect("echo");
    await within("both", Promise.all([leaving, coming]));
    const { state, pid } = await plane.servers.get("echo");
    assert.equal(state, "connected");
    assert.ok(pid !== null && isAlive(pid));
    assert.deepEqual(textsOf(await plane.call("echo.echo", { message: "x" })), ["x"]);
    assert.equal(pidsIn(log).filter(isAlive).length, 1);
  });

  test("a disconnect in the middle of a connect has the last word", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ sleepy: sleepyServer(["--log", log]) });
    const coming = plane.servers.connect("sleepy").then(
      () => "connected",
      (thrown: Error) => thrown.message,
    );
    await until("its start", () => pidsIn(log).length === 1);
    await within("the disconnect", plane.servers.disconnect("sleepy"));
    assert.match(await within("the connect", coming), /'sleepy'/);
    await delay(300);
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    assert.equal((await plane.servers.get("sleepy")).state, "disconnected");
  });

  test("a reload in the middle of a connect starts the new definition and leaves nothing of the old", async () => {
    await using directory = await temporaryDirectory();
    const old = directory.file("old");
    const fresh = directory.file("fresh");
    const config = await writeConfig(directory, { srv: sleepyServer(["--log", old]) });
    await using plane = await createPlane({ config });
    plane.start();
    await until("its start", () => pidsIn(old).length === 1);
    await writeConfig(directory, { srv: fixture("echo", ["--log", fresh]) });
    const { changed } = await within("the reload", plane.reload());
    assert.deepEqual(changed, ["srv"]);
    await until("the start of the new one", () => countIn(fresh, "tools/list") === 1);
    assert.deepEqual(pidsIn(old).filter(isAlive), []);
    assert.deepEqual(textsOf(await plane.call("srv.echo", { message: "new" })), ["new"]);
  });

  test("an edit that repairs a server connects it without anybody asking", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { srv: { command: "no-such-command-yet" } });
    await using serving = await startServe(config, directory.file("data"));
    const status = async () =>
      (await getJson(`${serving.url}/servers/srv`)).body as unknown as ServerStatus;
    await eventually("its failure", async () => (await status()).error !== null);
    await writeConfig(directory, { srv: fixture("echo", ["--log", log]) });
    await eventually("its connection", async () => (await status()).state === "connected");
  });

  test("an edit of one server in the middle of another's call does not touch the call", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const busy = fixture("echo", ["--log", log]);
    const config = await writeConfig(directory, { busy, other: fixture("echo") });
    await using plane = await createPlane({ config });
    const calling = plane.call("busy.slow", { ms: 800 });
    await until("the call", () => callsAt(log).length === 1);
    await writeConfig(directory, {
      busy,
      other: fixture("echo", ["--name", "new"]),
      more: fixture("state"),
    });
    await plane.reload();
    assert.deepEqual(textsOf(await calling), ["waited 800"]);
    assert.deepEqual(textsOf(await plane.call("other.whoami_server")), ["new"]);
    assert.equal(startsIn(log).length, 1);
  });

  test("a server that is removed in the middle of its call ends the call and the process", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      gone: fixture("echo", ["--log", log]),
      kept: fixture("echo"),
    });
    await using plane = await createPlane({ config });
    const calling = plane.call("gone.slow", { ms: 60_000 });
    await until("the call", () => callsAt(log).length === 1);
    await writeConfig(directory, { kept: fixture("echo") });
    await within("the reload", plane.reload());
    assert.equal((await within("the call", calling)).ok, false);
    assert.deepEqual(pidsIn(log).filter(isAlive), []);
    assert.equal(errorOf(await plane.call("gone.echo", { message: "x" })).code, "TOOL_NOT_FOUND");
  });

  test("a server that an edit brings back is still known, and so it is not started", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const marker = directory.file("marker");
    const kept = fixture("echo");
    const back = fixture("state", ["--log", log]);
    const dataDirectory = directory.file("data");
    const config = await writeConfig(directory, { kept, back });
    {
      await using plane = await createPlane({ config, dataDirectory });
      await plane.tools.list();
    }
    await writeConfig(directory, { kept });
    await using plane = await createPlane({ config, dataDirectory });
    plane.start();
    await plane.tools.list();
    await writeConfig(directory, { kept, back, marker: fixture("echo", ["--log", marker]) });
    await plane.reload();
    await until("the start of what is new", () => countIn(marker, "tools/list") === 1);
    assert.equal((await plane.tools.list()).filter(({ id }) => id.server === "back").length, 3);
    assert.equal(startsIn(log).length, 1);
  });
});
