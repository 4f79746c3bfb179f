import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { createApp } from "../../src/faces/http/app.ts";
import { type Outcome, type Plane, principalOf } from "../../src/index.ts";
import { readLog, receivedMessages, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import {
  assertFailed,
  callsAt,
  fixture,
  planeOf,
  runCli,
  type ServerEntry,
  untilLogged,
  writeConfig,
} from "./support.ts";

const [ann, bob] = ["ann", "bob"].map((user) => ({
  principal: principalOf({ user, scopes: ["*"] }),
}));

async function ledger(
  settings: ServerEntry = { cache: { ttlMs: 60_000 } },
  more: ServerEntry = {},
) {
  const directory = await temporaryDirectory();
  const log = directory.file("log");
  const plane = await planeOf(
    { ledger: fixture("ledger", ["--log", log], { trusted: true, ...settings, ...more }) },
    { policy: { rules: [{ tool: "*", verdict: "allow" }] } },
  );
  await plane.tools.list();
  const asked = (name: string) => callsAt(log).filter((call) => call.name === name).length;
  return {
    plane,
    asked,
    log,
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

const structureOf = ({ result }: Outcome) => result?.structuredContent;

suite("the cache of results", { concurrency: 4 }, () => {
  test("an equal call of a tool known to only read is answered without the server, and says so everywhere", async () => {
    await using at = await ledger();
    const { plane } = at;
    const ended: unknown[] = [];
    plane.on("tool.result", ({ cached }) => ended.push(cached));
    const first = await plane.call("ledger.read", { key: "a" });
    const second = await plane.call("ledger.read", { key: "a" });
    await plane.call("ledger.read", { key: "b" });
    assert.deepEqual(structureOf(second), structureOf(first));
    assert.deepEqual(
      [first.call.cached, second.call.cached, second.call.attempts],
      [false, true, 0],
    );
    assert.deepEqual(ended, [false, true, false]);
    assert.equal(at.asked("read"), 2);
    const record = await plane.calls.get(second.call.id);
    assert.deepEqual([record.cached, record.status], [true, "succeeded"]);
    const activity = await plane.calls.activity();
    assert.deepEqual(activity.map(({ cached }) => cached).reverse(), [false, true, false]);
  });

  test("metrics count hits, misses and coalesced calls", async () => {
    await using at = await ledger();
    const app = createApp(at.plane, { host: "127.0.0.1", closing: new AbortController().signal });
    await app.request("/metrics", { headers: { host: "127.0.0.1" } });
    for (let i = 0; i < 3; i++) await at.plane.call("ledger.read", { key: "a" });
    const held = [
      at.plane.call("ledger.held", { key: "a" }),
      at.plane.call("ledger.held", { key: "a" }),
    ];
    await untilLogged(at.log, ({ message }) => message?.params?.name === "held");
    await at.plane.call("ledger.open", {});
    await Promise.all(held);
    const text = await (await app.request("/metrics", { headers: { host: "127.0.0.1" } })).text();
    assert.match(text, /toolplane_cache_total\{tool="ledger.read",result="hit"\} 2/);
    assert.match(text, /toolplane_cache_total\{tool="ledger.read",result="miss"\} 1/);
    assert.match(text, /toolplane_cache_total\{tool="ledger.held",result="coalesced"\} 1/);
  });

  test("a caller who changes a result does not change it for the next", async () => {
    await using at = await ledger();
    for (let i = 0; i < 3; i++) {
      const { result } = await at.plane.call("ledger.read", { key: "a" });
      assert.deepEqual(result?.structuredContent, { value: null });
      Object.assign(result?.structuredContent as object, { value: "changed" });
    }
  });

  test("a write to the server, a changed list and a restart empty it", async () => {
    await using at = await ledger();
    const { plane } = at;
    const read = async () => (await plane.call("ledger.read", { key: "a" })).call.cached;
    assert.deepEqual([await read(), await read()], [false, true]);
    await plane.call("ledger.write", { key: "a", value: "1" });
    assert.deepEqual([await read(), await read()], [false, true], "after a write");
    await plane.call("ledger.relist", {});
    await until("the notice empties the cache", async () => (await read()) === false);
    assert.equal(await read(), true);
    await plane.servers.disconnect("ledger");
    await plane.servers.connect("ledger");
    assert.deepEqual([await read(), await read()], [false, true], "after a restart");
  });

  test("what a read found before a write that ended meanwhile is not kept, nor joined", async () => {
    await using at = await ledger();
    const { plane } = at;
    const before = plane.call("ledger.held", { key: "a" });
    await untilLogged(at.log, ({ message }) => message?.params?.name === "held");
    await plane.call("ledger.write", { key: "a", value: "new" });
    const after = plane.call("ledger.held", { key: "a" });
    await until("the second read is sent", () => at.asked("held") === 2);
    await plane.call("ledger.open", {});
    assert.equal((await before).call.coalesced, undefined);
    assert.deepEqual(structureOf(await after), { value: "new" });
    const again = plane.call("ledger.held", { key: "a" });
    assert.deepEqual(structureOf(await again), { value: "new" });
    assert.equal((await again).call.cached, true);
  });

  test("a result is never given to another caller, unless it is shared", async () => {
    await using own = await ledger();
    await own.plane.call("ledger.read", { key: "a" }, ann);
    assert.equal((await own.plane.call("ledger.read", { key: "a" }, bob)).call.cached, false);
    await using all = await ledger({ cache: { ttlMs: 60_000, shared: true } });
    await all.plane.call("ledger.read", { key: "a" }, ann);
    assert.equal((await all.plane.call("ledger.read", { key: "a" }, bob)).call.cached, true);
    assert.equal(all.asked("read"), 1);
  });

  test("errors are not kept, nor what a person answered", async () => {
    await using at = await ledger();
    for (let i = 0; i < 2; i++)
      assertFailed(await at.plane.call("ledger.refuse", { key: "a" }), "TOOL_ERROR", "tool_error");
    assert.equal(at.asked("refuse"), 2);
    const relay = { onQuestion: async () => ({ action: "accept", content: { word: "yes" } }) };
    for (let i = 0; i < 2; i++) await at.plane.call("ledger.ask", { key: "a" }, { relay });
    assert.equal(at.asked("ask"), 2);
  });

  test("the hints of a server that is not trusted count for nothing", async () => {
    await using at = await ledger(undefined, { trusted: false });
    for (let i = 0; i < 2; i++)
      assert.equal((await at.plane.call("ledger.read", { key: "a" })).call.cached, undefined);
    assert.equal(at.asked("read"), 2);
  });

  test("a tool's own setting wins over its server's", async () => {
    await using directory = await temporaryDirectory();
    const server = fixture("ledger", [], { trusted: true, cache: { ttlMs: 60_000 } });
    const config = await writeConfig(
      directory,
      { ledger: server },
      { overlays: { "ledger.read": { cache: { ttlMs: 0 } } } },
    );
    const call = [
      "call",
      "ledger.read",
      "key=a",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
      "--json",
    ];
    const { call: report } = (await runCli(call)).json();
    assert.equal(report?.cached, undefined);
  });

  test("at most so many results are kept", async () => {
    await using at = await ledger({ cache: { ttlMs: 60_000, maxEntries: 2 } });
    for (const key of ["a", "b", "c", "a"]) await at.plane.call("ledger.read", { key });
    assert.equal(at.asked("read"), 4);
    assert.equal((await at.plane.call("ledger.read", { key: "c" })).call.cached, true);
  });

  test("with the cache on or off the results are the same, whatever is read and written", async () => {
    await using on = await ledger();
    await using off = await ledger({});
    const key = fc.constantFrom("a", "b");
    const step = fc.oneof(
      fc.record({ tool: fc.constant("read"), args: fc.record({ key }) }),
      fc.record({
        tool: fc.constant("write"),
        args: fc.record({ key, value: fc.constantFrom("1", "2", "3") }),
      }),
      fc.record({ tool: fc.constant("refuse"), args: fc.record({ key }) }),
    );
    const plain = ({ ok, result, error }: Outcome) => ({ ok, result, code: error?.code });
    const run = async (plane: Plane, tool: string, args: object) =>
      plain(await plane.call(`ledger.${tool}`, args));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        for (const { tool, args } of steps)
          assert.deepEqual(await run(on.plane, tool, args), await run(off.plane, tool, args));
      }),
      { numRuns: 25 },
    );
    assert.ok(on.asked("read") < off.asked("read"), "the cache was used");
  });
});

