import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning, readFixture, readShapesOf } from "../../../test/fixtures/configs/read-fixture.ts";

const complete = {
  name: "t",
  description: "T",
  version: "1.2.3",
  parameters: { type: "object" },
  side_effects: "none",
  auth: { required: false },
  allow_parallel: true,
  idempotency_key: false,
};

function valueAfter(key: string, value: unknown) {
  const { settings, problems } = readShapesOf({ ...complete, [key]: value });
  return { value: meaning(settings)[`tools.t.${key}`], problems: problems.map(({ path }) => path) };
}

const assumptions: [fixture: string, missing: string[]][] = [
  ["seed-001-google-search.json", ["idempotency_key"]],
  ["seed-001-browser-lookup.json", ["version", "parameters", "auth", "idempotency_key"]],
];

for (const [fixture, missing] of assumptions) {
  test(`${fixture} loads, and what it does not say is reported: ${missing}`, async () => {
    const { problems } = await readFixture(fixture);
    assert.deepEqual(
      problems.map(({ severity, message }) => [
        severity,
        /^'(\w+)' of '\w+' is not given/.exec(message)?.[1],
      ]),
      missing.map((key) => ["warning", key]),
    );
  });
}

const lenient: [key: string, written: unknown, read: unknown][] = [
  ["allow_parallel", "yes", true],
  ["allow_parallel", 0, false],
  ["requires_consent", "OFF", false],
  ["idempotency_key", "1", true],
  ["idempotency_key", { required: true }, { required: true }],
  ["default_timeout", "45", 45],
  ["default_timeout", "soon", "soon"],
  ["cost_per_call", "0.5", 0.5],
  ["version", 2, "2"],
  ["auth", true, { required: true }],
  ["auth", "no", { required: false }],
  ["auth", { type: "api_key" }, { type: "api_key", required: false }],
  ["auth", { required: "on", env: "KEY" }, { required: true, envs: { KEY: { required: true } } }],
  ["capabilities", "web", ["web"]],
  ["parameters", { properties: {} }, { properties: {}, type: "object" }],
  ["providers", [{ name: "mcp", priority: "3" }], [{ name: "mcp", priority: 3 }]],
];

for (const [key, written, read] of lenient) {
  test(`${key} written as ${JSON.stringify(written)} is read as ${JSON.stringify(read)}`, () => {
    assert.deepEqual(valueAfter(key, written), { value: read, problems: [] });
  });
}

test("a provider that cannot be used is left out, a number that is none gets its default", () => {
  const { value, problems } = valueAfter("providers", [
    { priority: 1 },
    { name: "mcp", priority: "first", health_check_interval: -1, custom: true },
  ]);
  assert.deepEqual(value, [{ name: "mcp", custom: true }]);
  assert.deepEqual(problems, [
    "providers[0]",
    "providers[1].priority",
    "providers[1].health_check_interval",
  ]);
});

test("in a list one bad entry is reported and the others load", () => {
  const { settings, problems } = readShapesOf([
    complete,
    { description: "no name" },
    { ...complete, name: "u" },
  ]);
  assert.deepEqual(
    settings.filter(({ path }) => path[2] === "name").map(({ value }) => value),
    ["t", "u"],
  );
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [["[1]", "error"]],
  );
});

test("an unknown key of a manifest is reported with the nearest known one", () => {
  const { problems } = readShapesOf({ ...complete, side_efects: "none" });
  assert.deepEqual(
    problems.map(({ path, hint }) => [path, hint]),
    [["side_efects", "Did you mean 'side_effects'?"]],
  );
});

test("our own `tools` may be a map or a list, and defaults need no warning there", () => {
  const tool = { description: "T", side_effects: "none" };
  const map = readShapesOf({ tools: { t: tool } });
  const list = readShapesOf({ tools: [{ name: "t", ...tool }] });
  assert.deepEqual(meaning(map.settings), meaning(list.settings));
  assert.deepEqual([map.problems, list.problems], [[], []]);
  assert.equal(meaning(map.settings)["tools.t.name"], "t");
});

test("entries of `tools` that are no tools are reported one by one", () => {
  const { problems } = readShapesOf({ tools: [7, { description: "no name" }, { ...complete }] });
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [
      ["tools[0]", "error"],
      ["tools[1]", "error"],
    ],
  );
});
