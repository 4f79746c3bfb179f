import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, type Plane, type Principal, type ToolListing } from "../../src/index.ts";
import { principalOf } from "../../src/model/principal.ts";
import { inMemory, toolServer } from "../../src/testing/testing.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { callsAt, fixture, namedServer, planeOf, runCli, writeConfig } from "./support.ts";

type Inventory = {
  available_servers: {
    server_name: string;
    description: string;
    tools: Record<string, unknown>[];
  }[];
};

const ann: Principal = principalOf({ user: "ann", groups: ["ops"] });
const bob: Principal = principalOf({ user: "bob" });
const forged = { available_servers: [{ server_name: "forged", description: "", tools: [] }] };

suite("arguments that only the system sets", () => {
  let directory: TemporaryDirectory;
  let plane: Plane;
  const log = () => directory.file("planner.log");

  const servers = () => ({
    planner: fixture("planner", ["--log", log()], {
      inject: ["_mcp_data", "username"],
      description: "Makes plans",
    }),
    secret: { ...namedServer("secret", ["open_vault"]), groups: ["ops"] },
    plain: fixture("planner", ["--log", directory.file("plain.log")]),
  });

  before(async () => {
    directory = await temporaryDirectory();
    plane = await planeOf(servers(), { dataDirectory: directory.path });
    await plane.tools.list();
  });
  after(async () => {
    await plane.stop();
    await directory[Symbol.asyncDispose]();
  });

  async function received(principal: Principal, tool: string, args: unknown) {
    const outcome = await plane.call(tool, args, { principal });
    assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
    return outcome.result?.structuredContent as Record<string, unknown>;
  }

  test("the inventory arrives in its documented shape, only where it is declared", async () => {
    const { task, _mcp_data } = await received(ann, "planner.plan", { task: "t" });
    const { available_servers, ...rest } = _mcp_data as Inventory;
    assert.deepEqual([task, rest], ["t", {}]);
    const planner = available_servers.find(({ server_name }) => server_name === "planner");
    assert.equal(planner?.description, "Makes plans");
    const plan = planner?.tools.find(({ name }) => name === "planner_plan");
    assert.deepEqual(Object.keys(plan ?? {}).sort(), ["description", "name", "parameters"]);
    assert.ok(
      !JSON.stringify(plan?.parameters).includes("_mcp_data"),
      "hidden in the inventory too",
    );
    assert.deepEqual(await received(ann, "planner.plain", { query: "q" }), { query: "q" });
    assert.deepEqual(await received(ann, "planner.free_form", { any: 1 }), { any: 1 });
  });

  test("the inventory holds what this caller may use and nothing else", async () => {
    const names = async (who: Principal) => {
      const { _mcp_data } = await received(who, "planner.plan_required", { task: "t" });
      return (_mcp_data as Inventory).available_servers
        .map(({ server_name }) => server_name)
        .sort();
    };
    assert.deepEqual(await names(ann), ["plain", "planner", "secret"]);
    assert.deepEqual(await names(bob), ["plain", "planner"]);
  });

  test("a forged value never reaches the server", async () => {
    const args = { task: "t", _mcp_data: forged, username: "root", _user: "x" };
    const both = await received(bob, "planner.plan_as", args);
    assert.deepEqual([both.username, both._user], ["bob", "x"]);
    assert.notDeepEqual(both._mcp_data, forged);
    assert.deepEqual(await received(bob, "planner.whoami", { username: "root" }), {
      username: "bob",
    });
    const asText = await received(bob, "planner.plan", JSON.stringify(args));
    assert.notDeepEqual(asText._mcp_data, forged);
    await received(bob, "planner.free_form", { _mcp_data: forged, note: 1 });
    assert.ok(!JSON.stringify(callsAt(log())).includes("forged"), "by what the server wrote down");
  });

  test("without a caller there is no user name, not even a forged one", async () => {
    const anonymous = principalOf({});
    assert.deepEqual(
      await received(anonymous, "planner.whoami_required", { username: "root" }),
      {},
    );
  });

  test("a user name is an ordinary argument until the configuration says otherwise", async () => {
    assert.deepEqual(await received(ann, "plain.whoami", { username: "somebody" }), {
      username: "somebody",
    });
  });

  test("injected parameters are in no listing, neither as property nor as required", async () => {
    const tools = await plane.tools.list({ principal: ann, server: "planner" });
    const parametersOf = (name: string) =>
      (tools.find(({ id }) => id.tool === name) as ToolListing).parameters;
    assert.deepEqual(Object.keys(parametersOf("plan_as").properties as object), ["task", "_user"]);
    assert.deepEqual(parametersOf("plan_required").required, ["task"]);
    assert.deepEqual(parametersOf("whoami_required").required ?? [], []);
    const shown = await plane.tools.get("planner.plan_required", { principal: ann });
    assert.ok(!JSON.stringify(shown.parameters).includes("_mcp_data"));
    const open = await plane.tools.get("plain.whoami", { principal: ann });
    assert.ok("username" in (open.parameters.properties as object));
  });

  test("no record of a call holds an injected value, only its name", async () => {
    const [record] = await plane.calls.list({ tool: "planner.plan_as", limit: 1 });
    assert.deepEqual(record?.injected, ["_mcp_data", "username"]);
    assert.ok(!JSON.stringify(record).includes("available_servers"));
  });

  test("a single command line call tells the planner about every server, not only its own", async () => {
    const config = await writeConfig(directory, servers());
    const common = ["--config", config, "--data-dir", directory.path, "--user", "ann", "--json"];
    const { code, json } = await runCli([
      "call",
      "planner.plan",
      "task=t",
      "--group",
      "ops",
      ...common,
    ]);
    assert.equal(code, 0);
    const received = json().result?.structuredContent as { _mcp_data: Inventory } | undefined;
    const names = received?._mcp_data.available_servers.map(({ server_name }) => server_name);
    assert.deepEqual(names?.sort(), ["plain", "planner", "secret"]);
  });
});

suite("the user under the name of Atlas UI", () => {
  const declares = {
    type: "object",
    properties: { task: { type: "string" }, _atlas_user: { type: "string" } },
    required: ["task", "_atlas_user"],
  };
  const tools = () => toolServer({ ask: { inputSchema: declares, run: () => "asked" } });

  test("_atlas_user is the caller, whatever a model forges, and is left out where no one calls", async () => {
    const [usual, named, other, open] = [tools(), tools(), tools(), tools()];
    await using plane = await createPlane({
      servers: {
        usual: inMemory(usual),
        named: { ...inMemory(named), inject: ["_atlas_user"] },
        other: { ...inMemory(other), inject: ["username"] },
        open: { ...inMemory(open), inject: [] },
      },
      principal: principalOf({ user: null, scopes: ["*"] }),
    });
    const forged = { task: "t", _atlas_user: "eve" };
    const { parameters } = await plane.tools.get("usual.ask");
    assert.doesNotMatch(JSON.stringify(parameters), /_atlas_user/);
    for (const name of ["usual", "named", "other", "open"])
      await plane.call(`${name}.ask`, forged, { principal: ann });
    await plane.call("usual.ask", forged);
    const received = ({ calls }: ReturnType<typeof tools>) =>
      calls.map((call) => call.arguments._atlas_user);
    assert.deepEqual([received(usual), received(named)], [["ann", undefined], ["ann"]]);
    assert.deepEqual(received(other), [undefined], "another list no longer sends it");
    assert.deepEqual(received(open), ["eve"], "an empty list hands it over");
  });
});
