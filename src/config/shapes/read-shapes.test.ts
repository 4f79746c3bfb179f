import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  meaning,
  nested,
  readFixture,
  readShapesOf,
} from "../../../test/fixtures/configs/read-fixture.ts";
import { ConfigValues } from "../../model/config/config.ts";
import { isObject } from "../../model/json.ts";

const folder = join(import.meta.dirname, "../../../test/fixtures/configs");
const fixtures = readdirSync(folder).filter((name) => /^(seed|same)-/.test(name));
const same = fixtures.filter((name) => name.startsWith("same-"));

test("the same servers have identical settings in every shape", async () => {
  const [first, ...others] = await Promise.all(same.map((name) => readFixture(name)));
  assert.ok(others.length >= 4);
  assert.equal(first?.settings.length, 10);
  for (const other of others) {
    assert.deepEqual(meaning(other.settings), meaning(first.settings));
    assert.deepEqual(other.problems, []);
  }
});

test("a list and an object of manifests say the same", async () => {
  const list = await readFixture("seed-001-manifest-list.json");
  const object = await readFixture("seed-001-manifest-object.json");
  assert.deepEqual(meaning(list.settings), meaning(object.settings));
  assert.deepEqual([list.problems, object.problems], [[], []]);
});

for (const name of fixtures) {
  test(`${name} is read without an error and fits the normal form`, async () => {
    const { settings, problems } = await readFixture(name);
    assert.deepEqual(
      problems.filter(({ severity }) => severity === "error"),
      [],
    );
    assert.ok(settings.length > 0);
    const { servers, ...values } = nested(settings);
    const complete = Object.entries(isObject(servers) ? servers : {}).map(([server, entry]) => {
      const { type: _, url, ...fields } = entry as { [key: string]: unknown };
      const full = typeof url === "string" && !url.includes("://") ? `http://${url}` : url;
      return [server, { transport: "stdio", ...(full !== undefined && { url: full }), ...fields }];
    });
    const parsed = ConfigValues.safeParse({ ...values, servers: Object.fromEntries(complete) });
    assert.deepEqual(parsed.error?.issues ?? [], []);
  });
}

test("a setting tells the file, the line and the place it was written at", async () => {
  const { settings } = await readFixture("same-providers.yaml");
  const found = settings.find(({ path }) => path.join(".") === "servers.search.auth.token");
  assert.deepEqual(
    [found?.origin.line, found?.origin.path, found?.origin.file.endsWith("same-providers.yaml")],
    [10, "providers[1].api_key", true],
  );
});

test("several shapes may stand in one file", () => {
  const { settings, problems } = readShapesOf({
    $schema: "https://example.com/schema.json",
    mcpServers: { a: { command: "a" } },
    servers: [{ name: "b", command: "b" }],
    providers: [{ name: "c", command: "c" }],
    mcp: { d: { url: "http://d" } },
    tools: {
      mcp: { enabled: true, servers: { e: { cmd: "e" } } },
      t: { name: "t", description: "T", side_effects: "none" },
    },
    f: { command: ["f"] },
    policy: { mode: "plan" },
  });
  assert.deepEqual(problems, []);
  const { servers, tools, policy } = nested(settings);
  assert.deepEqual(Object.keys(servers ?? {}).sort(), ["a", "b", "c", "d", "e", "f"]);
  assert.deepEqual(
    [Object.keys(tools ?? {}), { ...(policy as object) }],
    [["t"], { mode: "plan" }],
  );
});

const unreadable: [title: string, data: unknown, message: RegExp][] = [
  ["a text", "hello", /top level must be an object/],
  ["nothing", null, /top level must be an object/],
  ["a list of numbers", [1], /may hold tools only/],
  ["servers that are a text", { mcpServers: "oops" }, /object of servers by name/],
  ["a section that is a number", { policy: 7 }, /must be an object/],
  ["tools that are a text", { tools: "oops" }, /list or an object of tools/],
  ["a server in a list without a name", { servers: [{ command: "x" }] }, /needs a 'name'/],
  ["providers that are no list", { providers: {} }, /must be a list/],
  ["a group that is a list", { mcp: [] }, /object of entries by id/],
];

for (const [title, data, message] of unreadable) {
  test(`${title}: one error and no setting`, () => {
    const { settings, problems } = readShapesOf(data);
    assert.deepEqual(settings, []);
    assert.deepEqual(
      problems.map(({ severity }) => severity),
      ["error"],
    );
    assert.match(problems[0]?.message ?? "", message);
  });
}

test("an unknown key at the top is reported with the nearest known one", () => {
  const { problems } = readShapesOf({ servers: {}, polcy: {} });
  assert.deepEqual(problems, [
    {
      file: "config.json",
      line: null,
      path: "polcy",
      severity: "warning",
      message: "'polcy' is not a known key",
      hint: "Did you mean 'policy'?",
    },
  ]);
});

test("in a flat map every object is a server, so that a misspelt one is not lost", () => {
  const { settings, problems } = readShapesOf({
    good: { command: "x" },
    bad: { comand: "y" },
    note: "text",
  });
  assert.deepEqual(meaning(settings), {
    "servers.good.command": "x",
    "servers.bad": Object.create(null),
  });
  assert.deepEqual(
    problems.map(({ path, hint }) => [path, hint]),
    [
      ["bad.comand", "Did you mean 'command'?"],
      ["note", "It is ignored: remove it, or correct its name."],
    ],
  );
});

test("a server of a flat map may be called like a section", () => {
  const { settings } = readShapesOf({
    mcp: { command: "x" },
    policy: { url: "http://h" },
    auth: { jwt: {} },
  });
  assert.deepEqual(meaning(settings), {
    "servers.mcp.command": "x",
    "servers.policy.url": "http://h",
  });
});

test("a file with servers is never taken for one tool", () => {
  const { settings } = readShapesOf({
    name: "n",
    type: "module",
    mcpServers: { a: { command: "x" } },
  });
  assert.deepEqual(meaning(settings), { "servers.a.command": "x" });
});

test("the first of two things with one name counts whole, and the second is reported", () => {
  const { settings, problems } = readShapesOf({
    mcpServers: { a: { command: "x" } },
    servers: { a: { url: "http://h" } },
  });
  assert.deepEqual(meaning(settings), { "servers.a.command": "x" });
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [["servers.a", "error"]],
  );
});

test("the first unknown keys of a file get a suggestion, and sixty thousand do not", () => {
  const typo = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, index) => [`mcpServer_${index}`, index % 2 ? {} : 1]),
  );
  const { problems } = readShapesOf({ mcpServer: {}, ...typo });
  const suggested = problems.filter(({ hint }) => hint?.startsWith("Did you mean"));
  assert.equal(problems.length, 60_001);
  assert.ok(suggested.length > 0 && suggested.length <= 200, `${suggested.length}`);
});
