import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { type Answer, getJson, postCall, requestWith } from "./requests.ts";
import {
  callsAt,
  fixture,
  type Printed,
  type RunningServe,
  startServe,
  writeConfig,
} from "./support.ts";

const mebibyte = 1024 * 1024;

suite("the HTTP API", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  const log = () => directory.file("log");

  before(async () => {
    directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      echo: fixture("echo", ["--log", log()]),
      missing: { command: "no-such-command-anywhere" },
    });
    serving = await startServe(config, directory.path);
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });

  const get = (path: string) => getJson(`${serving.url}${path}`);
  const post = (tool: string, body: unknown) => postCall(serving.url, tool, body);

  function assertProblem({ status, type, body }: Answer, expected: number, code: string): void {
    assert.equal(status, expected, JSON.stringify(body));
    assert.equal(type, "application/problem+json");
    assert.deepEqual([body.code, body.status], [code, expected]);
    for (const field of ["type", "title", "detail"])
      assert.equal(typeof body[field], "string", field);
    assert.doesNotMatch(JSON.stringify(body), /\.ts:\d+/, "no stack");
  }

  test("a list tells of each tool what a list shows, and counts its tokens while no one waits", async () => {
    const size = async (path: string) => JSON.stringify((await get(path)).body).length;
    const path = "/tools?server=echo&view=row&q=add";
    type Row = {
      name: string;
      server: string;
      description: string;
      quality: { score: number };
      tokens: unknown;
    };
    const read = async () => ((await get(path)).body.tools as Row[] | undefined)?.[0];
    // A list does not wait for a server that is slow to start.
    await until("the tools", async () => (await read()) !== undefined);
    const row = await read();
    assert.deepEqual(
      [row?.name, row?.server, row?.description],
      ["echo.add", "echo", "Adds two numbers."],
    );
    assert.equal(row?.quality.score, 55);
    assert.ok((await size("/tools?server=echo&view=row")) < (await size("/tools?server=echo")) / 2);
    let tokens = row?.tokens;
    await until("the count of its tokens", async () => {
      tokens = (await read())?.tokens;
      return tokens !== null;
    });
    const { body: stats } = await get("/stats?tool=echo.add&tools=true");
    assert.deepEqual(
      (stats.tools as { name: string; fullTokens: number }[]).map(({ name, fullTokens }) => [
        name,
        fullTokens,
      ]),
      [["echo.add", tokens]],
    );
    const { body: found } = await get("/search?q=add+two+numbers&view=row&limit=1");
    assert.deepEqual((found.tools as { row: object }[])[0]?.row, await read());
    assertProblem(await get("/tools?view=nonsense"), 400, "USAGE");
    assert.deepEqual((await get("/pins?held=true")).body, { pins: [] });
  });

  test("what fits best comes first where that is wanted, and what has the words in it follows by name", async () => {
    const { body } = await get("/tools?q=add&best=1&limit=3");
    const { body: found } = await get("/search?q=add&limit=1");
    const namesOf = ({ tools }: Answer["body"]) =>
      (tools as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(namesOf(body)[0], namesOf(found)[0]);
    assert.equal(new Set(namesOf(body)).size, namesOf(body).length, "none is there twice");
    const { body: named } = await get("/tools?q=add");
    assert.ok(
      namesOf(named).every((name) => namesOf(body).includes(name) || body.nextCursor !== null),
    );
    // No word begins like that, but the name has the letters.
    const { body: letters } = await get("/tools?q=cho.ad&best=5");
    assert.deepEqual([namesOf(letters), letters.total, letters.note], [["echo.add"], 1, undefined]);
    const { body: nothing } = await get("/tools?q=unicorn&best=5");
    assert.deepEqual([nothing.tools, nothing.total], [[], 0]);
    assert.match(String(nothing.note), /Nothing matches 'unicorn'/);
    for (const path of ["best=0", "best=many", "best=1&best=2", "best=5&capability=news"])
      assertProblem(await get(`/tools?q=add&${path}`), 400, "USAGE");
  });

  test("a call that is followed tells its outcome last, in the same words", async () => {
    const follow = async (body: object) => {
      const headers = { accept: "text/event-stream" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const text = await (await fetch(`${serving.url}/tools/echo.add/call`, init)).text();
      const [, event, data = "{}"] = /event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? [];
      return { event, outcome: JSON.parse(data) as Printed };
    };
    const { event, outcome } = await follow({ arguments: { a: 1, b: 2 } });
    assert.deepEqual([event, outcome.ok, outcome.call?.status], ["outcome", true, "succeeded"]);
    assert.equal(
      (await follow({ arguments: { a: "x" } })).outcome.error?.code,
      "INVALID_ARGUMENTS",
    );
    const headers = { accept: "text/event-stream" };
    const wrong = await fetch(`${serving.url}/tools/echo.add/call`, {
      method: "POST",
      headers,
      body: "{",
    });
    assert.equal(wrong.status, 400);
  });

  test("health, tools, one tool and servers are readable", async () => {
    const [health, tools, filtered, one, servers] = await Promise.all([
      get("/healthz"),
      get("/tools"),
      get("/tools?server=echo"),
      get("/tools/mcp__echo__add"),
      get("/servers"),
    ]);
    assert.deepEqual([health.status, health.body.ok], [200, true]);
    assert.equal(tools.type, "application/json");
    const listed = tools.body.tools as {
      name: string;
      parameters: object;
      id: object;
      health: object;
    }[];
    const add = listed.find(({ name }) => name === "echo.add");
    assert.deepEqual(add?.id, { server: "echo", tool: "add" });
    assert.deepEqual(filtered.body.tools, listed);
    assert.deepEqual([one.status, one.body.name], [200, "echo.add"]);
    assert.deepEqual(one.body.parameters, add?.parameters);
    const states = servers.body.servers as { name: string; state: string }[];
    assert.deepEqual(states.map(({ name }) => name).sort(), ["echo", "missing"]);
  });

  test("a call answers 200 with its outcome, also when the tool says no", async () => {
    const fine = await post("echo.add", { arguments: { a: 1, b: 2 } });
    assert.deepEqual([fine.status, fine.type], [200, "application/json"]);
    const { ok, call, result } = fine.body as Printed;
    assert.deepEqual(
      [ok, call?.status, result?.structuredContent],
      [true, "succeeded", { sum: 3 }],
    );
    const empty = await post("echo.do_it_now", "");
    assert.deepEqual([empty.status, empty.body.ok], [200, true]);
    const no = await post("echo.fail", { arguments: { reason: "no" } });
    assert.deepEqual([no.status, no.body.ok], [200, false]);
  });

  test("what is refused or fails is a problem with its code", async () => {
    assertProblem(await get("/tools/echo.ecko"), 404, "TOOL_NOT_FOUND");
    assertProblem(await get("/nowhere"), 404, "NOT_FOUND");
    assertProblem(await get("/tools?server=eco"), 404, "SERVER_NOT_FOUND");
    assertProblem(await get("/tools?server=missing"), 503, "SERVER_UNAVAILABLE");
    assertProblem(await post("echo.add", '{"arguments": '), 400, "USAGE");
    assertProblem(await post("echo.add", "[1]"), 400, "USAGE");
    assertProblem(await post("echo.add", { arguments: {}, timeoutMs: "soon" }), 400, "USAGE");
  });

  test("so is a call that is refused or fails", async () => {
    assertProblem(await post("echo.ecko", {}), 404, "TOOL_NOT_FOUND");
    assertProblem(await post("echo.add", { arguments: { a: "x" } }), 400, "INVALID_ARGUMENTS");
    assertProblem(await post("echo.add", { arguments: [1] }), 400, "INVALID_ARGUMENTS");
    assertProblem(await post("echo.throw", {}), 502, "PROVIDER_FAILED");
    assertProblem(await post("missing.echo", {}), 503, "SERVER_UNAVAILABLE");
    const slow = await post("echo.slow", { arguments: { ms: 60_000 }, timeoutMs: 100 });
    assertProblem(slow, 504, "TIMEOUT");
  });

  test("a foreign Host or Origin is refused before anything runs", async () => {
    const before = callsAt(log()).length;
    const path = `${serving.url}/tools/echo.do_it_now/call`;
    const { host } = new URL(serving.url);
    for (const headers of [
      { host: "evil.example" },
      { host: `evil.example:${host.split(":")[1]}` },
      { host: "127.0.0.1.evil.example" },
      { host, origin: "https://evil.example" },
      { host, origin: "null" },
      { host, origin: "http://127.0.0.1.evil.example" },
      { host, origin: `http://${host}@evil.example` },
    ]) {
      assert.equal(await requestWith(path, headers, "POST"), 403, JSON.stringify(headers));
      assert.equal(await requestWith(`${serving.url}/tools`, headers), 403);
    }
    assert.equal(callsAt(log()).length, before);
    const own: Record<string, string>[] = [
      { host },
      { host: host.replace("127.0.0.1", "localhost") },
    ];
    for (const headers of [...own, { host, origin: serving.url }]) {
      assert.equal(await requestWith(path, headers, "POST"), 200, JSON.stringify(headers));
    }
  });

  test("a body above 4 MiB is refused and one below is taken", async () => {
    const before = callsAt(log()).length;
    const large = await post("echo.echo", { arguments: { message: "x".repeat(4 * mebibyte) } });
    assertProblem(large, 413, "PAYLOAD_TOO_LARGE");
    for (const _ of [1, 2, 3])
      assert.equal((await get("/healthz")).status, 200, "the client goes on");
    assert.equal(callsAt(log()).length, before);
    const message = "x".repeat(3 * mebibyte);
    const fine = await post("echo.echo", { arguments: { message } });
    assert.equal(fine.status, 200);
    assert.equal((fine.body as Printed).result?.content[0]?.text, message);
  });

  test("names with unusual characters work when they are escaped", async () => {
    assert.equal((await get(`/tools/${encodeURIComponent("echo.add")}`)).status, 200);
    assertProblem(await get(`/tools/${encodeURIComponent("a/b c%?")}`), 404, "TOOL_NOT_FOUND");
  });
});
