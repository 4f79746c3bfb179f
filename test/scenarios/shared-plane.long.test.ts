import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import type { PlaneRecord } from "../../src/faces/socket/plane-place.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { listChanges, type McpClient, startMcp } from "./rogue/mcp-client.ts";
import {
  callsAt,
  processFixture as fixture,
  isRunning,
  pidsIn,
  runCli,
  startServeProcess,
  within,
  writeConfig,
} from "./support.ts";

/** A configuration with one server that tells who started it, and clients on it. */
async function world(directory: TemporaryDirectory, more: object = {}) {
  const log = directory.file("log");
  const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) }, more);
  const data = directory.file("data");
  return {
    log,
    config,
    data,
    common: ["--config", config, "--data-dir", data],
    client: (more: readonly string[] = [], env: Record<string, string> = {}) =>
      startMcp(config, data, { more, env }),
    /** Of the plane that serves now. */
    record: () => records(data)[0] ?? assert.fail("no plane serves"),
  };
}

function records(data: string): PlaneRecord[] {
  const files = globSync(`${data}/planes/*.json`);
  return files.map((file) => JSON.parse(readFileSync(file, "utf8")) as PlaneRecord);
}

/** How many planes were ever started in the background. */
function starts(data: string): number {
  const logs = globSync(`${data}/planes/*.log`).map((file) => readFileSync(file, "utf8"));
  return logs.join("").split("serves in the background").length - 1;
}

async function say(client: McpClient, message: string): Promise<unknown> {
  const { result, error } = await client.call("echo__echo", { message });
  return result?.content ?? error;
}

const said = (text: string) => [{ type: "text", text }];

