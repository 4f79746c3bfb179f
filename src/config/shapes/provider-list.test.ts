import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning, readFixture, readShapesOf } from "../../../test/fixtures/configs/read-fixture.ts";

test("providers of all three types become servers", async () => {
  const { settings, problems } = await readFixture("seed-004-providers.yaml");
  const said = meaning(settings);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    ["docs", "search", "local-files"].map((name) => said[`servers.${name}.transport`]),
    ["sse", "http", "stdio"],
  );
  assert.equal(said["servers.docs.auth.token"], "${DOCS_API_KEY:-DOCS_API_KEY}");
  assert.equal(said["servers.search.auth.token"], "${SEARCH_API_KEY:-none}");
});

const secrets: [api_key: unknown, token: unknown][] = [
  ["MY_KEY", "${MY_KEY:-MY_KEY}"],
  ["sk-plain", "sk-plain"],
  ["${MY_KEY}", "${MY_KEY}"],
  ["", undefined],
  [null, undefined],
];

for (const [api_key, token] of secrets) {
  test(`the api_key ${JSON.stringify(api_key)} means ${JSON.stringify(token)}`, () => {
    const { settings } = readShapesOf({
      providers: [{ name: "p", endpoint: "http://h", api_key }],
    });
    assert.equal(meaning(settings)["servers.p.auth.token"], token);
    assert.equal(
      meaning(settings)["servers.p.auth.type"],
      token === undefined ? undefined : "bearer",
    );
  });
}

test("tool configs become toolsets", async () => {
  const { settings, problems } = await readFixture("seed-004-tool-configs.yaml");
  assert.deepEqual(problems, []);
  assert.deepEqual(meaning(settings), {
    "toolsets.my-tools.providers": ["docs", "local-files"],
    "toolsets.my-tools.allow_tools": ["search_docs", "read_file"],
    "toolsets.my-tools.max_tool_call_turns": 3,
    "toolsets.my-tools.timeout_sec": 15,
    "toolsets.everything.providers": ["docs", "search", "local-files"],
  });
});

test("an unknown provider_type is an error that names the allowed ones, and the others load", () => {
  const { settings, problems } = readShapesOf({
    providers: [
      { name: "bad", endpoint: "http://h", provider_type: "carrier-pigeon" },
      { name: "good", command: "x" },
    ],
  });
  assert.deepEqual(meaning(settings), {
    "servers.good.command": "x",
    "servers.good.transport": "stdio",
  });
  const [problem, ...more] = problems;
  assert.deepEqual(
    [problem?.severity, problem?.path, more],
    ["error", "providers[0].provider_type", []],
  );
  assert.match(problem?.message ?? "", /'carrier-pigeon'/);
  assert.match(problem?.hint ?? "", /sse, streamable_http, stdio/);
});

test("every entry that cannot be read is reported, and none of them costs another", () => {
  const { settings, problems } = readShapesOf({
    providers: [7, { command: "x" }, { name: "a", command: "x" }, { name: "a", command: "y" }],
    tool_configs: [{ providers: [] }, { tool_alias: "t", max_turns: 3 }],
  });
  assert.deepEqual(Object.keys(meaning(settings)), [
    "servers.a.command",
    "servers.a.transport",
    "toolsets.t",
  ]);
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [
      ["providers[0]", "error"],
      ["providers[1]", "error"],
      ["providers[3]", "error"],
      ["tool_configs[0]", "error"],
      ["tool_configs[1].max_turns", "warning"],
    ],
  );
});

test("a key of the other type of provider is unknown", () => {
  const { problems } = readShapesOf({
    providers: [{ name: "p", endpoint: "http://h", command: "x", provider_type: "sse" }],
  });
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [["providers[0].command", "warning"]],
  );
});
