import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "./load-config.ts";

async function warnings(more: object): Promise<string[]> {
  const mcpServers = { charts: { command: "charts", compliance_level: "hipaa" } };
  const { config } = await loadConfig({ mcpServers, ...more }, {});
  return config.problems.map(({ path, message }) => `${path}: ${message}`);
}

test("a level that has no effect is reported", async () => {
  assert.deepEqual(await warnings({}), ["mcpServers.charts.compliance_level: levels have no effect"]);
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
