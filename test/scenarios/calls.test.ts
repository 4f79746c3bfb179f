import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { type Script, startScriptedModel } from "../fixtures/llm-script.ts";
import { RawHttpClient } from "../fixtures/raw-http-client.ts";
import { fixtureCommand, temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

type Har = {
  log: {
    version: string;
    entries: {
      startedDateTime: string;
      time: number;
      request: { method: string; url: string; postData: { text: string } };
      response: { status: number; statusText: string; content: { size: number; text?: string } };
      timings: { blocked: number; send: number; wait: number; receive: number };
      _callId: string;
      _conversation?: string;
      _stages: unknown[];
      _attempts: unknown[];
    }[];
  };
};

suite("calls, their conversations and what they cost", () => {
  test("a record names the session of its client, and calls are found by it on every face", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    await using serving = await startServe(config, directory.file("data"));
    const one = await RawHttpClient.connect(`${serving.url}/mcp`);
    const two = await RawHttpClient.connect(`${serving.url}/mcp`);
    for (const client of [one, two, one]) await client.call("echo__echo", { message: "hello" });
    await one.ask("tools/call", { name: "echo__add", arguments: { a: "no number" } });
    const idOf = ({ headers }: RawHttpClient) => headers["mcp-session-id"] ?? "";
    const list = async (query: string) => {
      const { calls } = (await (await fetch(`${serving.url}/calls?${query}`)).json()) as {
        calls: { tool: string; status: string; conversation?: string }[];
      };
      return calls;
    };
    assert.deepEqual(
      (await list("limit=10")).map(({ conversation }) => conversation),
      [idOf(one), idOf(one), idOf(two), idOf(one)],
    );
    assert.deepEqual(
      (await list(`conversation=${idOf(one)}`)).map(({ status }) => status),
      ["refused", "succeeded", "succeeded"],
    );
    assert.equal((await list(`conversation=${idOf(two)}`)).length, 1);
    assert.deepEqual(await list("conversation=none"), []);
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const { stdout } = await runCli([
      "calls",
      "list",
      "--conversation",
      idOf(two),
      "--json",
      ...place,
    ]);
    assert.equal((JSON.parse(stdout) as { calls: unknown[] }).calls.length, 1);
  });

  test("an export streams JSON lines, or a HAR document that a viewer opens, also to a file", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { observability: { keepPayloads: true } },
    );
    const place = ["--config", config, "--data-dir", directory.file("data")];
    await using serving = await startServe(config, directory.file("data"));
    const call = (name: string, body: object) =>
      fetch(`${serving.url}/tools/${name}/call`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: serving.proof,
      });
    await call("echo.echo", { arguments: { message: "hello" }, conversation: "talk" });
    await call("echo.echo", { arguments: { message: "again" } });
    await call("echo.none", { arguments: {} });

    const exported = async (query: string) =>
      (await fetch(`${serving.url}/calls/export?${query}`)).text();
    const { log } = JSON.parse(await exported("format=har")) as Har;
    assert.equal(log.version, "1.2");
    assert.deepEqual(
      log.entries.map(({ response }) => response.status),
      [404, 200, 200],
    );
    const [, , first] = log.entries;
    assert.ok(first);
    assert.equal(first._conversation, "talk");
    assert.equal(new URL(first.request.url).hostname, "echo");
    assert.deepEqual(JSON.parse(first.request.postData.text).params.arguments, {
      message: "hello",
    });
    assert.match(first.response.content.text ?? "", /hello/);
    assert.equal(first.response.content.size, Buffer.byteLength(first.response.content.text ?? ""));
    for (const { time, timings, startedDateTime, _stages } of log.entries) {
      const { blocked, send, wait, receive } = timings;
      assert.ok(Math.abs(blocked + send + wait + receive - time) < 0.01, "the parts are the whole");
      assert.ok(Date.parse(startedDateTime) > 0 && _stages.length > 0);
    }
    const lines = (await exported("conversation=talk")).trim().split("\n");
    assert.deepEqual(
      lines.map(
        (line) => (JSON.parse(line) as { payload: { arguments: object } }).payload.arguments,
      ),
      [{ message: "hello" }],
    );
    assert.equal((await exported("limit=2")).trim().split("\n").length, 2);
    const file = directory.file("calls.har");
    const { code, stderr } = await runCli([
      "calls",
      "export",
      file,
      "--format",
      "har",
      "--tool",
      "echo.echo",
      ...place,
    ]);
    assert.equal(code, 0, stderr);
    assert.equal((JSON.parse(await readFile(file, "utf8")) as Har).log.entries.length, 2);
    const empty = await runCli([
      "calls",
      "export",
      "--format",
      "har",
      "--tool",
      "echo.never",
      ...place,
    ]);
    assert.deepEqual((JSON.parse(empty.stdout) as Har).log.entries, []);
  });

  test("an export reads a page at a time, so that many calls do not stand in memory", async () => {
    await using plane = await createPlane({ config: { servers: { echo: fixture("echo") } } });
    for (let n = 0; n < 1_200; n += 1)
      await plane.call("echo.echo", { message: "m" }, { dryRun: true });
    const { readExport } = await import("../../src/operations/declared/calls.ts");
    const asked: number[] = [];
    const list: typeof plane.calls.list = async (filter, caller) => {
      asked.push(filter?.limit ?? Number.POSITIVE_INFINITY);
      return plane.calls.list(filter, caller);
    };
    const watched = { ...plane, calls: { ...plane.calls, list } };
    const { text } = await readExport(watched, { format: "har" }, {});
    assert.equal(asked.length, 1, "only the first page, before a reader wants more");
    let whole = "";
    for await (const part of text) whole += part;
    assert.equal((JSON.parse(whole) as Har).log.entries.length, 1_200);
    assert.ok(asked.length >= 3 && Math.max(...asked) <= 500);
  });

  test("tokens cost what the price of their model says, and nothing is said without a price", async () => {
    const script: Script = [
      { kind: "tools", calls: [{ name: "echo__add", arguments: { a: 1, b: 2 } }] },
      { kind: "text", text: "3" },
    ];
    await using priced = await startScriptedModel({ responses: script });
    await using free = await startScriptedModel({ responses: [{ kind: "text", text: "3" }] });
    await using directory = await temporaryDirectory();
    const models = {
      default: {
        baseURL: priced.url,
        model: "scripted",
        price: { input: 3, output: 15, currency: "EUR" },
      },
      local: { baseURL: free.url, model: "scripted" },
    };
    const config = await writeConfig(directory, { echo: fixture("echo") }, { models });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const { stderr, code } = await runCli(["agent", "1 + 2?", ...place]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /30 tokens \(20 in, 10 out\), 0\.00021 EUR/);
    const plain = await runCli(["agent", "1 + 2?", "--model", "local", ...place]);
    assert.match(plain.stderr, /15 tokens \(10 in, 5 out\)\n/);
    const { stdout } = await runCli(["calls", "runs", "--json", ...place]);
    const { runs } = JSON.parse(stdout) as { runs: { id: string; usage: object }[] };
    const tokens = { inputTokens: 20, outputTokens: 10, totalTokens: 30 };
    assert.deepEqual(runs[1]?.usage, { ...tokens, cost: { amount: 0.00021, unit: "EUR" } });
    assert.deepEqual(runs[0]?.usage, { inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    const shown = await runCli(["calls", "show", runs[1]?.id ?? "", ...place]);
    assert.match(shown.stdout, /30 tokens: 20 in, 10 out, 0\.00021 EUR/);
    const wrong = await writeConfig(
      directory,
      {},
      { models: { default: { ...models.local, price: { input: -1 } } } },
    );
    assert.match(
      (await runCli(["config", "validate", "--config", wrong])).stdout,
      /models\.default\.price\.input: must be at least 0/,
    );
  });

  test("a conversation is renamed and deleted by whose it is, on every face", async () => {
    await using model = await startScriptedModel({
      responses: () => ({ kind: "text", text: "Yes." }),
    });
    const models = { default: { baseURL: model.url, model: "scripted" } };
    await using plane = await createPlane({ config: { servers: {}, models } });
    const by = (user: string, scopes = ["read", "call"]) => ({
      principal: { user, groups: [], persona: null, workspace: null, compliance: null, scopes },
    });
    const ann = by("ann");
    const bob = by("bob");
    for (const who of [ann, ann, bob])
      await plane.agent.run("May I?", { conversation: "chat-1", trace: "all_messages", ...who });
    const titles = async (who: typeof ann) =>
      (await plane.runs.page({}, who)).runs.map(({ title }) => title);
    assert.deepEqual(await plane.runs.rename("chat-1", "  Mine  ", ann), {
      conversation: "chat-1",
      runs: 2,
    });
    assert.deepEqual([await titles(ann), await titles(bob)], [["Mine", "Mine"], [undefined]]);
    await assert.rejects(plane.runs.rename("chat-1", "x".repeat(201), ann), { code: "USAGE" });
    await assert.rejects(plane.runs.rename("none", "Mine", ann), { code: "NOT_FOUND" });
    await assert.rejects(plane.runs.delete("chat-1", by("ann", ["read"])), { code: "FORBIDDEN" });
    await plane.runs.rename("chat-1", "", ann);
    assert.deepEqual(await titles(ann), [undefined, undefined]);
    assert.deepEqual(await plane.runs.delete("chat-1", ann), { conversation: "chat-1", runs: 2 });
    assert.deepEqual([(await titles(ann)).length, (await titles(bob)).length], [0, 1]);
    await assert.rejects(plane.runs.delete("chat-1", ann), { code: "NOT_FOUND" });
    const changes = (await plane.audit.list()).map(({ operation, ok }) => [operation, ok]);
    assert.deepEqual(changes.slice(0, 2), [
      ["runs.delete", false],
      ["runs.delete", true],
    ]);
  });
});

