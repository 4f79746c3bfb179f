import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  startHttpFixture,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { type CliOptions, fixture, processFixture, runCli } from "./support.ts";

const configs = fileURLToPath(new URL("../fixtures/configs/", import.meta.url));
const sample = (name: string) => `${configs}${name}`;

describe("the configuration on the command line", { concurrency: 2 }, () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => directory[Symbol.asyncDispose]());

  const run = (args: readonly string[], options: CliOptions = {}) =>
    runCli([...args, "--data-dir", directory.file("data")], { cwd: directory.path, ...options });
  const write = async (name: string, content: unknown) => {
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    await writeFile(directory.file(name), text);
    return directory.file(name);
  };

  const seeds = [
    "001-google-search.json",
    "001-browser-lookup.json",
    "001-tools-mcp.yaml",
    "002.mcp.json",
  ];
  const more = [
    "003-with-arguments.json",
    "003-without-arguments.json",
    "004-providers.yaml",
    "004-tool-configs.yaml",
  ];
  for (const name of [...seeds, ...more]) {
    test(`the example ${name} is usable`, async () => {
      const { code, json } = await run([
        "config",
        "validate",
        "--config",
        sample(`seed-${name}`),
        "--json",
      ]);
      assert.deepEqual([code, json().ok], [0, true]);
    });
  }

  test("whatever shape servers come in, they mean the same", async () => {
    const shapes = [
      "flat.json",
      "mcp-servers.json",
      "servers-map.json",
      "servers-list.json",
      "providers.yaml",
    ];
    const shown = await Promise.all(
      shapes.map(async (name) =>
        (await run(["config", "show", "--config", sample(`same-${name}`), "--json"])).json(),
      ),
    );
    const [first, ...others] = shown.map(({ servers }) => JSON.stringify(servers, sortKeys));
    for (const other of others) assert.equal(other, first);
  });

  test("arguments that a configuration describes are shown, optional ones as optional", async () => {
    const { code, stdout } = await run([
      "tools",
      "show",
      "get_bank_balance",
      "--config",
      sample("seed-003-with-arguments.json"),
    ]);
    assert.equal(code, 0);
    assert.match(stdout, /account_id \(string, required\)/);
    assert.match(stdout, /date \(string, optional\)/);
  });

  test("strict validation refuses what was filled in", async () => {
    const file = sample("seed-001-browser-lookup.json");
    assert.equal((await run(["config", "validate", "--config", file])).code, 0);
    assert.equal((await run(["config", "validate", "--strict", "--config", file])).code, 1);
  });

  test("all problems of all files are reported with line, path and hint", async () => {
    const one = await write("one.json", '{\n"mcpServers": {\n"a": {"command": 7},\n"b": {}\n}}');
    const two = await write(
      "two.json",
      '{"mcpServers": {"c": {"url": "http://h/mcp", "auth_headr": "X"}}}',
    );
    const three = await write("three.json", "{ broken");
    const { code, json } = await run([
      "config",
      "validate",
      "--json",
      "--config",
      one,
      "--config",
      two,
      "--config",
      three,
    ]);
    const problems = json().problems as {
      file: string;
      line: number;
      path: string;
      hint: string | null;
    }[];
    assert.equal(code, 1);
    const places = problems.map(({ file, line }) => `${file.split("/").at(-1)}:${line}`).sort();
    assert.deepEqual(places, ["one.json:3", "one.json:4", "three.json:1", "two.json:1"]);
    assert.ok(problems.some(({ hint }) => hint?.includes("auth_header")));
  });

  test("a later file wins whole, and a broken one only warns", async () => {
    const general = await write("general.json", {
      servers: { a: fixture("echo"), b: { command: "x", args: ["1"] } },
    });
    const project = await write("project.json", {
      servers: { b: fixture("echo", ["--name", "project"]) },
    });
    const broken = await write("broken.json", "{");
    const files = [general, project, broken].flatMap((file) => ["--config", file]);
    const { code, stdout, stderr } = await run(["call", "b.whoami_server", ...files]);
    assert.deepEqual([code, stdout.trim()], [0, "project"]);
    assert.match(stderr, /broken\.json/);
  });

  test("a value is explained with its file and line, and secrets stay hidden", async () => {
    const file = await write("explain.json", {
      mcpServers: {
        srv: { command: "x", timeoutMs: 5000, env: { API_KEY: "sk-verysecret-1234567890" } },
      },
    });
    const { stdout } = await run(["config", "explain", "srv.timeout", "--config", file]);
    assert.match(stdout, /servers\.srv\.timeoutMs = 5000 .*explain\.json:5/);
    for (const verb of [
      ["config", "show"],
      ["config", "explain", "srv"],
      ["servers", "list"],
      ["doctor"],
    ]) {
      const { stdout: out, stderr } = await run([...verb, "--config", file]);
      assert.doesNotMatch(out + stderr, /verysecret/, verb.join(" "));
    }
  });

  test("what a reference stands for is shown nowhere, even when the server tells it", async () => {
    const secret = "HUSH-aabbcc-998877";
    await write("hush.txt", secret);
    const tells = fixture("fault", [
      "--exit-at-start",
      "3",
      "--stderr",
      `my password is ${secret}`,
    ]);
    const file = await write("hush.json", {
      mcpServers: {
        shown: {
          command: "true",
          args: ["--x", "${HUSH}"],
          env: { PLAIN: "${HUSH}" },
          description: "${HUSH}",
        },
        told: { ...tells, env: { PLAIN: "${file:hush.txt}" } },
      },
    });
    const verbs = [
      ["config", "show"],
      ["config", "explain", "shown"],
      ["doctor"],
      ["servers", "list"],
      ["tools", "list"],
      ["call", "told.x"],
    ];
    for (const verb of verbs) {
      const { stdout, stderr } = await run([...verb, "--config", file, "--json"], {
        env: { HUSH: secret },
      });
      // The fixture's own command line holds the text in clear, which is the one place it was written.
      const shown = (stdout + stderr).replaceAll(`my password is ${secret}`, "");
      assert.ok(!shown.includes(secret), `${verb.join(" ")}: ${shown}`);
    }
    const stored = await readFile(directory.file("data/toolplane.db"));
    const journal = await readFile(directory.file("data/toolplane.db-wal")).catch(() =>
      Buffer.alloc(0),
    );
    assert.ok(!Buffer.concat([stored, journal]).includes(secret));
  });

  test("an unset variable costs only its server", async () => {
    const file = await write("unset.json", {
      mcpServers: {
        good: fixture("echo"),
        bad: { command: "x", env: { TOKEN: "${SURELY_NOT_SET}" } },
      },
    });
    const { code, json } = await run(["servers", "list", "--config", file, "--json"]);
    const servers = json().servers as { name: string; state: string; error: string | null }[];
    assert.equal(code, 0);
    assert.deepEqual(
      servers.map(({ name, state }) => [name, state]),
      [
        ["good", "connected"],
        ["bad", "config_error"],
      ],
    );
    assert.match(servers[1]?.error ?? "", /env\.TOKEN.*SURELY_NOT_SET/);
  });

  test("variables alone configure a server", async () => {
    const { command, args } = processFixture("echo") as { command: string; args: string[] };
    const env = {
      TOOLPLANE_MCP_ENABLED: "true",
      TOOLPLANE_MCP_SERVER_COMMAND: command,
      TOOLPLANE_MCP_SERVER_ARGS: args.join(" "),
    };
    const { code, stdout } = await run(["call", "default.echo", "message=hi"], { env });
    assert.deepEqual([code, stdout.trim()], [0, "hi"]);
  });

  test("tokens reach the server in the header they belong to, and references are resolved when used", async () => {
    await using http = await startHttpFixture("http");
    await write("token.txt", "from-a-file\n");
    const file = await write("tokens.json", {
      bearer: { url: http.url, auth: { token: "${file:token.txt}" } },
      key: {
        url: http.url,
        auth_type: "api_key",
        auth_token: "${command:printf from-a-command}",
        auth_header: "X-My",
      },
      empty: { url: http.url, auth_token: "" },
    });
    const headersOf = async (server: string) => {
      const { stdout } = await run(["call", `${server}.headers`, "--config", file, "--json"]);
      return (JSON.parse(stdout) as { result: { structuredContent: Record<string, string> } })
        .result.structuredContent;
    };
    assert.equal((await headersOf("bearer")).authorization, "Bearer from-a-file");
    assert.equal((await headersOf("key"))["x-my"], "from-a-command");
    assert.equal((await headersOf("empty")).authorization, undefined);
  });

  test("a reference to a file starts where the file stands that holds it", async () => {
    await mkdir(directory.file("project"), { recursive: true });
    await write("project/word.txt", "from-the-project");
    const general = await write("elsewhere.json", { mcpServers: { other: fixture("echo") } });
    const own = await write("project/own.json", {
      mcpServers: { it: fixture("echo", [], { env: { WORD: "${file:word.txt}" } }) },
    });
    const { stdout } = await run([
      "call",
      "it.env",
      "--config",
      general,
      "--config",
      own,
      "--json",
    ]);
    assert.match(stdout, /from-the-project/);
  });

  test("a tool whose credentials are missing says which, and is not run", async () => {
    const file = sample("seed-001-google-search.json");
    const { stdout } = await run(["tools", "list", "--config", file, "--json"]);
    assert.match(
      stdout,
      /"unavailable":"GOOGLE_API_KEY and GOOGLE_CSE_ID are not set in the environment"/,
    );
    const { code, json } = await run([
      "call",
      "google_search",
      "query=x",
      "--config",
      file,
      "--json",
    ]);
    assert.deepEqual([code, json().error?.code], [4, "NO_PROVIDER"]);
  });

  test("servers are added and removed with every comment kept", async () => {
    const before =
      '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" } // first\n  }\n}\n';
    const file = await write("edited.jsonc", before);
    await run(["servers", "add", "b", "--to", file, "--", "node", "server.js"]);
    const edited = await readFile(file, "utf8");
    assert.match(edited, /\/\/ mine[\s\S]*\/\/ first/);
    assert.match(edited, /"b"/);
    await run(["servers", "remove", "b", "--to", file]);
    assert.equal(await readFile(file, "utf8"), before);
    assert.equal((await run(["servers", "remove", "b", "--to", file])).code, 1);
  });

  test("what init writes is valid, and is not overwritten", async () => {
    const init = () => run(["init", "--to", "starter.json", "--json"]);
    assert.deepEqual((await init()).json(), { path: directory.file("starter.json") });
    assert.equal((await run(["config", "validate", "--config", "starter.json"])).code, 0);
    const { tools } = (
      await run(["tools", "list", "--config", "starter.json", "--json"])
    ).json() as {
      tools: { name: string }[];
    };
    assert.ok(
      tools.some(({ name }) => name === "demo.add"),
      "there is something to try at once",
    );
    assert.equal((await init()).code, 2);
  });

  test("doctor names the first thing to try for each server", async () => {
    const file = await write("ill.json", { good: fixture("echo"), typo: { command: "nodde" } });
    const { code, json } = await run(["doctor", "--config", file, "--json"]);
    const servers = json().servers as {
      name: string;
      ok: boolean;
      checks: { ok: boolean; fix: string | null }[];
    }[];
    assert.deepEqual(
      [code, servers.map(({ name, ok }) => [name, ok])],
      [
        1,
        [
          ["good", true],
          ["typo", false],
        ],
      ],
    );
    const failed = servers[1]?.checks.filter(({ ok }) => !ok) ?? [];
    assert.ok(failed.length === 1 && failed[0]?.fix !== null);
  });

  test("a client is connected, and gets exactly its own file back", async () => {
    const env = { HOME: directory.path, XDG_CONFIG_HOME: directory.file("config") };
    const file = await write(
      ".claude.json",
      '{ "theme": "dark", "mcpServers": { "mine": { "command": "x" } } }\n',
    );
    const before = await readFile(file, "utf8");
    assert.deepEqual(
      (await run(["import", "claude-code", "--dry-run", "--json"], { env })).json().imported,
      ["mine"],
    );
    assert.equal(
      (await run(["connect", "claude-code", "--config", "nowhere.json"], { env })).code,
      2,
    );
    const own = await write("own.json", { mcpServers: { a: fixture("echo") } });
    await run(["connect", "claude-code", "--config", own], { env });
    assert.match(await readFile(file, "utf8"), /"toolplane"[\s\S]*"mcp"/);
    await run(["disconnect", "claude-code"], { env });
    assert.equal(await readFile(file, "utf8"), before);
  });
});

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