suite("equal calls under way", { concurrency: 4 }, () => {
  test("share one request, with its progress; others do not", async () => {
    await using at = await ledger({ coalesce: true });
    const { plane } = at;
    const progress: string[] = [];
    const call = (key: string, name: string, more = {}) =>
      plane.call(
        "ledger.held",
        { key },
        { ...more, relay: { onProgress: () => progress.push(name) } },
      );
    const calls = [
      call("a", "first"),
      call("a", "second"),
      call("b", "other"),
      call("a", "bob", bob),
    ];
    await until("three requests", () => at.asked("held") === 3);
    await until("all got progress", () => progress.length === 4);
    await plane.call("ledger.open", {});
    const ended = await Promise.all(calls);
    assert.deepEqual(
      ended.map(({ call: { coalesced } }) => coalesced),
      [undefined, true, undefined, undefined],
    );
    assert.deepEqual(progress.toSorted(), ["bob", "first", "other", "second"]);
    assert.equal((await plane.calls.get(ended[1]?.call.id ?? "")).coalesced, true);
    assert.equal(receivedMessages(readLog(at.log), "notifications/cancelled").length, 0);
  });

  test("a caller that cancels does not cancel the others, the first no more than the second", async () => {
    await using at = await ledger({ coalesce: true });
    const { plane } = at;
    for (const cancelled of [0, 1]) {
      const controllers = [new AbortController(), new AbortController(), new AbortController()];
      const calls = controllers.map(({ signal }) =>
        plane.call("ledger.held", { key: `${cancelled}` }, { signal }),
      );
      await until("one request", () => at.asked("held") === cancelled + 1);
      controllers[cancelled]?.abort();
      assertFailed((await calls[cancelled]) as Outcome, "CANCELLED", "cancelled");
      await plane.call("ledger.open", {});
      const others = await Promise.all(calls.filter((_, at) => at !== cancelled));
      assert.deepEqual(others.map(structureOf), [{ value: null }, { value: null }]);
    }
    assert.equal(receivedMessages(readLog(at.log), "notifications/cancelled").length, 0);
  });

  test("the request is cancelled once all have left", async () => {
    await using at = await ledger({ coalesce: true });
    const controllers = [new AbortController(), new AbortController()];
    const calls = controllers.map(({ signal }) =>
      at.plane.call("ledger.held", { key: "a" }, { signal }),
    );
    await until("one request", () => at.asked("held") === 1);
    for (const controller of controllers) controller.abort();
    for (const call of calls) assertFailed(await call, "CANCELLED", "cancelled");
    await untilLogged(at.log, ({ event }) => event === "cancelled");
  });

  test("one whose time is up leaves the others waiting", async () => {
    await using at = await ledger({ coalesce: true });
    const long = at.plane.call("ledger.held", { key: "a" });
    const short = at.plane.call("ledger.held", { key: "a" }, { timeoutMs: 50 });
    assertFailed(await short, "TIMEOUT", "failed");
    await at.plane.call("ledger.open", {});
    assert.equal((await long).ok, true);
    const first = at.plane.call("ledger.held", { key: "b" }, { timeoutMs: 50 });
    const second = at.plane.call("ledger.held", { key: "b" });
    assertFailed(await first, "TIMEOUT", "failed");
    await until("the other asks for itself", () => at.asked("held") === 3);
    await at.plane.call("ledger.open", {});
    assert.equal((await second).ok, true);
  });
});