suite("one plane for all clients", { concurrency: 3 }, () => {
  test("beside serve, five stdio clients run each server once, and their sessions stay apart", async () => {
    await using directory = await temporaryDirectory();
    const { log, config, data, client, record } = await world(directory);
    await using _serving = await startServeProcess(config, data);
    await using one = await client();
    await using two = await client(["--mode", "lazy"]);
    await using three = await client(["--names", "bare"]);
    await using four = await client(["--user", "dora"]);
    await using five = await client(["--server", "echo"]);
    const all = [one, two, three, four, five];
    assert.deepEqual(await say(one, "hi"), said("hi"));
    assert.ok((await two.toolNames()).includes("mcp_tool_search"));
    assert.ok((await three.toolNames()).includes("echo"));
    assert.ok((await five.toolNames()).includes("echo__echo"));
    const calls = await runCli(["calls", "list", "--json", "--config", config, "--data-dir", data]);
    await four.call("echo__echo", { message: "from Dora" });
    const later = await runCli(["calls", "list", "--json", "--config", config, "--data-dir", data]);
    const users = ({ stdout }: { stdout: string }) => stdout.match(/"user": ?"dora"/g)?.length ?? 0;
    assert.ok(users(later) > users(calls), later.stdout);
    assert.deepEqual(pidsIn(log).length, 1);
    assert.equal(record().background, false);
    assert.equal(starts(data), 0);
    await Promise.all(all.map(({ process: front }) => front.kill("SIGKILL")));
    assert.deepEqual(pidsIn(log).filter(isRunning).length, 1);
  });

  test("clients that start together start one plane, which leaves with the last of them", async () => {
    await using directory = await temporaryDirectory();
    const { log, data, client, record } = await world(directory);
    const clients = await Promise.all([client(), client(), client()]);
    const answers = await Promise.all(clients.map((one, at) => say(one, `${at}`)));
    assert.deepEqual(answers, [said("0"), said("1"), said("2")]);
    assert.equal(starts(data), 1);
    assert.equal(pidsIn(log).length, 1);
    const { pid, background } = record();
    assert.ok(background);
    const [first, ...others] = clients;
    first?.process.kill("SIGKILL");
    assert.deepEqual(await say(others[0] as McpClient, "still"), said("still"));
    for (const one of others) one.process.stdin?.end();
    await until("the plane and its server are gone", () => ![pid, ...pidsIn(log)].some(isRunning));
    assert.deepEqual(globSync(`${data}/planes/*.{sock,json,starting,binding}`), []);
  });

  test("after the plane was killed, its clients start one other and go on where they were", async () => {
    await using directory = await temporaryDirectory();
    const { log, data, client, record } = await world(directory);
    await using one = await client(["--mode", "lazy"]);
    await using two = await client();
    await using three = await client();
    await one.call("mcp_tool_search", { query: "select:echo.add" });
    assert.ok((await one.toolNames()).includes("echo__add"));
    await two.ask("logging/setLevel", { level: "debug" });
    const slow = two.call("echo__slow", { ms: 60_000 });
    await until("the call", () => callsAt(log).length === 1);
    const { pid } = record();
    const changes = listChanges(three);
    process.kill(pid, "SIGKILL");
    const asked = three.ask("tools/list");
    const { error } = await within("the answer to the call", slow);
    assert.deepEqual(
      [error?.code, error?.data],
      [-32000, { code: "OUTCOME_UNKNOWN", retryable: false }],
    );
    assert.ok((await within("the list", asked)).result, "what only asks is asked again");
    const answers = await within("the calls", Promise.all([say(two, "two"), say(three, "three")]));
    assert.deepEqual(answers, [said("two"), said("three")]);
    assert.ok(listChanges(three) > changes);
    await until("the tools that were loaded", async () =>
      (await one.toolNames()).includes("echo__add"),
    );
    assert.notEqual(record().pid, pid);
    assert.equal(starts(data), 2);
    const first = pidsIn(log)[0] ?? 0;
    await until("the servers of the killed plane are gone", () => !isRunning(first));
    assert.equal(pidsIn(log).length, 2);
  });

  test("a plane that a person starts takes the clients over, and the one that is stopped is replaced when it is needed", async () => {
    await using directory = await temporaryDirectory();
    const { log, config, data, common, client, record } = await world(directory);
    await using one = await client();
    assert.deepEqual(await say(one, "first"), said("first"));
    const background = record().pid;
    const listed = await runCli(["servers", "list", ...common]);
    assert.match(listed.stderr, /background plane \(process \d+, 1 client\).*toolplane stop/);

    const serving = await startServeProcess(config, data);
    assert.ok(!isRunning(background));
    assert.deepEqual(await say(one, "second"), said("second"));
    assert.equal(record().pid, serving.process.pid);
    const refused = await runCli(["stop", ...common]);
    assert.match(refused.stderr, /A person started this plane/);
    const running = one.call("echo__slow", { ms: 500 });
    await until("the call", () => callsAt(log).some(({ name }) => name === "slow"));
    assert.equal(await serving.stop("SIGTERM"), 0);
    assert.ok((await running).result, "what ran was answered");
    assert.deepEqual(records(data), [], "nothing was started before it is needed");
    assert.deepEqual(await say(one, "third"), said("third"));
    const { pid } = record();
    const stopped = await runCli(["stop", ...common]);
    assert.match(stopped.stdout, new RegExp(`process ${pid}.*its client starts another one`));
    assert.ok(!isRunning(pid));
    assert.match((await runCli(["stop", ...common])).stdout, /No background plane/);
    assert.deepEqual(await say(one, "fourth"), said("fourth"));
    assert.deepEqual(pidsIn(log).filter(isRunning).length, 1);
  });

  test("stop ends a background plane that would idle for minutes, though a client is attached", async () => {
    await using directory = await temporaryDirectory();
    const { common, client, record } = await world(directory);
    await using one = await client([], { TOOLPLANE_IDLE_EXIT_MS: "600000" });
    assert.deepEqual(await say(one, "hi"), said("hi"));
    const { pid } = record();
    await runCli(["stop", ...common]);
    assert.ok(!isRunning(pid));
  });

  test("a client whose variables have other values runs a plane of its own and says why", async () => {
    await using directory = await temporaryDirectory();
    const { log, common, client } = await world(directory, {
      policy: { rules: [{ tool: "${FORBIDDEN}", verdict: "deny" }] },
    });
    await using one = await client([], { FORBIDDEN: "echo.add" });
    await one.toolNames();
    const other = await runCli(["mcp", ...common], { env: { FORBIDDEN: "echo.echo" } });
    assert.match(
      other.stderr,
      /^This client runs a plane of its own: FORBIDDEN has a different value there\.$/m,
    );
    const same = await runCli(["mcp", ...common], { env: { FORBIDDEN: "echo.add" } });
    assert.equal(same.stderr, "");
    assert.ok(pidsIn(log).length >= 1);
  });

  test("a client ends with the signal that ends it, and its plane goes on", async () => {
    await using directory = await temporaryDirectory();
    const { client, record } = await world(directory);
    await using one = await client();
    await using two = await client();
    const ended = once(one.process, "exit");
    one.process.kill("SIGTERM");
    assert.deepEqual(await ended, [143, null]);
    assert.deepEqual(await say(two, "here"), said("here"));
    assert.ok(isRunning(record().pid));
  });

  test("where no configuration is, commands use the one plane that serves, and ask which of several", async () => {
    await using directory = await temporaryDirectory();
    await using elsewhere = await temporaryDirectory();
    const { config, data } = await world(directory);
    const cwd = elsewhere.path;
    const env = { XDG_CONFIG_HOME: elsewhere.path };
    const list = () =>
      runCli(["servers", "list", "--data-dir", data, "--log-level", "info"], { cwd, env });
    assert.match((await list()).stderr, /No configuration found/);
    await using _one = await startServeProcess(config, data);
    const found = await list();
    assert.match(found.stdout, /echo/);
    assert.match(found.stderr, new RegExp(`Uses the plane that serves ${config}`));
    const client = await runCli(["mcp", "--data-dir", data], { cwd, env });
    assert.equal(client.code, 2, "the model in one project does not get the servers of another");
    assert.match(client.stderr, /No configuration found.*'toolplane connect'/);
    const second = directory.file("second.json");
    await writeFile(second, JSON.stringify({ mcpServers: { other: fixture("echo") } }));
    await using _two = await startServeProcess(second, data);
    const asked = await list();
    assert.equal(asked.code, 2);
    assert.match(
      asked.stderr,
      /2 planes of yours serve others: .*toolplane\.json.*second\.json.*--config FILE/,
    );
  });
});
