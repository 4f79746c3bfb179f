import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../../test/samples/calls.ts";
import { type ToolArgument, ToolManifest, type ToolOverlay } from "../../model/catalogue/tool.ts";
import { createRegistry } from "../registry.ts";
import { translateManifests } from "../sources/hand-written.ts";
import { translateTools } from "../sources/mcp.ts";

const text = { type: "string" };
const server = sampleServer({ inject: ["_mcp_data", "username"] });
const listed = {
  name: "send",
  description: "Sends.",
  inputSchema: {
    type: "object",
    properties: { to: text, body: text, username: text, region: text },
    required: ["to", "username"],
  },
};

function registryOf(
  overlays: Record<string, ToolOverlay>,
  wrapper?: { config?: object; parameters?: object; arguments?: ToolArgument[] },
) {
  const registry = createRegistry(() => undefined);
  registry.setSource("mail", translateTools("mail", server, [listed]));
  registry.setOverlays(new Map(Object.entries(overlays)));
  if (wrapper) {
    const { config, ...said } = wrapper;
    const manifest = ToolManifest.parse({
      name: "post",
      description: "Posts.",
      side_effects: "write",
      ...said,
      providers: [{ name: "mcp", config: { server: "mail", tool: "send", ...config } }],
    });
    const injection = { everywhere: [], ofServer: () => server.inject };
    registry.setSource("", translateManifests([{ manifest, source: "config" }], injection));
  }
  const of = (id: { server: string | null; tool: string }) => {
    const tool = registry.snapshot().byId(id);
    assert.ok(tool);
    return {
      ...tool,
      fixed: registry.fixedOf(tool),
      properties: Object.keys(tool.parameters.properties ?? {}),
    };
  };
  return {
    send: () => of({ server: "mail", tool: "send" }),
    post: () => of({ server: null, tool: "post" }),
  };
}

for (const spelling of ["mail.send", "mcp.mail.send", "mail__send", "mcp__mail__send", "send"]) {
  test(`an overlay finds its tool as '${spelling}'`, () => {
    const overlay = { description: "Ours.", arguments: [{ name: "region", fixed: "eu" }] };
    const tool = registryOf({ [spelling]: overlay }).send();
    assert.deepEqual(
      [tool.description, tool.properties, tool.fixed],
      ["Ours.", ["to", "body"], { region: "eu" }],
    );
    assert.deepEqual(tool.injects, ["username", "region"]);
    assert.ok(!JSON.stringify(tool.parameters).includes("eu"));
  });
}

test("metadata of an overlay is a person's word", () => {
  const tool = registryOf({
    "mail.send": {
      side_effects: "write",
      requires_consent: false,
      allow_parallel: false,
      safety_level: "high",
    },
  }).send();
  assert.deepEqual(
    [
      tool.metadata.side_effects,
      tool.metadata.safety_level,
      tool.consent,
      tool.metadata.allow_parallel,
    ],
    ["write", "high", "explicit", false],
  );
  assert.equal(tool.metadata.version, "1.0.0");
});

test("an overlay of a tool that is not there, or that several could be, changes nothing", () => {
  const tool = registryOf({ "mail.gone": { description: "x" }, "": { description: "y" } }).send();
  assert.equal(tool.description, "Sends.");
});

test("what only the system sets stays so, and it is reported", () => {
  const tool = registryOf({
    "mail.send": { arguments: [{ name: "username", type: "string" }] },
  }).send();
  assert.deepEqual(tool.properties, ["to", "body", "region"]);
  assert.match(tool.warnings?.join() ?? "", /'username' is set by the system/);
});

test("a wrapper that says nothing has the schema of what it calls, under its own names", () => {
  assert.deepEqual(registryOf({}, {}).post().properties, ["to", "body", "region"]);
  const renamed = registryOf(
    {},
    { config: { argumentMap: { to: "whom", username: "as" } } },
  ).post();
  assert.deepEqual(renamed.properties, ["whom", "body", "region"]);
  assert.deepEqual(renamed.parameters.required, ["whom"]);
  assert.ok(renamed.injects.includes("as") && renamed.reserved.includes("as"));
});

test("a wrapper is no way around what its server injects, also by another name", () => {
  const parameters = {
    type: "object",
    properties: { as: text, username: text, q: text },
    required: ["as"],
  };
  const plain = registryOf({}, { parameters }).post();
  assert.deepEqual([plain.properties, plain.injects], [["as", "q"], ["username"]]);
  const renamed = registryOf(
    {},
    { parameters, config: { argumentMap: { username: "as" } } },
  ).post();
  assert.deepEqual([renamed.properties, renamed.injects], [["username", "q"], ["as"]]);
  assert.deepEqual(renamed.parameters.required, []);
});

test("what an overlay fixes is fixed for wrappers, too", () => {
  const overlays = { "mail.send": { arguments: [{ name: "region", fixed: "eu" }] } };
  const tool = registryOf(overlays, { config: { argumentMap: { region: "where" } } }).post();
  assert.deepEqual([tool.fixed, tool.properties], [{ where: "eu" }, ["to", "body"]]);
});

test("a wrapper's own arguments are said on top of what it calls", () => {
  const written: ToolArgument[] = [
    { name: "body", default: "Hello" },
    { name: "region", fixed: "us" },
  ];
  const tool = registryOf({}, { arguments: written }).post();
  assert.deepEqual(
    [tool.properties, tool.defaults, tool.fixed],
    [["to", "body"], { body: "Hello" }, { region: "us" }],
  );
  assert.ok(!("local" in tool));
});
