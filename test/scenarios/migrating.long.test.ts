import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { openLocalSetup } from "../../src/local-setup.ts";
import type { ImportReport } from "../../src/model/config/setup.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { errorOf, startCli } from "./support.ts";

const foreign = (name: string) => join(import.meta.dirname, "../fixtures/foreign", name);
type Written = { mcpServers: Record<string, unknown> };

/** Imports into an empty directory with an empty home, and checks that what was written is valid. */
async function imported(...asked: string[]) {
  await using directory = await temporaryDirectory();
  const options = {
    cwd: directory.path,
    env: { HOME: directory.path, USERPROFILE: directory.path },
  };
  const { code, stdout, stderr } = await startCli(["import", ...asked, "--json"], options).result;
  assert.equal(code, 0, stdout + stderr);
  const report = JSON.parse(stdout) as ImportReport;
  const file = directory.file("toolplane.json");
  const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as Written;
  const checked = await startCli(["config", "validate", "--config", file, "--json"], options)
    .result;
  const { problems } = checked.json() as { problems: { severity: string; message: string }[] };
  const unset = /variable|not set/i;
  assert.deepEqual(
    problems.filter(({ message }) => !unset.test(message)),
    [],
  );
  return { report, servers: mcpServers };
}

suite("import from other gateways", { concurrency: 3 }, () => {
  test("mcporter: addresses, tokens by variable, commands in one text, sign-in, chosen tools", async () => {
    const { report, servers } = await imported(foreign("mcporter.json"));
    assert.deepEqual(
      report.found.map(({ client, servers: names }) => [client, names.length]),
      [["mcporter", 5]],
    );
    assert.deepEqual(servers, {
      linear: {
        url: "https://mcp.linear.app/mcp",
        headers: { Authorization: "Bearer ${LINEAR_API_KEY}" },
        description: "Issues",
      },
      docs: {
        url: "https://docs.example.org/mcp",
        headers: { Authorization: "Bearer ${DOCS_TOKEN}" },
      },
      notes: { url: "https://notes.example.org/mcp", auth: { type: "oauth" } },
      browser: {
        command: "npx",
        args: ["-y", "chrome-devtools-mcp@latest", "--headless"],
        env: { LEVEL: "${LEVEL:-info}" },
      },
      files: {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "."],
        env: { TOKEN: "${FILES_TOKEN}" },
        allow_tools: ["read_file"],
      },
    });
  });

  test("mcp-hub: variables of the environment, commands that print secrets, tools that are off", async () => {
    const { report, servers } = await imported(foreign("mcphub.json"));
    assert.equal(report.found[0]?.client, "mcp-hub");
    assert.deepEqual(servers, {
      fetch: {
        command: "uvx",
        args: ["mcp-server-fetch"],
        env: { API_KEY: "${API_KEY:-}", SERVER_URL: "${SERVER_URL:-}", DEBUG: "true" },
        deny_tools: ["expensive-tool"],
      },
      vault: {
        command: "${MCP_BINARY_PATH}/server",
        args: ["--secret", "${command:op read op://vault/secret}"],
        enabled: false,
      },
      remote: {
        url: "https://mcp.example.org/mcp",
        headers: { Authorization: "Bearer ${command:pass show token}" },
      },
    });
  });

  test("MetaMCP: kinds in capitals, bearer tokens, registered OAuth clients", async () => {
    const { report, servers } = await imported(foreign("metamcp.json"));
    assert.equal(report.found[0]?.client, "metamcp");
    assert.deepEqual(servers, {
      HackerNews: { command: "uvx", args: ["mcp-hn"], description: "Stories and comments" },
      Events: {
        url: "https://events.example.org/sse",
        transport: "sse",
        headers: { "X-Team": "blue" },
      },
      RemoteAPI: {
        url: "https://api.example.org/mcp",
        transport: "http",
        headers: { Authorization: "Bearer ${REMOTE_TOKEN}", "X-API-Version": "v2" },
      },
      CRM: {
        url: "https://crm.example.org/mcp",
        transport: "http",
        auth: { type: "oauth", clientId: "3MVG9", scopes: ["api", "refresh_token"] },
      },
    });
  });

  test("LiteLLM: mcp_servers with every kind of authentication; an OpenAPI server is left out with the reason", async () => {
    const { report, servers } = await imported(foreign("litellm.yaml"));
    assert.equal(report.found[0]?.client, "litellm");
    assert.deepEqual(servers, {
      deepwiki: { url: "https://mcp.deepwiki.com/mcp", transport: "http" },
      github: {
        url: "https://api.githubcopilot.com/mcp",
        headers: { Authorization: "Bearer ${GITHUB_TOKEN}" },
        description: "Issues and code",
        allow_tools: ["list_issues", "get_issue"],
      },
      search: {
        url: "https://search.example.org/sse",
        transport: "sse",
        headers: { "X-API-Key": "${SEARCH_KEY}", "X-Team": "blue" },
      },
      circleci: {
        command: "npx",
        args: ["-y", "@circleci/mcp-server-circleci"],
        env: { CIRCLECI_TOKEN: "${CIRCLECI_TOKEN}" },
      },
      tracker: {
        url: "https://tracker.example.org/mcp",
        auth: { type: "oauth", clientId: "${TRACKER_ID}", scopes: ["read", "write"] },
      },
    });
    assert.match(report.skipped.find(({ name }) => name === "petstore")?.reason ?? "", /OpenAPI/);
  });

  test("Docker's catalogue: images become docker run, values become variables, poci is left out", async () => {
    const { report, servers } = await imported(foreign("docker-catalog.yaml"));
    assert.equal(report.found[0]?.client, "docker");
    const flags = ["--network", "none", "-u", "1000:1000", "-e", "DB_HOST", "-e", "DB_API_KEY"];
    assert.deepEqual(servers, {
      database: {
        command: "docker",
        args: [
          "run",
          "-i",
          "--rm",
          "--init",
          ...flags,
          "-v",
          "${DATABASE_DATA_PATH}:/data",
          "example/db-server:1.2",
          "--transport=stdio",
        ],
        env: { DB_HOST: "${DATABASE_HOST}", DB_API_KEY: "${DB_API_KEY}" },
        description: "Queries of the team's database",
      },
      tasks: {
        url: "https://tasks.example.org/mcp",
        transport: "http",
        headers: { Authorization: "Bearer ${TASKS_TOKEN}" },
        description: "Tasks of the team",
      },
    });
    assert.match(report.skipped.find(({ name }) => name === "convert")?.reason ?? "", /poci/);
    assert.deepEqual(
      report.variables.map(({ name, isSecret }) => [name, isSecret]),
      [
        ["DB_API_KEY", true],
        ["DATABASE_HOST", false],
        ["DATABASE_DATA_PATH", false],
        ["TASKS_TOKEN", true],
      ],
    );
  });

  test("supergateway: what a script or a pasted command line wraps, without the wrapping", async () => {
    const { report, servers } = await imported(foreign("supergateway.sh"));
    assert.equal(report.found[0]?.client, "supergateway");
    assert.deepEqual(servers, {
      git: { command: "uvx", args: ["mcp-server-git", "--repository", "."] },
      filesystem: {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/my files"],
        env: { API_KEY: "${MY_KEY}" },
      },
      linear: {
        url: "https://mcp.linear.app/sse",
        transport: "sse",
        headers: { Authorization: "Bearer ${LINEAR_TOKEN}" },
      },
      example: {
        url: "https://mcp.example.org/mcp",
        transport: "http",
        headers: { "X-Team": "blue" },
      },
    });
    const pasted = await imported('npx -y supergateway --stdio "uvx mcp-server-time" --port 8000');
    assert.deepEqual(pasted.servers, { time: { command: "uvx", args: ["mcp-server-time"] } });
  });

  test("what is no such file is said, and only the command line reads files", async () => {
    await using directory = await temporaryDirectory();
    const options = { cwd: directory.path, env: { HOME: directory.path } };
    const failing = async (...words: string[]) => {
      const { code, json } = await startCli(["import", ...words, "--json"], options).result;
      assert.equal(code, 2);
      return errorOf(json()).message;
    };
    assert.match(await failing("nowhere.yaml"), /There is no file 'nowhere\.yaml'/);
    assert.match(
      await failing(join(import.meta.dirname, "../../package.json")),
      /no servers in a form that is known/,
    );
    assert.match(await failing("litellm"), /Name the file that has its servers/);
    assert.match(await failing("cursr"), /Did you mean 'cursor'/);
    const setup = await openLocalSetup({
      files: [],
      directory: directory.path,
      dataDirectory: directory.file("data"),
    });
    await assert.rejects(setup.importClients([foreign("litellm.yaml")], { dryRun: true }), {
      code: "USAGE",
    });
  });
});
