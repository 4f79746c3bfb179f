import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type ConfigInput, createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { startGateway } from "./gateway-client.ts";
import {
  assertFailed,
  errorOf,
  fixture,
  planeOf,
  processFixture,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

/** A tool that the echo server executes and that has its price. */
const priced = (more: object = {}) => ({
  name: "lookup",
  description: "Looks something up.",
  side_effects: "none" as const,
  parameters: { type: "object", properties: { message: { type: "string" } } },
  cost_per_call: 0.25,
  cost_unit: "USD",
  providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
  ...more,
});
const hello = { message: "hello" };

suite("budgets", { concurrency: 4 }, () => {
  test("the tools of a conversation may run only so long, others are not touched, and it can be ended", async () => {
    await using plane = await createPlane({
      config: { mcpServers: { echo: fixture("echo") }, budgets: { maxToolDurationMs: 150 } },
    });
    await plane.call("echo.slow", { ms: 200 }, { conversation: "first" });
    const refused = await plane.call("echo.slow", { ms: 1 }, { conversation: "first" });
    assertFailed(refused, "BUDGET_EXCEEDED", "refused");
    const { message, recoverable, category } = errorOf(refused);
    assert.match(message, /have run for 0\.\d+ s of 0\.15 s.*raise 'budgets\.maxToolDurationMs'/);
    assert.deepEqual([recoverable, category], [false, "policy"]);
    assert.equal((await plane.call("echo.slow", { ms: 1 }, { conversation: "second" })).ok, true);
    assert.equal(
      (await plane.call("echo.slow", { ms: 1 })).ok,
      true,
      "without a conversation nothing is counted",
    );
    const { spentMs, limitMs } = await plane.conversations.budget("first");
    assert.ok(spentMs >= 200 && limitMs === 150);
    await plane.conversations.end("first");
    assert.equal((await plane.call("echo.slow", { ms: 1 }, { conversation: "first" })).ok, true);
  });

  test("what calls cost is reported with each, recorded, summed up and limited", async () => {
    await using plane = await createPlane({
      config: {
        mcpServers: { echo: fixture("echo") },
        tools: { lookup: priced() },
        budgets: { maxCost: { USD: 0.5 } },
      },
    });
    const calls = [1, 2, 3, 4].map(() => plane.call("lookup", hello, { conversation: "c" }));
    const outcomes = await Promise.all(calls);
    const paid = outcomes.filter(({ ok }) => ok);
    assert.equal(paid.length, 2, "those that run set their money aside");
    assert.deepEqual(paid[0]?.call.cost, { amount: 0.25, unit: "USD" });
    const refused = outcomes.find(({ ok }) => !ok) ?? outcomes[0];
    assertFailed(refused ?? {}, "BUDGET_EXCEEDED", "refused");
    assert.equal(refused?.call.cost, undefined);
    assert.deepEqual((await plane.conversations.budget("c")).cost, { USD: 0.5 });
    const recorded = await plane.calls.list({ status: "succeeded" });
    assert.deepEqual(
      recorded.map(({ cost }) => cost),
      [
        { amount: 0.25, unit: "USD" },
        { amount: 0.25, unit: "USD" },
      ],
    );
  });

  test("every attempt that reached a provider costs, and what could not be sent costs nothing", async () => {
    await using plane = await createPlane({
      config: {
        mcpServers: { gone: { command: "/no/such/program" } },
        tools: {
          lookup: priced({ providers: [{ name: "mcp", config: { server: "gone", tool: "x" } }] }),
        },
      },
    });
    let fails = 1;
    plane.tools.register({
      manifest: {
        name: "flaky",
        description: "Works the second time.",
        side_effects: "none",
        cost_per_call: 0.25,
        cost_unit: "USD",
      },
      run() {
        if (fails-- > 0) throw new Error("not today");
        return "done";
      },
    });
    const failed = await plane.call("flaky", {}, { conversation: "c" });
    assert.deepEqual(failed.call.cost, { amount: 0.25, unit: "USD" }, "it ran, and failed");
    await plane.call("flaky", {}, { conversation: "c" });
    const unsent = await plane.call("lookup", hello, { conversation: "c" });
    assertFailed(unsent, "SERVER_UNAVAILABLE", "failed");
    assert.deepEqual((await plane.conversations.budget("c")).cost, { USD: 0.5 });
    assert.deepEqual(unsent.call.cost, { amount: 0, unit: "USD" });
  });

  test("a persona has its own limit, which the command line meets with exit code 3", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { tools: { lookup: priced() }, budgets: { perPersona: { Atlas: { maxCost: 0.2 } } } },
    );
    const words = ["call", "lookup", "message=hi", "--json", "--config", config];
    const data = ["--data-dir", directory.file("data")];
    const refused = await runCli([...words, "--persona", "Atlas", ...data]);
    assert.deepEqual([refused.code, refused.json().error?.code], [3, "BUDGET_EXCEEDED"]);
    assert.match(
      refused.json().error?.message ?? "",
      /raise|Raise 'budgets\.perPersona\.Atlas\.maxCost'/,
    );
    assert.equal((await runCli([...words, ...data])).code, 0);
  });

  test("over HTTP it is 429 without a time to wait for", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { tools: { lookup: priced() }, budgets: { maxCost: 0.2 } },
    );
    await using serving = await startServe(config, directory.file("data"));
    const body = JSON.stringify({ arguments: hello, conversation: "c" });
    const response = await fetch(`${serving.url}/tools/lookup/call`, { method: "POST", body });
    assert.deepEqual([response.status, response.headers.get("retry-after")], [429, null]);
    assert.equal(((await response.json()) as { code: string }).code, "BUDGET_EXCEEDED");
  });

  test("a connection of the gateway is no conversation whose time is used up", async () => {
    await using directory = await temporaryDirectory();
    const settings = { budgets: { maxToolDurationMs: 50 } };
    const config = await writeConfig(directory, { echo: processFixture("echo") }, settings);
    const place = ["--config", config, "--data-dir", directory.file("data")];
    await using gateway = await startGateway(place, {}, () => undefined);
    for (const ms of [80, 1, 1]) {
      const { result } = await gateway.begin("tools/call", {
        name: "echo__slow",
        arguments: { ms },
      }).answer;
      assert.notEqual(result?.isError, true, JSON.stringify(result));
    }
  });

  test("a plane does not start with a budget that it does not understand", async () => {
    await assert.rejects(
      createPlane({ config: { budgets: { maxCost: "lots" } } as unknown as ConfigInput }),
      {
        code: "CONFIG_INVALID",
        message:
          /budgets\.maxCost: must be a number >= 0, such numbers by unit, or null for no limit/,
      },
    );
  });

  test("two minutes are the default, and 0 is none", async () => {
    await using plane = await planeOf({});
    assert.deepEqual(await plane.conversations.budget("new"), {
      spentMs: 0,
      limitMs: 120_000,
      cost: {},
      maxCost: null,
      persona: null,
    });
    await using free = await createPlane({ config: { budgets: { maxToolDurationMs: 0 } } });
    assert.equal((await free.conversations.budget("new")).limitMs, null);
  });
});
