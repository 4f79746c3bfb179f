import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { createPlane, type Plane } from "../../../src/index.ts";
import { fixtureFile } from "../../fixtures/bundled.ts";
import {
  readLog,
  startHttpFixture,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson } from "../requests.ts";
import { eventually } from "../rogue/rogue.ts";
import {
  errorOf,
  processFixture as fixture,
  planeOf,
  runCli,
  startServe,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { countIn, entriesOf, listenTo, odd, post, startOdd, startsIn } from "./parts.ts";

const namesOf = async (plane: Plane) =>
  (await plane.tools.list()).map(({ id }) => id.tool).toSorted();

suite("what servers offer is found out", { concurrency: 4 }, () => {
  test("all pages are read, once each, and a tool is listed once", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ paged: fixture("paged", ["--log", log]) });
    const tools = await plane.tools.list();
    assert.equal(tools.length, 120);
    assert.equal(new Set(tools.map(({ name }) => name)).size, 120);
    assert.equal(countIn(log, "tools/list"), 3);
    assert.deepEqual(textsOf(await plane.call("paged.tool_119")), ["tool_119"]);
  });

  test("a cursor that never advances ends the list with a warning", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ loop: fixture("paged", ["--loop", "--log", log]) });
    const tools = await within("listing", plane.tools.list());
    assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
    assert.ok(tools.length >= 50);
    assert.ok(countIn(log, "tools/list") <= 3);
    const warnings = (await plane.servers.logs("loop")).filter(({ level }) => level === "warning");
    assert.match(warnings[0]?.text ?? "", /cursor/);
  });

  test("an added, an edited and a removed tool are seen without a new connection", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ changing: fixture("changing", ["--log", log]) });
    await plane.tools.list();
    const changes = listenTo(plane, "registry.changed");
    const has = async (what: (description: string | undefined) => boolean) => {
      const found = (await plane.tools.list()).find(({ id }) => id.tool === "fresh");
      return what(found?.description);
    };
    await plane.call("changing.add_tool", { name: "fresh", description: "one" });
    await eventually("the added tool", () => has((text) => text === "one"));
    await plane.call("changing.edit_tool", { name: "fresh", description: "two" });
    await eventually("the edited tool", () => has((text) => text === "two"));
    await plane.call("changing.remove_tool", { name: "fresh" });
    await eventually("the removed tool", () => has((text) => text === undefined));
    const revisions = changes.map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(revisions).size, 3);
    assert.equal(countIn(log, "initialize"), 1);
  });

  test("a storm of announcements is one listing or two, and changes nothing", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      changing: fixture("changing", ["--storm", "300", "--log", log]),
    });
    await plane.tools.list();
    const changes = listenTo(plane, "registry.changed");
    await plane.call("changing.storm", { count: 500 });
    await delay(1_500);
    assert.ok(countIn(log, "tools/list") <= 4, `${countIn(log, "tools/list")} listings`);
    assert.equal(changes.length, 0);
  });

  test("a modern server's new tool is seen as well, over stdio and over HTTP", async () => {
    await using server = await startHttpFixture("modern", ["--http", "--only"]);
    await using plane = await planeOf({
      local: fixture("modern", ["--only"]),
      remote: { url: server.url },
    });
    await plane.tools.list();
    for (const name of ["local", "remote"]) {
      await plane.call(`${name}.add_tool`, { name: `late_${name}` });
      await eventually(`the new tool of ${name}`, async () =>
        (await namesOf(plane)).includes(`late_${name}`),
      );
      assert.deepEqual(textsOf(await plane.call(`${name}.late_${name}`)), [`late_${name}`]);
    }
  });

  test("a listing is good for its window and asked again after it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const windowMs = 1_000;
    await using plane = await planeOf({
      echo: fixture("echo", ["--log", log], { listingTtlMs: windowMs }),
    });
    for (let query = 0; query < 20; query++) await plane.tools.list();
    const times = () =>
      readLog(log).flatMap(({ time, message }) => (message?.method === "tools/list" ? [time] : []));
    const early = times();
    for (const [at, time] of early.slice(1).entries()) {
      assert.ok(time - (early[at] ?? 0) >= windowMs - 50, "asked again within the window");
    }
    await delay(windowMs + 100);
    await plane.tools.list();
    assert.equal(times().length, early.length + 1);
  });

  test("the window is five minutes by default", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    await plane.tools.list();
    await plane.tools.list();
    assert.equal(countIn(log, "tools/list"), 1);
    assert.equal(plane.config().servers.echo?.listingTtlMs, 300_000);
  });

  test("a forced refresh really asks every server, also over HTTP", async () => {
    await using directory = await temporaryDirectory();
    const one = directory.file("one");
    const two = directory.file("two");
    const servers = { one: fixture("echo", ["--log", one]), two: fixture("state", ["--log", two]) };
    await using plane = await planeOf(servers);
    await plane.tools.list();
    const report = await plane.servers.refresh();
    assert.deepEqual(report.attempted.toSorted(), ["one", "two"]);
    assert.deepEqual([countIn(one, "tools/list"), countIn(two, "tools/list")], [2, 2]);
    await plane.stop();
    const config = await writeConfig(directory, servers);
    await using serving = await startServe(config, directory.file("data"));
    await until("both lists", async () => {
      const { tools } = (await getJson(`${serving.url}/tools`)).body as {
        tools: { id: { server: string } }[];
      };
      return new Set(tools.map(({ id }) => id.server)).size === 2;
    });
    await post(serving, "/registry/refresh");
    assert.deepEqual([countIn(one, "tools/list"), countIn(two, "tools/list")], [4, 4]);
  });

  test("the tools of a server that is gone stay listed, marked as stale with the reason", async () => {
    const server = await startHttpFixture("http");
    await using plane = await planeOf({ remote: { url: server.url }, echo: fixture("echo") });
    const before = (await plane.tools.list({ server: "remote" })).length;
    await server.stop();
    const report = await plane.servers.refresh();
    assert.deepEqual(
      report.still_failed.map(({ server: name }) => name),
      ["remote"],
    );
    assert.equal(
      (await plane.tools.list()).filter(({ id }) => id.server === "remote").length,
      before,
    );
    const { stale, error } = await plane.servers.get("remote");
    assert.equal(stale, true);
    assert.match(error ?? "", /\S/);
    assert.equal((await plane.servers.get("echo")).stale, false);
  });

  test("a server that answers and cannot list keeps its last list, until it can again", async () => {
    await using directory = await temporaryDirectory();
    const broken = directory.file("broken");
    await using plane = await planeOf({ odd: odd(["--fail-list-when", broken]) });
    assert.deepEqual(await namesOf(plane), ["confirm", "ok", "slow"]);
    await writeFile(broken, "");
    const { still_failed } = await plane.servers.refresh("odd");
    assert.match(still_failed[0]?.reason ?? "", /no list today/);
    const bad = await plane.servers.get("odd");
    assert.deepEqual([bad.stale, bad.tools, bad.state], [true, 3, "connected"]);
    assert.match(bad.error ?? "", /no list today/);
    assert.deepEqual(textsOf(await plane.call("odd.ok")), ["ok"]);
    await rm(broken);
    await plane.servers.refresh("odd");
    const good = await plane.servers.get("odd");
    assert.deepEqual([good.stale, good.error], [false, null]);
  });

  test("fifty lists at once are one request", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startOdd(["--list-delay", "200", "--log", log]);
    await using plane = await planeOf({ odd: { url: server.url } });
    const lists = await Promise.all(Array.from({ length: 50 }, () => plane.tools.list()));
    assert.ok(lists.every(({ length }) => length === 3));
    assert.deepEqual([countIn(log, "initialize"), countIn(log, "tools/list")], [1, 1]);
    await Promise.all(Array.from({ length: 50 }, () => plane.servers.refresh()));
    assert.equal(countIn(log, "tools/list"), 2);
  });

  test("a failure is shared by those who wait and not kept for those who come later", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const broken = directory.file("broken");
    await writeFile(broken, "");
    const entry = odd(["--log", log, "--die-when", broken], {
      protocol: "legacy",
      backoffMs: 1_000,
    });
    await using plane = await planeOf({ odd: entry });
    const calls = await Promise.all(Array.from({ length: 20 }, () => plane.call("odd.ok")));
    for (const outcome of calls) assert.equal(errorOf(outcome).code, "SERVER_UNAVAILABLE");
    assert.equal(entriesOf(log, "start").length, 1);
    await rm(broken);
    const { nextRetryAt } = await plane.servers.get("odd");
    await delay(Math.max(0, Date.parse(nextRetryAt ?? "") - Date.now()) + 50);
    assert.deepEqual(textsOf(await plane.call("odd.ok")), ["ok"]);
  });

  test("the first who waits may leave without failing the others", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ odd: odd(["--list-delay", "400", "--log", log]) });
    const controller = new AbortController();
    const leader = plane.call("odd.ok", {}, { signal: controller.signal });
    const followers = Array.from({ length: 10 }, () => plane.call("odd.ok"));
    await until("the list", () => countIn(log, "tools/list") === 1);
    controller.abort();
    assert.equal(errorOf(await within("the one who left", leader)).code, "CANCELLED");
    for (const outcome of await Promise.all(followers)) assert.deepEqual(textsOf(outcome), ["ok"]);
    assert.deepEqual([countIn(log, "tools/list"), startsIn(log).length], [1, 1]);
  });

  test("what was being asked when the caches were cleared is not kept", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startOdd(["--list-delay", "500", "--log", log]);
    await using plane = await planeOf({ odd: { url: server.url } });
    const listing = plane.tools.list().catch(() => []);
    await until("the list", () => countIn(log, "tools/list") === 1);
    await plane.servers.clearCaches();
    await listing;
    assert.deepEqual(await namesOf(plane), ["confirm", "ok", "slow"]);
    assert.equal(countIn(log, "tools/list"), 2);
  });

  test("cleared caches are cleared: the next list asks again though the window is open", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    await plane.tools.list();
    await plane.servers.clearCaches("echo");
    assert.ok((await plane.tools.list()).length > 0);
    assert.equal(countIn(log, "tools/list"), 2);
  });

  test("tools of a server that fails stay, marked stale, with its error", async () => {
    await using directory = await temporaryDirectory();
    const server = fixture("echo");
    const [script = "", ...rest] = server.args as string[];
    const source = `import { existsSync } from "node:fs";
      if (existsSync(${JSON.stringify(directory.file("gone"))})) process.exit(3);
      const { define } = await import(${JSON.stringify(pathToFileURL(script).href)});
      const { serveRaw } = await import(${JSON.stringify(pathToFileURL(fixtureFile("raw-server")).href)});
      serveRaw(define());`;
    await writeFile(directory.file("server.mjs"), source);
    const config = await writeConfig(directory, {
      echo: { ...server, args: [directory.file("server.mjs"), ...rest] },
    });
    await using serving = await startServe(config, directory.file("data"));
    const get = async (path: string) =>
      (await fetch(`${serving.url}${path}`)).json() as Promise<Record<string, unknown>>;
    await get("/tools");
    await until("its process", async () => (await get("/servers/echo")).state === "connected");
    await writeFile(directory.file("gone"), "");
    process.kill(Number((await get("/servers/echo")).pid), "SIGKILL");
    const refreshed = await fetch(`${serving.url}/registry/refresh`, {
      method: "POST",
      headers: serving.proof,
    });
    assert.equal(refreshed.status, 200);
    type Listed = { tools: { name: string; stale?: boolean; error?: string }[] };
    // First it was killed, then it does not start again.
    await until("its tools with the error that it has", async () => {
      const [add] = ((await get("/tools?q=echo.add")) as Listed).tools;
      assert.deepEqual([add?.name, add?.stale], ["echo.add", true]);
      const { error } = await get("/servers/echo");
      return add?.error !== undefined && add.error === error;
    });
  });

  test("tools without a usable schema are repaired and callable, and say how long they may take", async () => {
    await using directory = await temporaryDirectory();
    const tools = [
      { name: "bare" },
      { name: "nothing", inputSchema: null },
      { name: "listed", inputSchema: [] },
      {
        name: "one",
        inputSchema: { type: "object", properties: { a: { type: "string" } }, required: "a" },
      },
      {
        name: "some",
        inputSchema: {
          type: "object",
          properties: { a: { type: "string" } },
          required: ["a", "", 5],
        },
      },
    ];
    const config = await writeConfig(directory, {
      odd: await listing(directory, tools, { timeoutMs: 7_000 }),
      plain: await listing(directory, tools),
    });
    await using serving = await startServe(config, directory.file("data"));
    let listed: { tools: Record<string, unknown>[] } = { tools: [] };
    const of = (server: string) =>
      listed.tools.filter(({ name }) => String(name).startsWith(server));
    // A list does not wait for a server that is slow to start.
    await until("five tools of each", async () => {
      listed = (await (await fetch(`${serving.url}/tools`)).json()) as typeof listed;
      return of("odd").length === 5 && of("plain").length === 5;
    });
    assert.deepEqual([...new Set(of("odd").map((tool) => tool.default_timeout))], [7]);
    assert.deepEqual([...new Set(of("plain").map((tool) => tool.default_timeout))], [60]);
    const call = (tool: string, args: object) =>
      fetch(`${serving.url}/tools/${tool}/call`, {
        method: "POST",
        headers: { "content-type": "application/json", ...serving.proof },
        body: JSON.stringify({ arguments: args }),
      });
    assert.match(await (await call("odd.bare", {})).text(), /called bare/);
    assert.match(await (await call("odd.one", {})).text(), /INVALID_ARGUMENTS/);
    assert.match(await (await call("odd.some", { a: "x" })).text(), /called some/);
  });

  test("health_check_interval is how long a list of tools holds, for all servers, one, or by variable", async () => {
    await using directory = await temporaryDirectory();
    const server = await listing(directory, [{ name: "a" }]);
    const block = (more: object, own: object) => ({
      tools: { mcp: { enabled: true, ...more, servers: { one: { ...server, ...own } } } },
    });
    const ttl = async (config: object) => {
      await using plane = await createPlane({ config: config as never });
      return plane.config().servers.one?.listingTtlMs;
    };
    assert.equal(await ttl(block({ health_check_interval: 7 }, {})), 7_000);
    assert.equal(
      await ttl(block({ health_check_interval: 7 }, { health_check_interval: "0.5" })),
      500,
    );
    assert.equal(await ttl(block({}, {})), 300_000);
    const env = { TOOLPLANE_MCP_DEFAULT_SERVER: "one", TOOLPLANE_MCP_HEALTH_CHECK_INTERVAL: "9" };
    const file = directory.file("seven.json");
    await writeFile(file, JSON.stringify(block({}, {})));
    const shown = await runCli(["config", "show", "--json", "--config", file], { env });
    assert.match(shown.stdout, /"listingTtlMs":\s*9000/);
  });
});

/** A server that lists these tools. */
async function listing(directory: TemporaryDirectory, tools: unknown[], more: object = {}) {
  const file = directory.file(`tools-${Math.random()}.json`);
  await writeFile(file, JSON.stringify([tools]));
  return fixture("scripted-list", ["--tools", file], { ...more });
}
