import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type ConfigInput, createPlane, type PlaneCallOptions } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { listed, principalFor, world } from "./access-world.ts";
import { fixture, namedServer, planeOf, textsOf, writeConfig } from "./support.ts";

const as = (...[person]: Parameters<typeof principalFor>) => ({ principal: principalFor(person) });

suite("what a configuration says about access", () => {
  test("counts from the moment it is read again", async () => {
    await using directory = await temporaryDirectory();
    const server = namedServer("notes", ["read"]);
    const write = (more: object) =>
      writeConfig(directory, { notes: { ...server, ...more } }, { compliance: "default" });
    await using plane = await createPlane({ config: await write({}) });
    const bob = as("bob").principal;
    assert.deepEqual(await listed(plane, bob), ["notes.read"]);
    const steps = [{ groups: ["hr"] }, { workspaces: ["red"] }, { enabled: false }];
    for (const more of steps) {
      await write(more);
      await plane.reload();
      assert.deepEqual(await listed(plane, bob), [], JSON.stringify(more));
      assert.equal((await plane.call("notes.read", {}, { principal: bob })).ok, false);
      await write({});
      await plane.reload();
      assert.deepEqual(textsOf(await plane.call("notes.read", {}, { principal: bob })), [
        "notes:read",
      ]);
    }
  });

  test("closes what it is wrong about", async () => {
    for (const more of [{ groups: "hr" }, { workspaces: "red" }, { discoverable: "yes" }]) {
      await using plane = await planeOf({ notes: { ...namedServer("notes", ["read"]), ...more } });
      assert.equal((await plane.call("notes.read")).ok, false, JSON.stringify(more));
    }
    const wrong = [
      { compliance: "strict" },
      { personas: { clerk: { flags: 1 } } },
      { users: { ann: { workspace: 1 } } },
    ];
    for (const more of wrong)
      await assert.rejects(createPlane({ config: { mcpServers: {}, ...more } as ConfigInput }), {
        code: "CONFIG_INVALID",
      });
  });

  test("counts for one tool of a server as well, and a wrapper of it is no way around", async () => {
    const { open } = world.mcpServers;
    const provider = { name: "mcp", config: { server: "open", tool: "look" } };
    await using plane = await createPlane({
      config: {
        mcpServers: { open },
        overlays: { "open.look": { workspaces: ["red"], group: ["default", "kb"] } },
        tools: {
          wrapped: { description: "The same.", side_effects: "none", providers: [provider] },
        },
      },
    });
    assert.deepEqual(await listed(plane, principalFor("bob")), []);
    for (const tool of ["open.look", "wrapped"]) {
      assert.equal((await plane.call(tool, {}, as("bob"))).error?.code, "TOOL_NOT_FOUND", tool);
      assert.equal((await plane.call(tool, {}, as("rita"))).ok, true, tool);
    }
  });

  test("gives each caller an inventory of their own", async () => {
    const config = { ...world, mcpServers: { ...world.mcpServers, planner: fixture("planner") } };
    await using plane = await createPlane({ config });
    const inventory = async (options: PlaneCallOptions) => {
      const { result } = await plane.call("planner.plan", { task: "x" }, options);
      const { _mcp_data } = (result?.structuredContent ?? {}) as {
        _mcp_data: { available_servers: { server_name: string }[] };
      };
      return _mcp_data.available_servers.map(({ server_name }) => server_name).sort();
    };
    const defaultPrincipal = ["a", "med", "open", "planner", "pub"];
    assert.deepEqual(await inventory(as("ann")), [...defaultPrincipal, "a_b", "hr"].sort());
    assert.deepEqual(await inventory(as("bob")), defaultPrincipal);
    assert.deepEqual(
      await inventory(as("mia")),
      defaultPrincipal.filter((name) => name !== "pub"),
    );
    assert.deepEqual(await inventory({ ...as("bob"), mcp: ["planner", "open"] }), [
      "open",
      "planner",
    ]);
  });
});
