import assert from "node:assert/strict";
import { test } from "node:test";
import golden from "../../test/fixtures/seed-000-mcp-data.json" with { type: "json" };
import { sampleTool } from "../../test/samples/calls.ts";
import { createInventory, renderInventory } from "./inventory.ts";

test("tools are listed under their server, with name, description and parameters", () => {
  const parameters = { type: "object", properties: { a: { type: "number" } } };
  const tools = [
    sampleTool({
      id: { server: "git", tool: "status" },
      description: "Tells the state.",
      parameters,
    }),
    sampleTool({ id: { server: "notes", tool: "write" }, description: "Writes.", parameters: {} }),
    sampleTool({ id: { server: "git", tool: "log" }, description: "", parameters: {} }),
  ];
  assert.deepEqual(
    renderInventory(tools, [
      { name: "git", description: "Version control" },
      { name: "notes", description: "" },
    ]),
    {
      available_servers: [
        {
          server_name: "git",
          description: "Version control",
          tools: [
            { name: "git_status", description: "Tells the state.", parameters },
            { name: "git_log", description: "", parameters: {} },
          ],
        },
        {
          server_name: "notes",
          description: "",
          tools: [{ name: "notes_write", description: "Writes.", parameters: {} }],
        },
      ],
    },
  );
});

test("an inventory of nothing has no servers", () => {
  assert.deepEqual(renderInventory([], []), { available_servers: [] });
});

test("the inventory is the documented one, key by key", () => {
  const parameters = { type: "object", properties: { query: { type: "string" } } };
  const tool = sampleTool({
    id: { server: "my_server", tool: "toolName" },
    description: "What this tool does",
    parameters,
  });
  const servers = [{ name: "my_server", description: "Server description from config" }];
  assert.equal(JSON.stringify(renderInventory([tool], servers)), JSON.stringify(golden));
});

test("a server without tools is there, hand-written tools are not, and the planner's own server may be left out", () => {
  const tools = [
    sampleTool({ id: { server: "planner", tool: "plan" } }),
    sampleTool({ id: { server: null, tool: "search" } }),
  ];
  const servers = ["planner", "down"].map((name) => ({ name, description: "" }));
  const names = (options: object) =>
    (
      renderInventory(tools, servers, options, "planner").available_servers as {
        server_name: string;
      }[]
    ).map(({ server_name }) => server_name);
  assert.deepEqual(names({}), ["planner", "down"]);
  assert.deepEqual(names({ exclude_self: true }), ["down"]);
});

test("the same view is rendered once, and another one is not taken for it", () => {
  const render = createInventory();
  const tools = [sampleTool(), sampleTool({ id: { server: "notes", tool: "read" } })];
  const servers = [{ name: "notes", description: "" }];
  const first = render(tools, servers);
  assert.equal(render([...tools], servers), first);
  assert.notEqual(render(tools.slice(1), servers), first);
  assert.notEqual(render(tools, [{ name: "notes", description: "New" }]), first);
  assert.notEqual(render(tools, servers, { exclude_self: true }, "notes"), first);
  assert.equal(render(tools, servers), first);
});
