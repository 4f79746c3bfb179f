import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callName, readInventory } from "../../servers/planner/inventory.ts";
import { renderCatalogue } from "../../servers/planner/render-catalogue.ts";
import { slugOf } from "../../servers/planner/slug.ts";

const inventory = {
  available_servers: [
    {
      server_name: "notes",
      description: "Keeps\nnotes",
      tools: [
        {
          name: "notes_write",
          description: "Writes a note.",
          parameters: {
            type: "object",
            properties: {
              text: { type: "string", description: "What to\n  write" },
              tags: { type: ["array", "null"] },
              mode: { enum: ["add", "replace"] },
              anything: true,
              _mcp_data: { type: "object" },
              _user: { type: "string" },
            },
            required: ["text", "_mcp_data"],
          },
        },
        { name: "notes_list", description: null, parameters: {} },
      ],
    },
    { server_name: "down", description: "Could not list", tools: [] },
    {
      server_name: "bare",
      description: "",
      tools: [{ name: "bare_x.y", description: "X", parameters: {} }],
    },
  ],
};

const golden = `Server: notes (Keeps notes)
  Tool: notes_write
    Description: Writes a note.
    Parameters:
      text (string, required): What to write
      tags (array or null, optional)
      mode (one of ["add","replace"], optional)
      anything (any, optional)
  Tool: notes_list
    Description: (none)
    Parameters: (none)

Server: bare
  Tool: bare_x.y
    Description: X
    Parameters: (none)`;

suite("the catalogue as a model reads it", () => {
  test("servers, tools and parameters, without those that only the system sets", () => {
    const { servers, omitted } = readInventory(inventory);
    assert.equal(renderCatalogue(servers, omitted), golden);
  });

  test("what had no room is counted", () => {
    const { servers, omitted } = readInventory({ ...inventory, truncated: true, omitted_tools: 7 });
    assert.ok(renderCatalogue(servers, omitted).endsWith("\n\n(7 more tools are not listed here)"));
  });

  test("no tools are said to be none, whatever came", () => {
    for (const nothing of [
      undefined,
      null,
      1,
      {},
      { available_servers: 1 },
      { available_servers: [] },
      { available_servers: [{}, 1] },
    ]) {
      const { servers, omitted } = readInventory(nothing);
      assert.equal(renderCatalogue(servers, omitted), "(No tools available)");
    }
  });

  test("a name of the inventory is called by server and tool, however many underscores it has", () => {
    const { servers } = readInventory({
      available_servers: [
        { server_name: "a", tools: [{ name: "a_b_c" }] },
        { server_name: "a_b", tools: [{ name: "a_b_d" }, { name: "odd" }] },
      ],
    });
    const written = ["a_b_c", "a.b_c", "a_b_d", "odd", "unknown_tool"];
    assert.deepEqual(
      written.map((name) => callName(servers, name)),
      ["a.b_c", "a.b_c", "a_b.d", "odd", "unknown_tool"],
    );
  });

  test("a task becomes a file name", () => {
    const cases: [task: string, slug: string][] = [
      ["Greet Ann, then Bob!", "greet_ann_then_bob"],
      ["  a -- b\n c ", "a_b_c"],
      ["../../etc/passwd", "etcpasswd"],
      ["$(rm -rf /)", "rm_rf"],
      ["日本", "plan"],
      ["", "plan"],
      ["-", "plan"],
      ["x".repeat(60), "x".repeat(40)],
    ];
    for (const [task, slug] of cases) assert.equal(slugOf(task), slug, task);
  });
});