const key = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";

test("arguments and results are kept only where it is configured, without secrets, and for their owner", async () => {
  await using directory = await temporaryDirectory();
  const servers = { echo: { ...fixtureCommand("echo") } };
  const dataDirectory = directory.file("data");
  const ann = {
    user: "ann",
    groups: [],
    persona: null,
    workspace: null,
    compliance: null,
    scopes: ["read", "call"],
  };
  const bob = { ...ann, user: "bob" };
  const open = (keepPayloads: boolean) =>
    createPlane({ config: { servers, observability: { keepPayloads } }, dataDirectory });

  const silent = await open(false);
  const first = await silent.call("echo.echo", { message: "hello" }, { principal: ann });
  assert.equal(await silent.calls.payloads([first.call.id], { principal: ann }), null);
  await silent.stop();

  const keeping = await open(true);
  const second = await keeping.call("echo.echo", { message: `token ${key}` }, { principal: ann });
  const refused = await keeping.call("echo.add", { a: "no number" }, { principal: ann });
  const ids = [first.call.id, second.call.id, refused.call.id];
  const kept = (await keeping.calls.payloads(ids, { principal: ann })) ?? [];
  assert.deepEqual(
    kept.map(({ id }) => id),
    [second.call.id, refused.call.id],
  );
  assert.match(JSON.stringify(kept[0]), /redacted/);
  assert.doesNotMatch(JSON.stringify(kept), new RegExp(key));
  assert.deepEqual(kept[1]?.arguments, { a: "no number" });
  assert.deepEqual(await keeping.calls.payloads(ids, { principal: bob }), []);
  await keeping.stop();

  const again = await open(true);
  assert.equal((await again.calls.payloads(ids, { principal: ann }))?.length, 2);
  await again.stop();
});
