import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ServerStatus } from "../../src/model/servers/server-schema.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  processFixture as fixture,
  isAlive,
  pidsIn,
  planeOf,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

const running = ({ name, state }: ServerStatus) => [name, state];

suite("restarting servers", () => {
  test("a new process is started, and calls that come meanwhile wait for it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      echo: fixture("echo", ["--log", log]),
      other: fixture("echo"),
    });
    await plane.servers.connect("echo");
    const { promise: closed, resolve } = Promise.withResolvers<unknown>();
    plane.on("server.disconnected", resolve);
    const restarting = plane.servers.restart("echo");
    await closed;
    const meanwhile = await plane.call("echo.echo", { message: "meanwhile" });
    assert.deepEqual([meanwhile.ok, meanwhile.call.attempts], [true, 1]);
    assert.deepEqual((await restarting).map(running), [["echo", "connected"]]);
    const [first, second, ...more] = pidsIn(log);
    assert.deepEqual(
      [first === second, isAlive(first ?? 0), isAlive(second ?? 0), more],
      [false, false, true, []],
    );
  });

  test("without a name those that run are restarted, and what was never used stays as it is", async () => {
    await using plane = await planeOf({
      used: fixture("echo"),
      unused: fixture("echo", [], { lazy: true }),
      off: fixture("echo", [], { enabled: false }),
    });
    await plane.servers.connect("used");
    assert.deepEqual((await plane.servers.restart()).map(running), [["used", "connected"]]);
    assert.deepEqual((await plane.servers.restart("unused")).map(running), [
      ["unused", "connected"],
    ]);
    await assert.rejects(plane.servers.restart("off"), {
      code: "SERVER_UNAVAILABLE",
      message: /disabled/,
    });
    await assert.rejects(plane.servers.restart("nobody"), { code: "SERVER_NOT_FOUND" });
  });

  test("one that was disconnected runs again", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    await plane.servers.disconnect("echo");
    assert.deepEqual((await plane.servers.restart("echo")).map(running), [["echo", "connected"]]);
    assert.equal((await plane.call("echo.echo", { message: "again" })).ok, true);
  });

  test("a command and HTTP restart a server of the plane that serves", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    await using serving = await startServe(config, directory.file("data"));
    const listed = await runCli(["servers", "restart", "echo", "--json", ...place]);
    assert.deepEqual(
      [listed.code, (listed.json().servers as ServerStatus[]).map(running)],
      [0, [["echo", "connected"]]],
    );
    const posted = await fetch(`${serving.url}/servers/echo/restart`, {
      method: "POST",
      headers: serving.proof,
    });
    const { servers } = (await posted.json()) as { servers: ServerStatus[] };
    assert.deepEqual([posted.status, servers.map(running)], [200, [["echo", "connected"]]]);
    const started = pidsIn(log).length;
    assert.ok(started >= 2, `${started} processes`);
    const all = await runCli(["servers", "restart", ...place]);
    assert.match(all.stdout, /echo +connected/);
  });

  test("without a name and without a server that runs, the command says that none was restarted", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const said = await runCli([
      "servers",
      "restart",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ]);
    assert.deepEqual([said.code, said.stdout], [0, "No server runs, so none was restarted.\n"]);
  });
});
