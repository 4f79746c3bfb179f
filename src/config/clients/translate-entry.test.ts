import assert from "node:assert/strict";
import { test } from "node:test";
import { fullHome } from "../../../test/fixtures/clients/client-home.ts";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { type ClientName, clientNames, type Where } from "./clients.ts";
import { findClientServers } from "./import-clients.ts";
import { translateEntry } from "./translate-entry.ts";

const where: Where = {
  platform: "win32",
  home: "C:\\Users\\ann",
  directory: "/projects/app",
  environment: {},
};

function translate(entry: unknown, client: ClientName = "cursor", isProject = false) {
  return translateEntry(entry, { client, isProject, where });
}

test("the servers of the fixtures come out in our own form", async () => {
  await using root = await temporaryDirectory();
  const machine = fullHome(root.path, "linux");
  const { servers } = findClientServers(clientNames(), machine);
  const definitions = Object.fromEntries(servers.map(({ name, definition }) => [name, definition]));
  const { home, directory } = machine;
  assert.partialDeepStrictEqual(definitions, {
    postgres: {
      command: "npx",
      args: [
        "-y",
        "@modelcontextprotocol/server-postgres",
        "$" + "{DATABASE_URL:-postgresql://localhost/app}",
      ],
    },
    sentry: { url: "https://mcp.sentry.dev/mcp", transport: "http" },
    asana: { url: "https://mcp.asana.com/sse", transport: "sse" },
    "github-cursor": { headers: { Authorization: "Bearer $" + "{GITHUB_TOKEN}" } },
    lint: { args: [`${directory}/tools/lint.js`], cwd: directory },
    memory: { env: { MEMORY_FILE_PATH: `${home}/memory.jsonl`, LOG_LEVEL: "$" + "{LOG_LEVEL}" } },
    linear: { url: "https://mcp.linear.app/mcp", deny_tools: ["delete_issue"] },
    puppeteer: { enabled: false },
    git: {
      env: { SSH_AUTH_SOCK: "$" + "{SSH_AUTH_SOCK:-}", GIT_PAGER: "cat" },
      connectTimeoutMs: 20_000,
      timeoutMs: 90_500,
    },
    figma: {
      url: "https://mcp.figma.com/mcp",
      headers: {
        "X-Region": "eu",
        "X-Team": "$" + "{FIGMA_TEAM}",
        Authorization: "Bearer $" + "{FIGMA_TOKEN}",
      },
      enabled: false,
      allow_tools: ["get_code"],
    },
    sqlite: { command: "uvx", args: ["mcp-server-sqlite", "--db-path", "app.db"], env: { DEBUG: "1" } },
    "github-gemini": {
      transport: "http",
      headers: { Authorization: "Bearer $" + "{GITHUB_TOKEN}" },
      timeoutMs: 5000,
    },
    weather: {
      cwd: "./servers",
      env: { WEATHER_KEY: "$" + "{WEATHER_KEY}", WEATHER_URL: "$" + "{WEATHER_URL}" },
      allow_tools: ["forecast"],
      deny_tools: ["alert"],
    },
  });
});

test("what clients note for themselves is left out", () => {
  const entry = {
    command: "x",
    type: "stdio",
    alwaysAllow: ["a"],
    autoApprove: [],
    trust: true,
    gallery: true,
  };
  assert.deepEqual(translate({ ...entry, disabled: false, enabled: true, env: {}, args: [] }), {
    definition: { command: "x" },
  });
});

test("numbers and switches in the environment become text", () => {
  assert.deepEqual(translate({ command: "x", env: { PORT: 80, ON: true, NONE: null }, args: [1] }), {
    definition: { command: "x", args: ["1"], env: { PORT: "80", ON: "true" } },
  });
});

test("the folders of an editor are put in where they are known", () => {
  const entry = { command: "$" + "{userHome}$" + "{/}x", cwd: "$" + "{workspaceFolder}" };
  assert.deepEqual(translate(entry, "vscode", true), {
    definition: { command: "C:\\Users\\ann\\x", cwd: "/projects/app" },
  });
  assert.deepEqual(translate(entry, "vscode", false), {
    reason: "only the client knows what $" + "{workspaceFolder} stands for",
  });
});

const refused: [title: string, entry: unknown, reason: RegExp][] = [
  ["no object", "npx thing", /not an object/],
  ["neither command nor url", { args: [] }, /neither a command nor a url/],
  ["an empty command", { command: "" }, /neither a command nor a url/],
  ["a socket", { type: "http", url: "unix:///tmp/mcp.sock" }, /starts with 'unix:'/],
  ["a question", { command: "x", env: { A: "$" + "{input:a}" } }, /asks its user/],
  ["a command of the editor", { command: "x", args: ["$" + "{command:pick}"] }, /only the client knows/],
];

for (const [title, entry, reason] of refused) {
  test(`an entry with ${title} is refused with the reason`, () => {
    const result = translate(entry);
    assert.ok("reason" in result);
    assert.match(result.reason, reason);
  });
}
