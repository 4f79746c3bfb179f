import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning, readShapesOf } from "../../../test/fixtures/configs/read-fixture.ts";

/** A server named `s` in the native shape, as what it says below `servers.s`. */
function read(entry: unknown) {
  const { settings, problems } = readShapesOf({ mcpServers: { s: entry } });
  const told = Object.entries(meaning(settings)).map(([path, value]) => [
    path.replace("servers.s.", ""),
    value,
  ]);
  return { said: Object.fromEntries(told), problems };
}

const cases: [title: string, entry: object, said: object][] = [
  ["a command with arguments", { command: "x", args: ["1"] }, { command: "x", args: ["1"] }],
  ["a command as a list", { command: ["x", "1", "2"] }, { command: "x", args: ["1", "2"] }],
  ["a command as a list of one", { command: ["x"] }, { command: "x" }],
  [
    "a list and more arguments",
    { command: ["x", "1"], args: ["2"] },
    { command: "x", args: ["1", "2"] },
  ],
  ["an empty list", { command: [] }, { command: [] }],
  ["each variable by itself", { env: { A: "1", B: "2" } }, { "env.A": "1", "env.B": "2" }],
  ["each header by itself", { headers: { A: "1" } }, { "headers.A": "1" }],
  ["an environment that is none", { env: "oops" }, { env: "oops" }],
  ["a short description alone", { short_description: "s" }, { description: "s" }],
  [
    "a short description beside a long one",
    { description: "d", short_description: "s" },
    { description: "d" },
  ],
  [
    "a short description instead of null",
    { description: null, short_description: "s" },
    { description: "s" },
  ],
  [
    "null as if it were not there",
    { command: "x", url: null, cwd: null, env: null },
    { command: "x" },
  ],
  [
    "null where it means everything",
    { command: "x", allow_tools: null },
    { command: "x", allow_tools: null },
  ],
  [
    "an empty list where it means nothing",
    { command: "x", allow_tools: [] },
    { command: "x", allow_tools: [] },
  ],
  ["disabled", { command: "x", disabled: true }, { command: "x", enabled: false }],
  ["a rate in the words of manifests", { rate_limit_per_minute: 30 }, { rateLimitPerMinute: 30 }],
  ["a circuit part by part", { circuit: { failures: 0 } }, { "circuit.failures": 0 }],
  ["a hint for the transport", { url: "h", type: "sse" }, { url: "h", type: "sse" }],
  ["a shared token", { auth_token: "t" }, { "auth.token": "t", "auth.type": "bearer" }],
  ["an empty token", { url: "http://h", auth_token: "" }, { url: "http://h" }],
  ["a token in auth", { auth: { token: "t" } }, { "auth.token": "t", "auth.type": "bearer" }],
  [
    "an API key in a header",
    { auth_token: "t", auth_header: "X-My" },
    { "auth.token": "t", "auth.header": "X-My", "auth.type": "api_key" },
  ],
  [
    "the type that is said",
    { auth_type: "jwt", auth_token: "t" },
    { "auth.type": "jwt", "auth.token": "t" },
  ],
  [
    "an OAuth client",
    { auth: { clientId: "c", clientSecret: "s" } },
    { "auth.clientId": "c", "auth.clientSecret": "s", "auth.type": "oauth" },
  ],
  [
    "OAuth",
    { oauth_config: { scopes: "a b", client_name: null } },
    { "auth.scopes": ["a", "b"], "auth.type": "oauth" },
  ],
];

for (const [title, entry, said] of cases) {
  test(`a server is read: ${title}`, () => {
    const found = read(entry);
    assert.deepEqual(found.said, said);
    assert.deepEqual(found.problems, []);
  });
}

const misspelt: [key: string, nearest: string | null][] = [
  ["auth_headr", "auth_header"],
  ["headrs", "headers"],
  ["timeout", "timeoutMs"],
  ["timout", "timeoutMs"],
  ["comand", "command"],
  ["zzzzzzzz", null],
];

for (const [key, nearest] of misspelt) {
  test(`the unknown key '${key}' is reported${nearest ? ` and '${nearest}' suggested` : ""}`, () => {
    const { said, problems } = read({ command: "x", [key]: "v" });
    assert.deepEqual(said, { command: "x" });
    const hint =
      nearest === null
        ? "It is ignored: remove it, or correct its name."
        : `Did you mean '${nearest}'?`;
    assert.deepEqual(
      problems.map(({ path, severity, hint }) => [path, severity, hint]),
      [[`mcpServers.s.${key}`, "warning", hint]],
    );
  });
}

for (const entry of [7, null, "x", [], {}]) {
  test(`a server that is ${JSON.stringify(entry)} is passed on for the validation to refuse`, () => {
    const { settings, problems } = readShapesOf({
      mcpServers: { s: entry, good: { command: "x" } },
    });
    assert.deepEqual(settings[0]?.path, ["servers", "s"]);
    assert.equal(JSON.stringify(settings[0]?.value), JSON.stringify(entry));
    assert.deepEqual([settings[1]?.value, problems], ["x", []]);
  });
}

for (const name of ["__proto__", "constructor", "toString"]) {
  test(`a server and a variable may be called '${name}'`, () => {
    const servers = JSON.parse(`{"${name}": {"command": "x", "env": {"${name}": "v"}}}`);
    const { settings, problems } = readShapesOf({ servers });
    assert.deepEqual(
      settings.map(({ path }) => path),
      [
        ["servers", name, "command"],
        ["servers", name, "env", name],
      ],
    );
    assert.deepEqual(problems, []);
  });
}

test("what is said twice counts as it is said first, and auth that is not an object hides nothing", () => {
  const twice = read({
    command: "x",
    enabled: false,
    disabled: false,
    auth_type: "jwt",
    auth: { type: "oauth" },
  });
  assert.deepEqual(twice.said, { command: "x", enabled: false, "auth.type": "jwt" });
  assert.deepEqual(
    twice.problems.map(({ path, severity }) => [path, severity]),
    [
      ["mcpServers.s.disabled", "warning"],
      ["mcpServers.s.auth.type", "warning"],
    ],
  );
  assert.deepEqual(read({ auth: "oops", auth_token: "t", oauth_config: {} }).said, {
    auth: "oops",
  });
});

test("keys of other systems that do nothing here are reported only where they ask for something", () => {
  assert.deepEqual(read({ command: "x", wormhole: false, allow_edit: [] }).problems, []);
  assert.equal(read({ command: "x", wormhole: true, allow_edit: ["t"] }).problems.length, 2);
});
