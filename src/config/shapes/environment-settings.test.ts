import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning } from "../../../test/fixtures/configs/read-fixture.ts";
import { settingsForAllServers, settingsFromEnvironment } from "./environment-settings.ts";

const cases: [title: string, environment: Record<string, string>, said: object][] = [
  ["nothing", { PATH: "/bin", TOOLPLANE_MCP_SERVER_URL: " " }, {}],
  [
    "a whole server",
    {
      TOOLPLANE_MCP_ENABLED: "yes",
      TOOLPLANE_MCP_SERVER_TRANSPORT: "stdio",
      TOOLPLANE_MCP_SERVER_COMMAND: "npx",
      TOOLPLANE_MCP_SERVER_ARGS: "-y 'my server'",
      TOOLPLANE_MCP_SERVER_CWD: "/srv",
      TOOLPLANE_MCP_TIMEOUT_SECONDS: "2.5",
      TOOLPLANE_MCP_ALLOW_TOOLS: "a, b",
      TOOLPLANE_MCP_DENY_TOOLS: "c",
    },
    {
      "servers.default.enabled": true,
      "servers.default.transport": "stdio",
      "servers.default.command": "npx",
      "servers.default.args": ["-y", "my server"],
      "servers.default.cwd": "/srv",
      "servers.default.timeoutMs": 2_500,
      "servers.default.allow_tools": ["a", "b"],
      "servers.default.deny_tools": ["c"],
    },
  ],
  [
    "the seed's names",
    { ATLAS_MCP_SERVER_URL: "http://h/mcp" },
    { "servers.default.url": "http://h/mcp" },
  ],
  [
    "our names before the seed's",
    { ATLAS_MCP_SERVER_URL: "http://a", TOOLPLANE_MCP_SERVER_URL: "http://t" },
    { "servers.default.url": "http://t" },
  ],
  [
    "a named server",
    { TOOLPLANE_MCP_DEFAULT_SERVER: "git", ATLAS_MCP_ENABLED: "0" },
    { "servers.git.enabled": false },
  ],
];

for (const [title, environment, said] of cases) {
  test(`the environment says: ${title}`, () => {
    const { settings, problems } = settingsFromEnvironment(environment);
    assert.deepEqual(meaning(settings), said);
    assert.deepEqual(problems, []);
  });
}

test("the origin of a value is its variable", () => {
  const { settings } = settingsFromEnvironment({ ATLAS_MCP_SERVER_COMMAND: "x" });
  assert.deepEqual(
    settings.map(({ origin }) => origin),
    [{ file: "environment", line: null, path: "ATLAS_MCP_SERVER_COMMAND" }],
  );
});

test("what cannot be used is reported with the name of its variable", () => {
  const { settings, problems } = settingsFromEnvironment({
    TOOLPLANE_MCP_SERVER_URL: "http://h",
    TOOLPLANE_MCP_SERVER_TRANSPORT: "smoke",
    ATLAS_MCP_TIMEOUT_SECONDS: "soon",
    ATLAS_MCP_HEALTH_CHECK_INTERVAL: "often",
  });
  assert.deepEqual(meaning(settings), {
    "servers.default.url": "http://h",
    "servers.default.timeoutMs": 30_000,
  });
  assert.deepEqual(
    problems.map(({ file, path, severity }) => [file, path, severity]),
    [
      ["environment", "TOOLPLANE_MCP_SERVER_TRANSPORT", "warning"],
      ["environment", "ATLAS_MCP_TIMEOUT_SECONDS", "warning"],
      ["environment", "ATLAS_MCP_HEALTH_CHECK_INTERVAL", "warning"],
    ],
  );
});

test("settings without a server to apply to are reported", () => {
  const environment = { ATLAS_MCP_SERVER_CWD: "/tmp" };
  const { settings, problems } = settingsFromEnvironment(environment);
  assert.deepEqual([settings, problems.map(({ path }) => path)], [[], ["ATLAS_MCP_SERVER_CWD"]]);
  const forAll = settingsForAllServers({ ATLAS_MCP_DENY_TOOLS: "a" }, {});
  assert.deepEqual(forAll.settings, []);
  assert.deepEqual(
    forAll.problems.map(({ path }) => path),
    ["ATLAS_MCP_DENY_TOOLS"],
  );
});

const configured = {
  git: { command: "git-server", deny_tools: ["push"], allow_tools: ["pull", "push"] },
  mail: { url: "http://mail" },
};

test("without a server's name filters and a switch hold for all servers, and only tighten", () => {
  const { settings, problems } = settingsForAllServers(
    { ATLAS_MCP_DENY_TOOLS: "drop_*", ATLAS_MCP_ALLOW_TOOLS: "pull, read_*" },
    configured,
  );
  assert.deepEqual(meaning(settings), {
    "servers.git.allow_tools": ["pull"],
    "servers.git.deny_tools": ["push", "drop_*"],
    "servers.mail.allow_tools": ["pull", "read_*"],
    "servers.mail.deny_tools": ["drop_*"],
  });
  assert.deepEqual(problems, []);
  const off = settingsForAllServers({ ATLAS_MCP_ENABLED: "false" }, configured);
  assert.deepEqual(meaning(off.settings), {
    "servers.git.enabled": false,
    "servers.mail.enabled": false,
  });
  assert.deepEqual(settingsForAllServers({ ATLAS_MCP_ENABLED: "true" }, configured).settings, []);
});

test("the server that the variables name is the default one, and so is the only one that they describe", () => {
  const named = settingsForAllServers({ TOOLPLANE_MCP_DEFAULT_SERVER: "mail" }, configured);
  assert.deepEqual(meaning(named.settings), { defaultServer: "mail" });
  const described = { default: { command: "notes" } };
  const only = settingsForAllServers({ TOOLPLANE_MCP_SERVER_COMMAND: "notes" }, described);
  assert.deepEqual(meaning(only.settings), { defaultServer: "default" });
  const gone = settingsForAllServers({ ATLAS_MCP_DEFAULT_SERVER: "gone" }, configured);
  assert.deepEqual(
    [gone.settings, gone.problems.map(({ path }) => path)],
    [[], ["ATLAS_MCP_DEFAULT_SERVER"]],
  );
});
