import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallSeries } from "../../src/model/calls/call-schema.ts";
import type { ServerLogLine } from "../../src/model/servers/server-schema.ts";
import { readSse } from "../fixtures/read-sse.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson, postCall } from "./requests.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

type Heard = Record<string, unknown>;

test("calls are counted minute by minute, how they went and how long they took", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: fixture("echo") });
  await using serving = await startServe(config, directory.file("data"));
  const series = async (query = "") =>
    (await getJson(`${serving.url}/calls/series${query}`)).body as unknown as CallSeries;
  const empty = await series();
  assert.deepEqual([empty.steps.length, empty.stepMs, empty.total.calls], [60, 60_000, 0]);
  assert.equal(empty.total.p50Ms, null);

  await postCall(serving.url, "echo.add", { arguments: { a: 1, b: 2 } });
  await postCall(serving.url, "echo.add", { arguments: { a: "x" } });
  await postCall(serving.url, "echo.fail", { arguments: {} });
  const { steps, total } = await series("?minutes=120&step=60");
  assert.equal(steps.length, 2);
  assert.deepEqual(total.byStatus, { succeeded: 1, refused: 1, tool_error: 1 });
  assert.deepEqual([total.calls, total.errors], [3, 2], "a tool error is an error");
  assert.ok((total.p50Ms ?? 0) > 0 && (total.p95Ms ?? 0) >= (total.p50Ms ?? 0));
  assert.equal(
    steps.reduce((sum, { calls }) => sum + calls, 0),
    3,
  );
});

test("a span of time that makes no sense is refused by its name", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {});
  await using serving = await startServe(config, directory.file("data"));
  for (const [query, parameter] of [
    ["minutes=0", "minutes"],
    ["minutes=1e3", "minutes"],
    ["minutes=99999", "minutes"],
    ["step=-1", "step"],
    ["minutes=10080&step=1", "step"],
    ["hours=1", "hours"],
  ]) {
    const { status, body } = await getJson(`${serving.url}/calls/series?${query}`);
    assert.deepEqual(
      [status, (body.data as { parameter: string }).parameter],
      [400, parameter],
      query,
    );
  }
});

test("others' calls are counted for admins only", async () => {
  await using directory = await temporaryDirectory();
  const runs = { requires_consent: false, side_effects: "none" };
  const config = await writeConfig(directory, { echo: fixture("echo", [], runs) });
  const place = ["--config", config, "--data-dir", directory.file("data"), "--json"];
  const keyOf = async (...words: string[]) =>
    String((await runCli(["keys", "create", ...words, ...place])).json().secret);
  const ann = await keyOf("ann", "--user", "ann", "--scope", "call");
  const bob = await keyOf("bob", "--user", "bob", "--scope", "call");
  const root = await keyOf("root", "--user", "root", "--scope", "admin");
  await using serving = await startServe(config, directory.file("data"));
  const ask = (key: string, path: string, init: RequestInit = {}) =>
    fetch(serving.url + path, { ...init, headers: { authorization: `Bearer ${key}` } });
  const countFor = async (key: string, query = "") =>
    ((await (await ask(key, `/calls/series${query}`)).json()) as CallSeries).total.calls;
  await ask(ann, "/tools/echo.add/call", {
    method: "POST",
    body: JSON.stringify({ arguments: { a: 1, b: 2 } }),
  });
  assert.deepEqual([await countFor(ann), await countFor(bob), await countFor(root)], [1, 0, 1]);
  assert.deepEqual([await countFor(bob, "?user=ann"), await countFor(root, "?user=ann")], [0, 1]);
  assert.equal(await countFor(root, "?user=bob"), 0);
});

