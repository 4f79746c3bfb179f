import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { renderProblems } from "../model/config/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Environment } from "./environment.ts";
import { loadConfig, requireSafe } from "./load-config.ts";

const server = { command: "server" };

async function load(data: UnknownObject, environment: Environment = {}) {
  return (await loadConfig(data, environment)).config;
}

/** Loads files with these texts, in this order. */
async function loadTexts(texts: readonly string[], environment: Environment = {}) {
  await using directory = await temporaryDirectory();
  const files = texts.map((_, at) => directory.file(`${at}.json`));
  for (const [at, text] of texts.entries()) await writeFile(files[at] ?? "", text);
  return (await loadConfig(files, environment)).config;
}

test("a flat map, `servers` and `mcpServers` mean the same", async () => {
  const entries = { a: { command: "x", args: ["1"] }, b: { url: "h/mcp" } };
  const shapes = [entries, { servers: entries }, { mcpServers: entries }];
  const [flat, ...wrapped] = await Promise.all(shapes.map((data) => load(data)));
  for (const config of wrapped) assert.deepEqual(config.servers, flat?.servers);
  assert.deepEqual(Object.keys(flat?.servers ?? {}), ["a", "b"]);
  assert.deepEqual(flat?.problems, []);
});

test("a server gets the defaults of what it does not say", async () => {
  const { a } = (await load({ servers: { a: server } })).servers;
  assert.equal(a?.transport, "stdio");
  assert.deepEqual(
    [a?.enabled, a?.trusted, a?.allow_tools, a?.side_effects],
    [true, false, null, "network"],
  );
  assert.deepEqual(a?.inject, ["_mcp_data", "_atlas_user"]);
});

test("a later file replaces a server whole and keeps the others", async () => {
  const { servers, files } = await loadTexts([
    '{"servers": {"a": {"command": "one", "args": ["x"]}, "b": {"command": "two"}}}',
    '{"servers": {"a": {"url": "http://h/mcp"}}}',
  ]);
  assert.deepEqual(Object.keys(servers).sort(), ["a", "b"]);
  assert.deepEqual(
    [servers.a?.command, servers.a?.url, servers.a?.args],
    [undefined, "http://h/mcp", []],
  );
  assert.equal(files.length, 2);
});

test("a broken file warns with its line and the others load", async () => {
  const { servers, problems } = await loadTexts([
    '{"servers": {"a": {"command": "x"}}}',
    '{\n"a": }',
  ]);
  assert.deepEqual(Object.keys(servers), ["a"]);
  assert.deepEqual(
    problems.map(({ line, severity }) => [line, severity]),
    [[2, "error"]],
  );
});

test("without any readable file nothing is loaded, and every reason is reported", async () => {
  await assert.rejects(loadTexts(["{", "[1"]), (error) => {
    assert.ok(error instanceof PlaneError);
    assert.equal(error.code, "CONFIG_INVALID");
    assert.match(error.message, /0\.json:1:2: .*\n.*1\.json:1:3: /);
    return true;
  });
});

test("an unset variable disables its server with variable and field; the others run", async () => {
  const { servers, broken, problems } = await load(
    {
      servers: { a: { command: "x", env: { TOKEN: "${MISSING}" } }, b: { command: "${SET}" } },
    },
    { SET: "y" },
  );
  assert.deepEqual([servers.a, servers.b?.command], [undefined, "y"]);
  assert.match(broken.a ?? "", /env\.TOKEN.*MISSING/);
  assert.match(problems[0]?.hint ?? "", /\$\{MISSING:-default\}/);
});

test("a problem inside a server is reported with the line of the very value", async () => {
  const text = [
    "{",
    '"servers": {',
    '"a": {',
    '"command": "x",',
    '"args": [',
    '"1",',
    "2],",
    '"env": {',
    '"T": "${NO}"',
    "}}}}",
  ];
  const { problems } = await loadTexts([text.join("\n")]);
  const lines = problems.map(({ path, line }) => [path, line]);
  assert.deepEqual(lines.sort(), [
    ["servers.a.args[1]", 7],
    ["servers.a.env.T", 9],
  ]);
});

test("all problems of all servers are reported, and good servers load beside them", async () => {
  const { servers, broken, problems } = await load({
    servers: {
      a: 7,
      b: {},
      c: { command: "x", timeoutMs: -1, groups: "g" },
      d: { url: "ftp://h" },
      good: server,
    },
  });
  assert.deepEqual(Object.keys(servers), ["good"]);
  assert.deepEqual(Object.keys(broken), ["a", "b", "c", "d"]);
  assert.equal(problems.filter(({ path }) => path.startsWith("servers.c.")).length, 2);
});

test("an unknown key is a warning that names the nearest known one", async () => {
  const { servers, problems } = await load({
    servers: { a: { command: "x", headrs: {} } },
    polcy: {},
  });
  assert.ok(servers.a);
  assert.deepEqual(
    problems.map(({ path, severity, hint }) => [path, severity, hint]),
    [
      ["servers.a.headrs", "warning", "Did you mean 'headers'?"],
      ["polcy", "warning", "Did you mean 'policy'?"],
    ],
  );
});

test("null lets every tool through, an empty list none", async () => {
  const { servers } = await load({
    servers: { a: { ...server, allow_tools: [] }, b: { ...server, allow_tools: null } },
  });
  assert.deepEqual([servers.a?.allow_tools, servers.b?.allow_tools], [[], null]);
});

test("a policy is read, and a wrong one stops everything instead of being left out", async () => {
  const rules = [{ tool: "git.*", verdict: "deny" }];
  const { policy } = await load({ servers: {}, policy: { profile: "strict", rules } });
  assert.deepEqual(policy, { profile: "strict", mode: "build", rules, effects: {} });
  const wrong = await load({ servers: {}, policy: { rules: [{ verdict: "maybe" }] } });
  assert.throws(() => requireSafe(wrong), {
    code: "CONFIG_INVALID",
    message: /policy\.rules\[0\]\.verdict/,
  });
});

for (const name of ["constructor", "toString", "__proto__"]) {
  test(`a server may be called '${name}'`, async () => {
    const { servers, problems } = await load({
      servers: JSON.parse(`{"${name}": {"command": "x"}}`),
    });
    assert.deepEqual(Object.keys(servers), [name]);
    assert.deepEqual(problems, []);
  });
}

test("no server is lost without a word", async () => {
  const both = await load({ mcpServers: { a: server }, servers: { b: server } });
  assert.ok(both.servers.b || both.problems.length > 0, "the second wrapper");
  assert.ok(
    (await load({ mcpServers: "oops" })).problems.length > 0,
    "a wrapper that is not an object",
  );
});

test("a problem reads as file, line, place, reason and remedy", async () => {
  const problem = {
    file: "/a.json",
    path: "servers.a",
    message: "is wrong",
    severity: "error",
  } as const;
  assert.equal(
    renderProblems([{ ...problem, line: 3, hint: "Mend it." }]),
    "/a.json:3: servers.a: is wrong. Mend it.",
  );
  assert.equal(
    renderProblems([{ ...problem, line: null, path: "", hint: null }]),
    "/a.json: is wrong.",
  );
});
