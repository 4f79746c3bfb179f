import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "./load-config.ts";

async function warnings(more: object): Promise<string[]> {
  const mcpServers = { charts: { command: "charts", compliance_level: "hipaa" } };
  const { config } = await loadConfig({ mcpServers, ...more }, {});
  return config.problems.map(({ path, message }) => `${path}: ${message}`);
}

test("a level that has no effect is reported", async () => {
  assert.deepEqual(await warnings({}), [
    "mcpServers.charts.compliance_level: levels have no effect",
  ]);
  assert.deepEqual(await warnings({ compliance: "default" }), []);
  const users = { ann: { compliance: "Hippa" } };
  assert.deepEqual(await warnings({ compliance: "default", users }), [
    "users.ann.compliance: the level 'Hippa' restricts no caller",
  ]);
  const strict = { unknown: "strict", levels: [{ name: "A", allowed_with: ["A"] }] };
  assert.deepEqual(await warnings({ compliance: strict }), [
    "mcpServers.charts.compliance_level: the level 'hipaa' is refused wherever a level is asked for",
  ]);
});

test("levels that do not fit together are an error", async () => {
  for (const compliance of ["shipped", { levels: [{ name: "A", allowed_with: ["B"] }] }, 7]) {
    const { config } = await loadConfig({ mcpServers: {}, compliance }, {});
    assert.deepEqual(
      config.problems.map(({ path, severity }) => [path.split(".")[0], severity]),
      [["compliance", "error"]],
    );
  }
});

test("a rule with braces or brackets in a glob is reported: it matches none of its alternatives", async () => {
  const rules = [
    { tool: "*.{delete,remove}_*", verdict: "deny" },
    { server: "db[12]", verdict: "ask" },
    { tool: "*.delete_?", verdict: "deny" },
  ];
  const { config } = await loadConfig({ mcpServers: {}, policy: { rules } }, {});
  assert.deepEqual(
    config.problems.map(({ path, severity, hint }) => [path, severity, hint]),
    ["policy.rules[0].tool", "policy.rules[1].server"].map((path) => [
      path,
      "warning",
      "Globs support only * and ?. Write one rule per alternative.",
    ]),
  );
});

test("a condition that is written as a regular expression between slashes is reported: it is a glob", async () => {
  const rules = [
    {
      tool: "shell.run",
      arguments: { cmd: "/^rm /i", path: "/etc/*", place: "/tmp/" },
      verdict: "deny",
    },
    { tool: "shell.run", arguments: { cmd: { regex: "^rm " } }, verdict: "deny" },
  ];
  const { config } = await loadConfig({ mcpServers: {}, policy: { rules } }, {});
  assert.deepEqual(
    config.problems.map(({ path, severity, hint }) => [path, severity, hint]),
    [
      [
        "policy.rules[0].arguments.cmd",
        "warning",
        'For a regular expression write {"regex": "^rm "}.',
      ],
    ],
  );
});

test("a key of auth that nothing reads is reported, with what is missing", async () => {
  const issuer = "https://id.example.org";
  const signIn = { issuer, clientId: "plane" };
  const client = { secret: "0123456789abcdef", groups: ["ops"] };
  const cases: [object, string[]][] = [
    [{ signIn }, ["error auth.signIn"]],
    [{ signIn, server: { enabled: true } }, []],
    [{ claims: { user: "email" } }, ["warning auth.claims"]],
    [{ claims: { user: "email" }, issuer }, []],
    [{ scopes: ["read"] }, ["warning auth.scopes"]],
    [{ scopes: ["read"], server: { enabled: true } }, []],
    [{ server: { clients: { robot: client } } }, ["warning auth.server.clients.robot.groups"]],
    [{ server: { clients: { robot: { ...client, scopes: ["call"] } } } }, []],
    [{ server: { assertionIssuers: [issuer] } }, ["warning auth.server.assertionIssuers"]],
  ];
  for (const [auth, expected] of cases) {
    const { config } = await loadConfig({ mcpServers: {}, auth }, {});
    assert.deepEqual(
      config.problems.map(({ severity, path }) => `${severity} ${path}`),
      expected,
      JSON.stringify(auth),
    );
    assert.ok(config.problems.every(({ hint }) => hint !== null));
  }
});
