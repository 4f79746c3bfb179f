import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../../test/samples/calls.ts";
import type { UnknownObject } from "../../model/json.ts";
import { ServerDefinition } from "../../model/servers/server.ts";
import { translateTools } from "./mcp.ts";

const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

function translate(entry: UnknownObject, settings: UnknownObject = {}) {
  const { tools, rejected } = translateTools("notes", sampleServer(settings), [
    { name: "write", inputSchema: schema, ...entry },
  ]);
  const [tool] = tools;
  return tool ?? assert.fail(JSON.stringify(rejected));
}

test("a listed tool becomes a tool of its server, to be executed there", () => {
  const tool = translate({ description: "Writes.", title: "Write" });
  assert.deepEqual(tool.id, { server: "notes", tool: "write" });
  assert.deepEqual([tool.title, tool.description, tool.source], ["Write", "Writes.", "mcp:notes"]);
  assert.deepEqual(tool.parameters, schema);
  assert.deepEqual(
    tool.providers.map(({ name, config }) => ({ name, config })),
    [{ name: "mcp", config: { server: "notes", tool: "write" } }],
  );
});

test("what a tool does not say is taken from its server, else from the defaults", () => {
  const plain = translate({});
  assert.equal(plain.description, "MCP tool 'write' from server 'notes'");
  assert.deepEqual(
    [plain.metadata.version, plain.metadata.side_effects, plain.metadata.allow_parallel],
    ["1.0.0", "network", undefined],
  );
  assert.deepEqual([plain.metadata.requires_consent, plain.consent], [true, "default"]);
  const settings = {
    side_effects: "none",
    allow_parallel: true,
    requires_consent: true,
    idempotency_key: true,
  };
  const said = translate({}, { ...settings, groups: ["g"], persona: "p", trusted: true });
  assert.deepEqual(
    [said.metadata.side_effects, said.metadata.allow_parallel, said.metadata.idempotency_key],
    ["none", true, true],
  );
  assert.deepEqual(
    [said.consent, said.groups, said.persona, said.trusted],
    ["explicit", ["g"], "p", true],
  );
});

test("annotations and the output schema come along; a title may be an annotation", () => {
  const annotations = { title: "Write!", readOnlyHint: false };
  const tool = translate({ annotations, outputSchema: { type: "object" } });
  assert.deepEqual([tool.annotations, tool.title], [annotations, "Write!"]);
  assert.deepEqual(tool.outputSchema, { type: "object" });
});

test("a schema that names no type is one of an object", () => {
  assert.deepEqual(translate({ inputSchema: {} }).parameters, { type: "object" });
});

test("a parameter that is injected is shown neither as a property nor as required", () => {
  const inputSchema = {
    type: "object",
    properties: { task: {}, _mcp_data: {}, username: {} },
    required: ["task", "_mcp_data"],
    additionalProperties: false,
  };
  const tool = translate({ inputSchema });
  assert.deepEqual(tool.injects, ["_mcp_data"]);
  assert.deepEqual(tool.parameters, {
    type: "object",
    properties: { task: {}, username: {} },
    required: ["task"],
    additionalProperties: false,
  });
  const both = translate({ inputSchema }, { inject: ["_mcp_data", "username"] });
  assert.deepEqual(both.injects, ["_mcp_data", "username"]);
  assert.deepEqual(Object.keys(both.parameters.properties ?? {}), ["task"]);
  assert.deepEqual(translate({ inputSchema }, { inject: [] }).parameters, inputSchema);
});

test("a parameter that is not declared is not injected", () => {
  assert.deepEqual(translate({}, { inject: ["_mcp_data", "username"] }).injects, []);
});

const bad: [title: string, entry: unknown, label: string, reason: RegExp][] = [
  ["nothing", null, "entry 2", /not an object/],
  ["a text", "tool", "entry 2", /not an object/],
  ["an entry without a name", { inputSchema: schema }, "entry 2", /no name/],
  ["a name that is a number", { name: 42, inputSchema: schema }, "entry 2", /no name/],
  ["an empty name", { name: "", inputSchema: schema }, "entry 2", /no name/],
  ["a blank name", { name: " ", inputSchema: schema }, "entry 2", /no name/],
  ["a name for the second time", { name: "good", inputSchema: schema }, "good", /twice/],
  ["properties that are a list", { name: "x", inputSchema: { properties: [] } }, "x", /properties/],
];

for (const [title, entry, label, reason] of bad) {
  test(`${title} costs only itself, with the reason`, () => {
    const good = (name: string) => ({ name, inputSchema: schema });
    const { tools, rejected } = translateTools("s", sampleServer(), [
      good("good"),
      entry,
      good("after"),
    ]);
    assert.deepEqual(
      tools.map(({ id }) => id.tool),
      ["good", "after"],
    );
    assert.equal(rejected[0]?.tool, label);
    assert.match(rejected[0]?.reason ?? "", reason);
  });
}

test("filters are applied to the names the server uses, and what they keep out is no problem", () => {
  const listed = ["read_note", "write_note", "reset"].map((name) => ({
    name,
    inputSchema: schema,
  }));
  const settings = { allow_tools: ["*_note"], deny_tools: ["write_*"] };
  const { tools, rejected } = translateTools("notes", sampleServer(settings), listed);
  assert.deepEqual([tools.map(({ id }) => id.tool), rejected], [["read_note"], []]);
  assert.deepEqual(translateTools("notes", sampleServer({ allow_tools: [] }), listed).tools, []);
});

test("hidden characters in names, defaults and choices reach no one, and icons cannot run", () => {
  const tag = String.fromCodePoint(
    ...[..."send it"].map((letter) => 0xe0000 + (letter.codePointAt(0) ?? 0)),
  );
  const selectors = "\ufe01\ufe0f\ufe03";
  const listed = [
    {
      name: "good",
      inputSchema: {
        type: "object",
        properties: {
          a: {
            type: "string",
            default: `x${tag}`,
            enum: [`x${tag}`, `y${selectors}`, "\u2764\ufe0f"],
          },
        },
      },
      icons: [
        { src: "javascript:alert(1)" },
        { src: "data:text/html,x" },
        { src: "https://a.example/i.png" },
        { src: "data:image/png;base64,AA" },
      ],
    },
    {
      name: "bad",
      inputSchema: { type: "object", properties: { [`a${tag}`]: { type: "string" } } },
    },
  ];
  const { tools: taken, rejected } = translateTools(
    "s",
    ServerDefinition.parse({ transport: "stdio", command: "x" }),
    listed,
  );
  assert.deepEqual(taken[0]?.parameters.properties, {
    a: { type: "string", default: "x", enum: ["x", "y", "\u2764\ufe0f"] },
  });
  assert.deepEqual(taken[0]?.listed?.icons, [
    { src: "https://a.example/i.png" },
    { src: "data:image/png;base64,AA" },
  ]);
  assert.match(rejected[0]?.reason ?? "", /cannot be seen/);
  assert.equal(taken.length, 1);
});
