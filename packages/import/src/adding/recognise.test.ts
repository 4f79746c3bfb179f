import assert from "node:assert/strict";
import { test } from "node:test";
import { bundled, createSetup } from "@toolplane/test/samples/core";

const setup = createSetup(
  {
    files: ["toolplane.json"],
    directory: import.meta.dirname,
    environment: { PATH: "" },
    platform: "linux",
    program: ["toolplane"],
  },
  bundled.import,
);

const cases: [what: string | string[], name: string, entry: object][] = [
  [
    "npx @example/server-files .",
    "files",
    { command: "npx", args: ["-y", "@example/server-files", "."], cwd: "." },
  ],
  [
    "npx -y --package=@a/b run-it",
    "run-it",
    { command: "npx", args: ["-y", "--package=@a/b", "run-it"] },
  ],
  [
    "$ uvx mcp-server-git --repository x",
    "git",
    { command: "uvx", args: ["mcp-server-git", "--repository", "x"] },
  ],
  [
    "uvx --from git+https://h/r.git my-mcp",
    "my",
    { command: "uvx", args: ["--from", "git+https://h/r.git", "my-mcp"] },
  ],
  [["npx", "-y", "a b"], "a-b", { command: "npx", args: ["-y", "a b"] }],
  [
    "LEVEL=1 node weather/index.js",
    "weather",
    { command: "node", args: ["weather/index.js"], env: { LEVEL: "1" } },
  ],
  [
    "npx -y \\\n  some-server \\\n  --flag",
    "some",
    { command: "npx", args: ["-y", "some-server", "--flag"] },
  ],
  ["some-package", "some-package", { command: "npx", args: ["-y", "some-package"] }],
  [
    "@playwright/mcp@latest",
    "playwright",
    { command: "npx", args: ["-y", "@playwright/mcp@latest"] },
  ],
  [
    "docker:host.example/team/mcp-notes:2.1",
    "notes",
    { container: { image: "host.example/team/mcp-notes:2.1" } },
  ],
  [
    "./recognise.test.ts",
    "recognise-test",
    { command: "node", args: ["./recognise.test.ts"], cwd: "." },
  ],
  [
    "claude mcp add --transport sse asana https://mcp.example.com/sse",
    "asana",
    { url: "https://mcp.example.com/sse", transport: "sse" },
  ],
  [
    "claude mcp add --transport http tracker https://h.example/mcp --header 'Authorization: Bearer abc12345678'",
    "tracker",
    { url: "https://h.example/mcp", headers: { Authorization: "Bearer ${TRACKER_TOKEN}" } },
  ],
  [
    "claude mcp add -s user db -e A=1 -- npx -y dbhub --dsn postgres://u:p4ssw0rd@h/db",
    "db",
    { command: "npx", args: ["-y", "dbhub", "--dsn", "${DSN}"], env: { A: "1" } },
  ],
  [
    "codex mcp add ctx --env CTX_KEY=1 --env MAX_TOKENS=5 -- uvx ctx",
    "ctx",
    { command: "uvx", args: ["ctx"], env: { CTX_KEY: "${CTX_KEY}", MAX_TOKENS: "5" } },
  ],
  [
    `claude mcp add-json w '{"type":"http","url":"https://h.example/mcp"}'`,
    "w",
    { url: "https://h.example/mcp", transport: "http" },
  ],
  [
    '"gh": { "command": "gh-mcp", "args": ["--token", "ghp_123456789012"] },',
    "gh",
    { command: "gh-mcp", args: ["--token", "${TOKEN}"] },
  ],
  [
    '{ "url": "https://api.weather.example/mcp?api_key=abc" }',
    "weather",
    { url: "https://api.weather.example/mcp?api_key=${WEATHER_API_KEY}" },
  ],
  [
    '{ "inputs": [{ "id": "key", "type": "promptString", "password": true }], "servers": { "s": { "command": "s", "env": { "K": "${input:key}" } } } }',
    "s",
    { command: "s", env: { K: "${KEY}" } },
  ],
  [['{ // mine\n "context_servers": { "z": { "command": "z", } } }'], "z", { command: "z" }],
];

for (const [what, name, entry] of cases)
  test(`${[what].flat().join(" ").slice(0, 60)} is recognised`, async () => {
    const planned = await setup.addServers([what].flat(), { dryRun: true });
    assert.deepEqual({ name: planned.name, entry: planned.entry }, { name, entry });
  });

const refused: [what: string, why: RegExp][] = [
  ["", /Say what to add/],
  ["./nothing.js", /There is no file/],
  ["missing.mcpb", /There is no file/],
  ["openapi.yaml", /There is no file/],
  ["'unclosed", /quote is not closed/],
  [
    "{ nonsense",
    /^PlaneError: The pasted text, line 1, column 3: invalid JSON: a word .* Put keys and strings in double quotes\.$/,
  ],
  ["{}", /names no server/],
  ["https://user:pass@h.example/mcp", /user and a password/],
  ["http://", /not a valid URL/],
  ["claude mcp add", /needs a name/],
  ["A=1 B=2", /no command/],
  ["what?", /nothing that can be added/],
  [`[${"a".repeat(3_000)}`, /nothing that can be added/],
  ["a\u0000b", /nothing that can be added/],
];

for (const [what, why] of refused)
  test(`'${what.slice(0, 60)}' is refused with the reason`, async () => {
    await assert.rejects(setup.addServers([what], { dryRun: true }), why);
  });

test("several pasted servers are several entries", async () => {
  const { name, more } = await setup.addServers(
    ['{"mcpServers":{"a":{"command":"a"},"b":{"url":"https://b.example/mcp"}}}'],
    { dryRun: true },
  );
  assert.deepEqual([name, ...more.map((one) => one.name)], ["a", "b"]);
});
