import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { commandLineFile } from "../fixtures/bundled.ts";
import {
  fixtureEnvironment,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture as fixture, runCli, startCli } from "./support.ts";

type Asked = { message: string };
type Capable = { roots?: () => string[]; elicit?: (asked: Asked) => object };
type Status = {
  name: string;
  instances?: { directory: string; state: string; pid: number | null }[];
};

const filesystem = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
);

/** Its tools are named after the files of the directory that it works in. */
const lister = `
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const tools = require("node:fs").readdirSync(".").map((name) => ({ name: name.replace(/\\W/g, "_"), inputSchema: { type: "object" } }));
  if (method === "initialize")
    answer(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } });
  else if (method === "tools/list") answer(id, { tools });
  else if (method === "tools/call") answer(id, { content: [{ type: "text", text: process.cwd() }] });
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
});
`;

describe("a server works in the directory of its client", {
  skip: process.platform === "win32",
}, () => {
  let root: TemporaryDirectory;
  before(async () => {
    root = await temporaryDirectory();
  });
  after(() => root[Symbol.asyncDispose]());

  /** A person with these servers, and directories with a file each that tells which it is. */
  async function world(name: string, mcpServers: Record<string, object>, directories = ["a", "b"]) {
    const home = join(realpathSync(root.path), name);
    const at = (...parts: string[]) => join(home, ...parts);
    await mkdir(at("config/toolplane"), { recursive: true });
    for (const one of directories) {
      await mkdir(at(one));
      await writeFile(at(one, `of-${one}.txt`), `this is ${one}`);
    }
    if (Object.keys(mcpServers).length > 0)
      await writeFile(at("config/toolplane/toolplane.json"), JSON.stringify({ mcpServers }));
    const env = {
      HOME: home,
      XDG_CONFIG_HOME: at("config"),
      XDG_DATA_HOME: at("data"),
      TOOLPLANE_IDLE_EXIT_MS: "1000",
    };
    const run = (directory: string, ...words: string[]) =>
      runCli(words, { cwd: at(directory), env });
    const trust = async (...names: string[]) => {
      for (const one of names) assert.equal((await run(one, "trust", "--yes")).code, 0);
    };
    const instances = async () => {
      const { servers } = (await run(".", "servers", "list", "--json")).json() as unknown as {
        servers: Status[];
      };
      return servers.flatMap((one) => one.instances ?? []);
    };
    return { at, env: { ...fixtureEnvironment(), ...env }, run, trust, instances };
  }

  async function connect(
    transport: StdioClientTransport | StreamableHTTPClientTransport,
    can: Capable = {},
  ) {
    const capabilities = {
      ...(can.roots && { roots: { listChanged: true } }),
      ...(can.elicit && { elicitation: {} }),
    };
    const client = new Client({ name: "test", version: "1" }, { capabilities });
    let changes = 0;
    const { roots, elicit } = can;
    if (roots)
      client.setRequestHandler(ListRootsRequestSchema, async () => ({
        roots: roots().map((uri) => ({ uri, name: "it" })),
      }));
    if (elicit)
      client.setRequestHandler(
        ElicitRequestSchema,
        async ({ params }) => elicit(params as Asked) as { action: "accept" },
      );
    client.fallbackNotificationHandler = async () => {
      changes += 1;
    };
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    return {
      client,
      changes: () => changes,
      names: async () =>
        (await client.listTools()).tools
          .map(({ name }) => name)
          .filter((name) => name.includes("__")),
      async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
        const { content } = (await client.callTool({ name, arguments: args })) as {
          content: { text?: string }[];
        };
        return content.map(({ text }) => text).join("\n");
      },
      [Symbol.asyncDispose]: () => client.close(),
    };
  }

  const started = (
    env: Record<string, string>,
    cwd: string,
    can?: Capable,
    words = [commandLineFile, "mcp"],
  ) =>
    connect(
      new StdioClientTransport({
        command: process.execPath,
        args: words,
        env,
        cwd,
        stderr: "ignore",
      }),
      can,
    );

  test("two clients in two directories see their own files by server-filesystem, after 'connect cursor'", async () => {
    const at = await world("cursor", {});
    await mkdir(at.at(".cursor"));
    const servers = {
      dot: { command: process.execPath, args: [filesystem, "."] },
      folder: { command: process.execPath, args: [filesystem, "$" + "{workspaceFolder}"] },
    };
    await writeFile(at.at(".cursor/mcp.json"), JSON.stringify({ mcpServers: servers }));
    const connected = await at.run("a", "connect", "cursor");
    assert.equal(connected.code, 0, connected.stdout + connected.stderr);
    const [entry] = Object.values(
      JSON.parse(readFileSync(at.at(".cursor/mcp.json"), "utf8")).mcpServers,
    ) as {
      command: string;
      args: string[];
    }[];
    assert.ok(entry);
    await at.trust("a", "b");
    const open = (directory: string) => {
      const { command, args } = entry;
      return connect(
        new StdioClientTransport({
          command,
          args,
          env: at.env,
          cwd: at.at(directory),
          stderr: "ignore",
        }),
      );
    };
    await using one = await open("a");
    await using two = await open("b");
    await using same = await open("b");
    for (const server of ["dot", "folder"]) {
      const look = (client: typeof one) => client.call(`${server}__list_directory`, { path: "." });
      const allowed = (client: typeof one) => client.call(`${server}__list_allowed_directories`);
      assert.match(await allowed(one), new RegExp(`${at.at("a")}$`, "m"));
      assert.match(await allowed(two), new RegExp(`${at.at("b")}$`, "m"));
      assert.doesNotMatch(await allowed(one), new RegExp(at.at("b")));
      if (server === "dot") assert.match(await look(two), /of-|denied/);
      const read = (client: typeof one, path: string) =>
        client.call(`${server}__read_text_file`, { path });
      assert.equal(await read(one, at.at("a", "of-a.txt")), "this is a");
      assert.equal(await read(two, at.at("b", "of-b.txt")), "this is b");
      assert.equal(await read(same, at.at("b", "of-b.txt")), "this is b");
      assert.match(await read(two, at.at("a", "of-a.txt")), /Access denied/);
    }
    const planes = (await readdir(at.at("data/toolplane/planes"))).filter((file) =>
      file.endsWith(".json"),
    );
    assert.equal(planes.length, 1, "one plane serves all of them");
    const found = await at.instances();
    assert.deepEqual(found.map(({ directory }) => directory).sort(), [
      at.at("a"),
      at.at("a"),
      at.at("b"),
      at.at("b"),
    ]);
    assert.equal(new Set(found.map(({ pid }) => pid)).size, 4);
  });

  test("server-filesystem without a directory, which lives on roots, works in that of each client", async () => {
    const command = join(import.meta.dirname, "../../node_modules/.bin/mcp-server-filesystem");
    const at = await world("roots-only", { files: { command } });
    await at.trust("a", "b");
    await using one = await started(at.env, at.at("a"));
    await using two = await started(at.env, at.at("."), {
      roots: () => [pathToFileURL(at.at("b")).href],
    });
    const read = (client: typeof one, path: string) =>
      client.call("files__read_text_file", { path: at.at(path) });
    assert.equal(await read(one, "a/of-a.txt"), "this is a");
    assert.equal(await read(two, "b/of-b.txt"), "this is b");
    assert.match(await read(one, "b/of-b.txt"), /Access denied/);
  });

  test("each directory has its own list of tools, and a vanished or replaced directory has none", async () => {
    const at = await world(
      "lists",
      { lister: { command: process.execPath, args: ["-e", lister, "."] } },
      ["a", "b", "c"],
    );
    await at.trust("a", "b");
    await using one = await started(at.env, at.at("a"));
    await using two = await started(at.env, at.at("b"));
    await using third = await started(at.env, at.at("c"));
    assert.deepEqual(await one.names(), ["lister__of_a_txt"]);
    assert.deepEqual(await two.names(), ["lister__of_b_txt"]);
    await assert.rejects(two.call("lister__of_a_txt"), /Unknown tool/);
    assert.equal(await two.call("lister__of_b_txt"), at.at("b"));
    await rm(at.at("c"), { recursive: true });
    assert.match(await third.call("lister__of_c_txt"), /is gone/);
    await symlink(at.at("a"), at.at("c"));
    assert.match(await third.call("lister__of_a_txt"), /is a link/);
    await rename(at.at("b"), at.at("d"));
    await using moved = await started(at.env, at.at("d"));
    assert.match(await moved.call("lister__of_b_txt"), /not trusted yet: it would work in .*\/d\b/);
  });

  test("a person is asked once for each directory and server; only a field that is set is a yes", async () => {
    const at = await world("asked", { where: fixture("echo", ["."]) }, [
      "yes",
      "no",
      "empty",
      "cancel",
    ]);
    const asked: string[] = [];
    const open = (directory: string, answer: object) =>
      started(at.env, at.at(directory), {
        elicit({ message }) {
          asked.push(message);
          return answer;
        },
      });
    await using yes = await open("yes", { action: "accept", content: { trust: true } });
    await until("it runs", async () => (await yes.call("where__cwd")) === at.at("yes"));
    await until("the client hears of it", () => yes.changes() > 0);
    assert.match(
      asked[0] ?? "",
      /May your server 'where' work in .*\/yes\?[\s\S]*works in this directory/,
    );
    await using again = await open("yes", {});
    assert.equal(await again.call("where__cwd"), at.at("yes"));
    const others = [
      ["no", { action: "decline" }],
      ["empty", { action: "accept", content: {} }],
      ["cancel", { action: "cancel" }],
    ] as const;
    for (const [directory, answer] of others) {
      const before = asked.length;
      await using client = await open(directory, answer);
      await until("it was asked", () => asked.length > before);
      assert.match(await client.call("where__cwd"), /not trusted yet.*toolplane trust/s);
      await using later = await open(directory, answer);
      assert.match(await later.call("where__cwd"), /not trusted yet/);
      assert.equal(asked.length, before + 1, directory);
    }
    const { directories } = (
      await at.run("yes", "trust", "--list", "--json")
    ).json() as unknown as {
      directories: { directory: string; servers: { trusted: boolean }[] }[];
    };
    const shown = await at.run("yes", "trust", "--list");
    assert.match(shown.stdout, /\/yes: trusted: where\n.*\/no: refused: where\n/);
    const answers = directories.map(({ directory, servers }) => [
      directory,
      servers.map(({ trusted }) => trusted),
    ]);
    assert.deepEqual(Object.fromEntries(answers), {
      [at.at("yes")]: [true],
      [at.at("no")]: [false],
      [at.at("empty")]: [false],
    });
  });

  test("an editor that starts its servers elsewhere works in the first of its roots, and is asked about that one", async () => {
    const at = await world("editor", { where: fixture("echo", ["."]) });
    const address = (...names: string[]) => names.map((name) => pathToFileURL(at.at(name)).href);
    const asked: string[] = [];
    const roots = address("a", "b");
    const elicit = ({ message }: Asked) => {
      asked.push(message);
      return { action: "accept", content: { trust: true } };
    };
    await using one = await started(at.env, at.at("."), { roots: () => roots, elicit });
    await using within = await started(at.env, at.at("b"), {
      roots: () => address("a", "b"),
      elicit,
    });
    await until("it works in its root", async () => (await one.call("where__cwd")) === at.at("a"));
    await until(
      "it works where it was started",
      async () => (await within.call("where__cwd")) === at.at("b"),
    );
    roots.shift();
    await one.client.sendRootsListChanged();
    await until(
      "it works in the other root",
      async () => (await one.call("where__cwd")) === at.at("b"),
    );
    const places = asked.map((message) => message.match(/ work in (.*)\?/)?.[1]);
    assert.deepEqual(places.sort(), [at.at("a"), at.at("b")]);
    await using without = await started(at.env, at.at("."), { roots: () => [] });
    assert.match(await without.call("where__cwd"), new RegExp(`would work in ${at.at(".")}`));
  });

  test("over HTTP the first root that is a directory counts, and only where a person trusts it", async () => {
    const at = await world("http", { where: fixture("echo", ["."]) }, ["served", "a", "b", "c"]);
    await at.trust("served", "a", "b");
    const { process: serving } = startCli(["serve", "--port", "0", "--json"], {
      cwd: at.at("served"),
      env: at.env,
    });
    try {
      const url = await new Promise<string>((resolve) => {
        let said = "";
        serving.stdout?.on("data", (chunk) => {
          said += chunk;
          if (said.includes("\n"))
            resolve((JSON.parse(said.split("\n")[0] ?? "") as { url: string }).url);
        });
      });
      const open = (...uris: string[]) => {
        const roots = [...uris];
        const questions: Asked[] = [];
        const elicit = (question: Asked) => {
          questions.push(question);
          return { action: "accept", content: { trust: true } };
        };
        const can = { roots: () => roots, elicit };
        const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
        return connect(transport, can).then((client) => ({ ...client, roots, questions }));
      };
      const address = (directory: string) => pathToFileURL(at.at(directory)).href;
      const one = await open(
        "https://example.com/x",
        "file:///nowhere/at/all",
        "file://host/share",
        address("a"),
      );
      const two = await open(address("b"));
      const stranger = await open(address("c"));
      const none = await open();
      assert.equal(await one.call("where__cwd"), at.at("a"));
      assert.equal(await two.call("where__cwd"), at.at("b"));
      assert.match(await stranger.call("where__cwd"), /not trusted yet: it would work in .*\/c\b/);
      assert.deepEqual(stranger.questions, [], "what a client claims is no reason to ask");
      assert.equal(
        await none.call("where__cwd"),
        at.at("served"),
        "the plane has a directory of its own",
      );
      two.roots.splice(0, 1, address("a"));
      await two.client.sendRootsListChanged();
      await until("it works there now", async () => (await two.call("where__cwd")) === at.at("a"));
      for (const { client } of [one, two, stranger, none]) await client.close();
    } finally {
      serving.kill();
    }
  });
});
