import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool } from "../../test/samples/calls.ts";
import { renderInventory } from "./inventory.ts";

test("tools are listed under their server, with name, description and parameters", () => {
  const parameters = { type: "object", properties: { a: { type: "number" } } };
  const tools = [
    sampleTool({ id: { server: "git", tool: "status" }, description: "Tells the state.", parameters }),
    sampleTool({ id: { server: "notes", tool: "write" }, description: "Writes.", parameters: {} }),
    sampleTool({ id: { server: "git", tool: "log" }, description: "", parameters: {} }),
  ];
  assert.deepEqual(
    renderInventory(tools, (server) => (server === "git" ? "Version control" : "")),
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
  assert.deepEqual(
    renderInventory([], () => ""),
    { available_servers: [] },
  );
});
