import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning, readFixture, readShapesOf } from "../../../test/fixtures/configs/read-fixture.ts";

/** The block with one server `s`, as what it says below `servers.s`. */
function read(server: object, block: object = {}) {
  const { settings, problems } = readShapesOf({
    tools: { mcp: { enabled: true, ...block, servers: { s: server } } },
  });
  const told = Object.entries(meaning(settings)).map(([path, value]) => [
    path.replace("servers.s.", ""),
    value,
  ]);
  return { said: Object.fromEntries(told), problems };
}

const cases: [title: string, server: object, said: object, block?: object][] = [
  ["the default timeout", { command: "x" }, { command: "x", timeoutMs: 30_000 }],
  [
    "cmd and command_args",
    { cmd: "x", command_args: "a 'b c'" },
    { command: "x", args: ["a", "b c"] },
  ],
  ["args as a list", { args: ["a b"] }, { args: ["a b"] }],
  ["working_directory", { working_directory: "/w" }, { cwd: "/w" }],
  ["uri", { uri: "http://h" }, { url: "http://h" }],
  ["endpoint", { endpoint: "http://h" }, { url: "http://h" }],
  ["wss", { transport: "wss" }, { transport: "websocket" }],
  ["https", { transport: "HTTPS" }, { transport: "http" }],
  ["a timeout in seconds", { timeout: "1.5" }, { timeoutMs: 1_500 }],
  ["no timeout", { timeout_seconds: 0 }, { timeoutMs: 0 }],
  ["the timeout of the block", {}, { timeoutMs: 5_000 }, { timeout_seconds: 5 }],
  ["its own timeout first", { timeout: 2 }, { timeoutMs: 2_000 }, { timeout_seconds: 5 }],
  [
    "words as booleans",
    { allow_parallel: "yes", requires_consent: "0" },
    { allow_parallel: true, requires_consent: false },
  ],
  [
    "what it inherits",
    {},
    { side_effects: "write", allow_parallel: true },
    { side_effects: "write", allow_parallel: 1 },
  ],
  [
    "filters as text",
    { allow_tools: "a, b,", deny_tools: "c" },
    { allow_tools: ["a", "b"], deny_tools: ["c"] },
  ],
  ["an empty filter as text", { allow_tools: "" }, {}],
  ["an empty filter as a list", { allow_tools: [] }, { allow_tools: [] }],
  [
    "the filters of the block",
    {},
    { allow_tools: ["a"], deny_tools: ["b"] },
    { allow_tools: "a", deny_tools: ["b"] },
  ],
  ["both denials", { deny_tools: "a" }, { deny_tools: ["a", "b"] }, { deny_tools: "b,a" }],
  ["what both allow", { allow_tools: "a,b" }, { allow_tools: ["b"] }, { allow_tools: ["b", "c"] }],
  [
    "what both allow with a glob",
    { allow_tools: "read_a,b" },
    { allow_tools: ["read_a"] },
    { allow_tools: "read_*" },
  ],
  ["a null filter as none", { allow_tools: null }, { allow_tools: ["a"] }, { allow_tools: "a" }],
  ["a persona", { persona: "Atlas" }, { persona: "Atlas" }],
  [
    "authentication",
    { authentication: { scheme: "bearer", token: "t" } },
    { "auth.type": "bearer", "auth.token": "t" },
  ],
  ["scopes", { auth: { scopes: "a b" }, scopes: ["b", "c"] }, { "auth.scopes": ["a", "b", "c"] }],
  ["the auth type", { auth_type: "jwt" }, { "auth.type": "jwt" }],
  ["its version", { version: 2 }, { version: "2" }, { version: "1" }],
  ["the version of the block", {}, { version: "1.5" }, { version: "1.5" }],
  [
    "what its tools need",
    { auth_required: "yes", auth_env: "TOKEN" },
    { auth_required: true, auth_env: ["TOKEN"] },
  ],
  [
    "what is said of what its tools need",
    { auth: { env: { A: { required: true }, B: "${B}" } } },
    { auth_env: { A: { required: true }, B: {} } },
  ],
  [
    "what its tools need, inside auth",
    { auth: { required: 1, env: { A: "A", B: "" } } },
    { auth_required: true, auth_env: ["A", "B"] },
  ],
];

test("a value beside the name of a variable that a server needs is not used, and is reported", () => {
  const { said, problems } = read({ auth: { env: { TOKEN: "tp-1", OTHER: "${OTHER}" } } });
  assert.deepEqual(said.auth_env, ["TOKEN", "OTHER"]);
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [["tools.mcp.servers.s.auth.env.TOKEN", "warning"]],
  );
});

for (const [title, server, said, block] of cases) {
  test(`a server of tools.mcp is read: ${title}`, () => {
    const found = read(server, block);
    assert.deepEqual(found.said, { timeoutMs: 30_000, ...said });
    assert.deepEqual(found.problems, []);
  });
}

test("a block that is off, or does not say, has servers that are off", () => {
  assert.equal(read({ enabled: true }, { enabled: "no" }).said.enabled, false);
  const silent = read({}, { enabled: undefined });
  assert.deepEqual([silent.said.enabled, silent.problems.length], [false, 1]);
  assert.equal(read({ enabled: false }).said.enabled, false);
});

const told: [title: string, server: object, block: object, path: string, said?: object][] = [
  [
    "globs that cannot be combined",
    { allow_tools: ["a*c"] },
    { allow_tools: ["*b*"] },
    "tools.mcp.servers.s.allow_tools",
    { allow_tools: ["a*c"] },
  ],
  [
    "the second of two aliases",
    { url: "http://a", uri: "http://b" },
    {},
    "tools.mcp.servers.s.uri",
    { url: "http://a" },
  ],
  ["an unknown transport", { transport: "smoke" }, {}, "tools.mcp.servers.s.transport"],
  ["a timeout that is no number", { timeout: "soon" }, {}, "tools.mcp.servers.s.timeout"],
  ["an unknown key of a server", { comand: "x" }, {}, "tools.mcp.servers.s.comand"],
  ["an unknown key of the block", {}, { alow_tools: [] }, "tools.mcp.alow_tools"],
  [
    "a default server that is not there",
    {},
    { default_server: "gone" },
    "tools.mcp.default_server",
  ],
  ["a default server by its other name", {}, { server: "gone" }, "tools.mcp.server"],
  [
    "an interval that is no number",
    { health_check_interval: "x" },
    {},
    "tools.mcp.servers.s.health_check_interval",
  ],
];

for (const [title, server, block, path, said] of told) {
  test(`${title} is a warning`, () => {
    const found = read(server, block);
    assert.deepEqual(found.said, { timeoutMs: 30_000, ...said });
    assert.deepEqual(
      found.problems.map(({ path, severity }) => [path, severity]),
      [[path, "warning"]],
    );
  });
}

test("each value of a block points at its own line, also the inherited ones", async () => {
  const { settings } = await readFixture("seed-001-tools-mcp.yaml");
  const lineOf = (key: string) =>
    settings.find(({ path }) => path.join(".") === `servers.browser-server.${key}`)?.origin.line;
  assert.deepEqual(["args", "timeoutMs", "auth.type", "allow_tools"].map(lineOf), [14, 5, 21, 7]);
});

test("servers that are no objects are passed on, and a list of them is an error", () => {
  const { settings } = readShapesOf({ tools: { mcp: { enabled: true, servers: { a: 7 } } } });
  assert.deepEqual(meaning(settings), { "servers.a": 7 });
  const { problems } = readShapesOf({ tools: { mcp: { enabled: true, servers: [] } } });
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [["tools.mcp.servers", "error"]],
  );
});
