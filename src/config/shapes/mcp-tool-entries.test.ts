import assert from "node:assert/strict";
import { test } from "node:test";
import {
  meaning,
  nested,
  readFixture,
  readShapesOf,
} from "../../../test/fixtures/configs/read-fixture.ts";
import { isObject } from "../../model/json.ts";

const bankTool = {
  type: "mcp-tool",
  name: "get_bank_balance",
  description: "Get bank account balance",
  "mcp-tool": "get_bank_balance",
};

test("a tool entry may be a whole file, and without arguments everything passes", async () => {
  const { settings, problems } = await readFixture("seed-003-without-arguments.json");
  assert.deepEqual(problems, []);
  assert.deepEqual(meaning(settings), {
    "tools.get_bank_balance.name": "get_bank_balance",
    "tools.get_bank_balance.description": "Get bank account balance",
    "tools.get_bank_balance.parameters": { type: "object" },
    "tools.get_bank_balance.side_effects": "network",
    "tools.get_bank_balance.providers": [
      {
        name: "mcp",
        priority: 0,
        config: { server: "get_bank_balance", tool: "get_bank_balance" },
      },
    ],
    "tools.get_bank_balance.exclusive": true,
  });
});

test("arguments are taken over, and one that says so is optional", async () => {
  const { settings } = await readFixture("seed-003-with-arguments.json");
  assert.deepEqual(meaning(settings)["tools.get_bank_balance.arguments"], [
    { name: "account_id", type: "string", description: "Bank account identifier" },
    {
      name: "date",
      type: "string",
      description: "Date for balance query (optional, format: YYYY-MM-DD)",
      required: false,
    },
  ]);
});

test("the groups of remote tools and of tools find each other, as objects and as JSON text", async () => {
  const { settings, problems } = await readFixture("seed-003-groups.json");
  const said = meaning(settings);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    [said["servers.balance.auth.type"], said["servers.rates.url"], said["servers.rates.auth.type"]],
    ["bearer", "https://rates.example.com/mcp", undefined],
  );
  const routes = ["get_bank_balance", "get_rates"].map((name) => said[`tools.${name}.providers`]);
  assert.deepEqual(routes, [
    [{ name: "mcp", priority: 0, config: { server: "balance", tool: "get_balance" } }],
    [{ name: "mcp", priority: 0, config: { server: "rates", tool: "rates" } }],
  ]);
});

test("one bad entry never affects the others", () => {
  const { settings, problems } = readShapesOf({
    mcp: { get_bank_balance: { url: "http://h" }, broken: "{", odd: 7 },
    tool: {
      good: bankTool,
      prompt: { ...bankTool, type: "prompt", name: "p" },
      text: "no JSON",
      dangling: { ...bankTool, name: "d", "mcp-tool": "gone" },
      nameless: { type: "mcp-tool", name: 7 },
      extra: { ...bankTool, name: "e", state: "next", argumnts: [] },
    },
  });
  const { tools, servers } = nested(settings);
  assert.deepEqual(Object.keys(isObject(tools) ? tools : {}), ["get_bank_balance", "d", "e"]);
  assert.deepEqual(Object.keys(isObject(servers) ? servers : {}), ["get_bank_balance"]);
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [
      ["mcp.broken", "error"],
      ["mcp.odd", "error"],
      ["tool.prompt", "error"],
      ["tool.text", "error"],
      ["tool.dangling.mcp-tool", "warning"],
      ["tool.nameless", "error"],
      ["tool.extra.argumnts", "warning"],
    ],
  );
  assert.match(problems[2]?.message ?? "", /a prompt needs a 'template'/);
  assert.equal(problems.at(-1)?.hint, "Did you mean 'arguments'?");
});

test("a list of entries may be a whole file, and another type is reported by its name", () => {
  const { settings, problems } = readShapesOf([
    bankTool,
    { ...bankTool, type: "knowledge-query", name: "k" },
  ]);
  assert.equal(settings.length, 6);
  assert.deepEqual(
    problems.map(({ path, severity, message }) => [
      path,
      severity,
      /'knowledge-query'/.test(message),
    ]),
    [["[1]", "warning", true]],
  );
});

test("groups and states of a tool are taken over, and one of them needs no list", () => {
  const entry = { ...bankTool, group: "kb", state: "done", "applicable-states": ["start"] };
  const { settings, problems } = readShapesOf({
    mcp: { get_bank_balance: { url: "http://h" } },
    tool: { one: entry },
  });
  assert.deepEqual(problems, []);
  const said = meaning(settings);
  const keys = ["group", "state", "applicable-states"].map(
    (key) => said[`tools.get_bank_balance.${key}`],
  );
  assert.deepEqual(keys, [["kb"], "done", ["start"]]);
});