test("the log of a server is followed: what there is, then what comes, until the plane stops", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { progress: fixture("progress") });
  await using serving = await startServe(config, directory.file("data"));
  const say = (text: string) =>
    postCall(serving.url, "progress.log_lines", { arguments: { text } });
  await say("before");
  const response = await fetch(`${serving.url}/servers/progress/logs`, {
    headers: { accept: "text/event-stream" },
  });
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const told: string[] = [];
  let isSaid = false;
  for await (const [event, lines] of eventsOf(response)) {
    told.push(...lines.map(({ level, text }) => `${event} ${level} ${text}`));
    if (!isSaid) await say("after");
    isSaid = true;
    if (told.includes("added emergency after")) await serving.stop();
  }
  assert.ok(told.includes("kept error before"), told.join("\n"));
  assert.ok(told.includes("added debug after"));

  await using again = await startServe(config, directory.file("data"));
  const unknown = await fetch(`${again.url}/servers/absent/logs`, {
    headers: { accept: "text/event-stream" },
  });
  assert.deepEqual(
    [unknown.status, ((await unknown.json()) as { code: string }).code],
    [404, "SERVER_NOT_FOUND"],
  );
});

test("a key that is revoked reads no more of a log", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(
    directory,
    { progress: fixture("progress") },
    { policy: { profile: "personal" } },
  );
  const place = ["--config", config, "--data-dir", directory.file("data"), "--json"];
  const create = async (name: string) => {
    const made = (await runCli(["keys", "create", name, "--scope", "admin", ...place])).json();
    const { id } = made.key as { id: string };
    return { id, headers: { authorization: `Bearer ${made.secret}` } };
  };
  const admin = await create("admin");
  const lost = await create("lost");
  await using serving = await startServe(config, directory.file("data"));
  const response = await fetch(`${serving.url}/servers/progress/logs`, {
    headers: { ...lost.headers, accept: "text/event-stream" },
  });
  let isRevoked = false;
  for await (const [event] of eventsOf(response)) {
    assert.deepEqual([event, isRevoked], ["kept", false]);
    isRevoked = true;
    await fetch(`${serving.url}/keys/${lost.id}`, { method: "DELETE", headers: admin.headers });
    await fetch(`${serving.url}/tools/progress.log_lines/call`, {
      method: "POST",
      headers: admin.headers,
      body: JSON.stringify({ arguments: { text: "after" } }),
    });
  }
  assert.ok(isRevoked);
});

async function* eventsOf(response: Response): AsyncGenerator<[string, ServerLogLine[]]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined)
        yield [event, JSON.parse(data) as ServerLogLine[]];
    }
  }
}

test("GET /events carries progress and log messages among the others, in order and without an id", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { progress: fixture("progress") });
  await using serving = await startServe(config, directory.file("data"));
  const gone = new AbortController();
  const stream = await fetch(`${serving.url}/events`, {
    headers: serving.proof,
    signal: gone.signal,
  });
  const heard: Heard[] = [];
  const ended = readSse(stream, (event) => {
    heard.push(event as Heard);
    if (heard.filter(({ type }) => type === "tool.result").length === 2) gone.abort();
  }).catch(() => undefined);
  const call = (tool: string, args: object) =>
    fetch(`${serving.url}/tools/${tool}/call`, {
      method: "POST",
      headers: { "content-type": "application/json", ...serving.proof },
      body: JSON.stringify({ arguments: args }),
    });
  await call("progress.count", { steps: 2, pause: 150 });
  await call("progress.log_lines", { text: "hello" });
  await ended;
  const types = heard.map(({ type }) => type);
  const told = heard.filter(({ type }) => type === "tool.progress");
  assert.deepEqual(told.at(-1)?.percentage, 100);
  assert.ok(types.includes("server.log"), types.join());
  assert.ok(types.indexOf("tool.call") < types.indexOf("tool.progress"), types.join());
  assert.ok(types.lastIndexOf("tool.progress") < types.indexOf("tool.result"), types.join());
});

test("the stream of a call has the percentage, and an update as what it is", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { progress: fixture("progress") });
  await using serving = await startServe(config, directory.file("data"));
  const message = `MCP_UPDATE:${JSON.stringify({ type: "system_message", message: "Half way" })}`;
  const response = await fetch(`${serving.url}/tools/progress.count/call`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", ...serving.proof },
    body: JSON.stringify({ arguments: { steps: 1, message } }),
  });
  const heard: Heard[] = [];
  await readSse(response, (event) => void heard.push(event as Heard));
  assert.deepEqual(heard[0], {
    progress: 1,
    total: 1,
    percentage: 100,
    message: "Half way",
    update: { type: "system_message", message: "Half way" },
  });
});
