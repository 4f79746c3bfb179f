import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { createPlane, type Plane, type Principal } from "../../src/index.ts";
import { principalOf } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { moveClocks } from "../samples/mocked-time.ts";
import { getJson, postCall } from "./requests.ts";
import { fixture, namedServer, planeOf, startServe, writeConfig } from "./support.ts";

const atlas: Principal = principalOf({ user: "ada", persona: "Atlas" });
const nova: Principal = principalOf({ user: "eve", persona: "Nova" });
const bob: Principal = principalOf({ user: "bob" });
const lookup = (server: string, more: object = {}) => ({
  name: "lookup",
  description: "Looks something up.",
  side_effects: "none" as const,
  providers: [{ name: "mcp", config: { server, tool: "ok" } }],
  ...more,
});
const servers = {
  near: namedServer("near", ["ok"]),
  gone: { command: "/no/such/program" },
};

suite("health", () => {
  test("what a persona does with a shared tool counts for the tool and, beside it, for the persona", async () => {
    await using plane = await createPlane({
      config: { mcpServers: servers, tools: { lookup: lookup("near") } },
    });
    for (const principal of [atlas, atlas, nova, bob])
      await plane.call("lookup", {}, { principal });
    const seen = async (principal: Principal, personas: string[] = []) => {
      const { tools } = await plane.tools.page({ personas }, { principal });
      const health = tools.find(({ name }) => name === "lookup")?.health;
      return [health?.total, health?.persona?.name, health?.persona?.total];
    };
    assert.deepEqual(await seen(atlas), [4, "Atlas", 2]);
    assert.deepEqual(await seen(nova), [4, "Nova", 1]);
    assert.deepEqual(await seen(bob), [4, undefined, undefined]);
    assert.deepEqual(await seen(bob, ["atlas"]), [4, "atlas", 2]);
    assert.deepEqual(await seen(bob, ["Atlas", "Nova"]), [4, undefined, undefined]);
    const { health } = await plane.tools.get("lookup", { principal: atlas });
    assert.equal(health.persona?.success_rate, 1);
  });

  test("over HTTP a persona's part is shown beside the whole", async () => {
    await using directory = await temporaryDirectory();
    const users = { ann: { persona: "Atlas" } };
    const config = await writeConfig(directory, servers, {
      tools: { lookup: lookup("near") },
      users,
    });
    await using serving = await startServe(config, directory.path);
    assert.equal((await postCall(serving.url, "lookup", {})).status, 200);
    const { body } = await getJson(`${serving.url}/tools?persona=Atlas&q=looks`);
    const [shown] = body.tools as { health: { total: number; persona: { total: number } } }[];
    assert.deepEqual([shown?.health.total, shown?.health.persona.total], [1, 0]);
  });

  test("a persona's own tool and the shared one of its name share neither health nor rest", async () => {
    await using plane = await createPlane({ config: { mcpServers: servers } });
    const ways = (first: string) => [
      { name: "mcp", priority: 0, health_check_interval: 0, config: { server: first, tool: "ok" } },
      {
        name: "mcp",
        priority: 10,
        health_check_interval: 0,
        config: { server: "near", tool: "ok" },
      },
    ];
    plane.tools.register(lookup("near", { providers: ways("near") }));
    plane.tools.register({ ...lookup("gone", { providers: ways("gone") }), persona: "Atlas" });
    assert.equal((await plane.call("lookup", {}, { principal: atlas })).call.attempts, 2);
    assert.equal((await plane.call("lookup", {}, { principal: bob })).call.attempts, 1);
    const own = (await plane.tools.get("lookup", { principal: atlas })).health;
    const shared = (await plane.tools.get("lookup", { principal: bob })).health;
    assert.deepEqual([own.total, shared.total], [1, 1]);
    assert.equal(own.providers["mcp:gone"]?.router.healthy, false);
    const rests = Object.values(shared.providers).map(({ router }) => router.failures);
    assert.deepEqual(rests, [0, 0]);
  });

  test("the last call is reported for the tool and for each way of executing it", async () => {
    await using plane = await createPlane({ config: { mcpServers: servers } });
    const providers = ["gone", "near"].map((server, priority) => ({
      name: "mcp",
      priority,
      health_check_interval: 0,
      config: { server, tool: "ok" },
    }));
    plane.tools.register(lookup("near", { providers }));
    assert.equal((await plane.tools.get("lookup")).health.last_invocation, null);
    await plane.call("lookup");
    const { health } = await plane.tools.get("lookup");
    assert.deepEqual(
      [health.last_invocation?.ok, health.last_invocation?.selected],
      [true, "mcp:near"],
    );
    assert.equal(health.last_invocation?.at, health.last_sample_at);
    const last = (label: string) => health.providers[label]?.last_call;
    assert.deepEqual([last("mcp:gone")?.ok, last("mcp:near")?.ok], [false, true]);
    assert.ok(Number(last("mcp:near")?.latency_ms) > 0);
    const { tools } = await plane.registry.summary();
    assert.deepEqual(
      tools.find(({ name }) => name === "lookup")?.health.last_invocation,
      health.last_invocation,
    );
  });

  test("after a restart the numbers are the same", async () => {
    await using directory = await temporaryDirectory();
    const options = {
      config: { mcpServers: { echo: fixture("echo") } },
      dataDirectory: directory.path,
    };
    const healthIn = async (plane: Plane) =>
      (await plane.tools.get("echo.echo", { principal: atlas })).health;
    let before: unknown;
    {
      await using plane = await createPlane(options);
      for (const message of ["a", "b", "c"])
        await plane.call("echo.echo", { message }, { principal: atlas });
      await plane.call("echo.fail", { reason: "no" });
      before = await healthIn(plane);
    }
    await using again = await createPlane(options);
    assert.deepEqual(await healthIn(again), before);
  });

  test("what one plane learns another on the same store sees within two seconds", async () => {
    await using directory = await temporaryDirectory();
    const options = {
      config: { mcpServers: { echo: fixture("echo") } },
      dataDirectory: directory.path,
    };
    await using one = await createPlane(options);
    await using other = await createPlane(options);
    const total = async (plane: Plane) => (await plane.tools.get("echo.echo")).health.total;
    assert.deepEqual([await total(one), await total(other)], [0, 0]);
    await one.call("echo.echo", { message: "hi" });
    assert.equal(await total(one), 1, "its own at once");
    moveClocks({ mock }, Date.now() + 2_000);
    try {
      assert.equal(await total(other), 1);
    } finally {
      mock.reset();
    }
  });

  test("a tool error counts as an error in the series of calls as it does in the health of the tool", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    const outcome = await plane.call("echo.fail", { reason: "no" });
    assert.equal(outcome.call.status, "tool_error");
    await plane.call("echo.add", { a: 1, b: 2 });
    const { total } = await plane.calls.series();
    assert.deepEqual([total.calls, total.errors], [2, 1]);
    assert.equal((await plane.tools.get("echo.fail")).health.success_rate, 0);
  });

  test("the last provider that worked stays known after a failure", async () => {
    await using plane = await createPlane({ config: {} });
    let works = true;
    const run = async () => {
      if (!works) throw new Error("down");
      return "up";
    };
    plane.tools.register({
      manifest: { name: "lamp", description: "A lamp.", side_effects: "none" },
      run,
    });
    await plane.call("lamp");
    const { last_invocation: first } = (await plane.tools.get("lamp")).health;
    works = false;
    await plane.call("lamp");
    const { last_invocation: last } = (await plane.tools.get("lamp")).health;
    assert.deepEqual(
      [last?.ok, last?.selected, last?.last_success],
      [false, "function", first?.at],
    );
  });
});
