import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, suite, test } from "node:test";
import { observe } from "../../src/agent/run-calls.ts";
import { createPlane, type Outcome, type ToolListing } from "../../src/index.ts";
import { readSse } from "../fixtures/read-sse.ts";
import {
  readLog,
  receivedMessages,
  startHttpFixture,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { agentWorld, sentTo } from "./agent-world.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

type Row = Record<string, unknown>;
let directory: TemporaryDirectory;
before(async () => {
  directory = await temporaryDirectory();
});
after(() => directory[Symbol.asyncDispose]());

/** A server that lists these tools. */
async function listing(tools: unknown[], more: object = {}) {
  const file = directory.file(`tools-${Math.random()}.json`);
  await writeFile(file, JSON.stringify([tools]));
  return fixture("scripted-list", ["--tools", file], { ...more });
}

const google = {
  ...{ name: "google_search", version: "1.0.0", side_effects: "none", default_timeout: 30 },
  auth: {
    ...{ required: true, type: "api_key" },
    envs: { GOOGLE_API_KEY: { required: true }, GOOGLE_CSE_ID: { required: true }, SERPAPI_KEY: { optional: true } },
  },
  ...{ allow_parallel: true, description: "A Google search result API..." },
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

suite("credentials belong to a provider", () => {
  const endpoint = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ asked: request.url }));
  });
  before(() => new Promise<void>((done) => void endpoint.listen(0, "127.0.0.1", done)));
  after(() => void endpoint.close());
  const at = (path: string) => `http://127.0.0.1:${(endpoint.address() as { port: number }).port}${path}`;
  const http = (priority: number | undefined, url: string) => ({
    ...{ name: "http", ...(priority === undefined ? {} : { priority }) },
    config: { method: "GET", url },
  });
  /** The call and the tool on the command line, with these variables. */
  const ask = async (tool: object, env: Record<string, string>) => {
    const file = directory.file("google.json");
    await writeFile(file, JSON.stringify({ tools: { google_search: tool } }));
    const run = (...words: string[]) =>
      runCli([...words, "--json", "--config", file, "--data-dir", directory.file("239")], { env });
    const call = (await run("call", "google_search", "query=x")).stdout;
    const listed = (await run("tools", "list")).json() as { tools: ToolListing[] };
    return { call, tool: listed.tools[0] as ToolListing };
  };

  test("the seed's own example falls over to the provider that has its key", async () => {
    for (const [first, second] of [
      [10, 20],
      [undefined, undefined],
    ] as const) {
      const providers = [
        http(first, `${at("/cse")}?key=\${GOOGLE_API_KEY}&cx=\${GOOGLE_CSE_ID}`),
        http(second, `${at("/serp")}?key=\${SERPAPI_KEY}`),
      ];
      const { call, tool } = await ask({ ...google, providers }, { SERPAPI_KEY: "s" });
      assert.match(call, /\/serp\?key=/);
      assert.equal(tool.unavailable, null);
      const [cse, serp] = Object.values(tool.health.providers).map(({ router }) => router);
      assert.equal(cse?.healthy, false);
      assert.match(String(cse?.last_error), /GOOGLE_API_KEY/);
      assert.deepEqual([serp?.healthy, serp?.last_error], [true, null]);
    }
  });

  test("providers that name no variable: the first needs the required ones, the next one of the others", async () => {
    const tool = { ...google, providers: [http(1, at("/cse")), http(2, at("/serp"))] };
    assert.match((await ask(tool, { SERPAPI_KEY: "s" })).call, /\/serp/);
    assert.match((await ask(tool, { GOOGLE_API_KEY: "g", GOOGLE_CSE_ID: "c" })).call, /\/cse/);
    const none = await ask(tool, {});
    assert.match(none.call, /NO_PROVIDER[\s\S]*GOOGLE_API_KEY and GOOGLE_CSE_ID/);
    assert.match(String(none.tool.unavailable), /GOOGLE_CSE_ID/);
  });

  test("a provider may name its own variables", async () => {
    const own = (spec: object, name: string) => ({ ...spec, auth: { envs: { [name]: { required: true } } } });
    const providers = [own(http(1, at("/a")), "KEY_A"), own(http(2, at("/b")), "KEY_B")];
    assert.match((await ask({ ...google, auth: { required: false }, providers }, { KEY_B: "b" })).call, /\/b/);
  });
});

test("what the operator says of one tool comes before the hint of its trusted server", async () => {
  const tools = [{ name: "peek", annotations: { readOnlyHint: true }, inputSchema: { type: "object" } }];
  const config = {
    mcpServers: { notes: await listing(tools, { trusted: true }) },
    overlays: { "notes.peek": { side_effects: "write" } },
  };
  await using plane = await createPlane({ config: config as never, dataDirectory: directory.file("141") });
  const queued = await plane.call("notes.peek", {}, { mode: "plan" });
  assert.ok(queued.plan, JSON.stringify(queued));
  const { effect } = await plane.policy.test("notes.peek");
  assert.equal(effect.effect, "write");
});

suite("progress", () => {
  let config = "";
  before(async () => {
    config = await writeConfig(directory, { progress: fixture("progress") });
  });

  test("GET /events carries progress and log messages among the others, in order and without an id", async () => {
    await using serving = await startServe(config, directory.file("219"));
    const gone = new AbortController();
    const stream = await fetch(`${serving.url}/events`, { headers: serving.proof, signal: gone.signal });
    const heard: Row[] = [];
    const ended = readSse(stream, (event) => {
      heard.push(event as Row);
      if (heard.filter(({ type }) => type === "tool.result").length === 2) gone.abort();
    }).catch(() => undefined);
    const call = (tool: string, args: object) =>
      fetch(`${serving.url}/tools/${tool}/call`, {
        method: "POST",
        headers: { "content-type": "application/json", ...serving.proof },
        body: JSON.stringify({ arguments: args }),
      });
    await call("progress.count", { steps: 2, pause: 150 });
    await call("progress.log_lines", { text: "hello" });
    await ended;
    const types = heard.map(({ type }) => type);
    const told = heard.filter(({ type }) => type === "tool.progress");
    assert.deepEqual(told.at(-1)?.percentage, 100);
    assert.ok(types.includes("server.log"), types.join());
    assert.ok(types.indexOf("tool.call") < types.indexOf("tool.progress"), types.join());
    assert.ok(types.lastIndexOf("tool.progress") < types.indexOf("tool.result"), types.join());
  });

  test("the stream of a call has the percentage, and an update as what it is", async () => {
    await using serving = await startServe(config, directory.file("219b"));
    const message = `MCP_UPDATE:${JSON.stringify({ type: "system_message", message: "Half way" })}`;
    const response = await fetch(`${serving.url}/tools/progress.count/call`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...serving.proof },
      body: JSON.stringify({ arguments: { steps: 1, message } }),
    });
    const heard: Row[] = [];
    await readSse(response, (event) => void heard.push(event as Row));
    assert.deepEqual(heard[0], {
      ...{ progress: 1, total: 1, percentage: 100, message: "Half way" },
      update: { type: "system_message", message: "Half way" },
    });
  });
});

test("tools without a usable schema are repaired and callable, and say how long they may take", async () => {
  const tools = [
    { name: "bare" },
    { name: "nothing", inputSchema: null },
    { name: "listed", inputSchema: [] },
    { name: "one", inputSchema: { type: "object", properties: { a: { type: "string" } }, required: "a" } },
    { name: "some", inputSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a", "", 5] } },
  ];
  const config = await writeConfig(directory, {
    odd: await listing(tools, { timeoutMs: 7_000 }),
    plain: await listing(tools),
  });
  await using serving = await startServe(config, directory.file("61"));
  const listed = (await (await fetch(`${serving.url}/tools`)).json()) as { tools: Row[] };
  const of = (server: string) => listed.tools.filter(({ name }) => String(name).startsWith(server));
  assert.equal(of("odd").length, 5, JSON.stringify(listed));
  assert.deepEqual([...new Set(of("odd").map((tool) => tool.default_timeout))], [7]);
  assert.deepEqual([...new Set(of("plain").map((tool) => tool.default_timeout))], [60]);
  const call = (tool: string, args: object) =>
    fetch(`${serving.url}/tools/${tool}/call`, {
      method: "POST",
      headers: { "content-type": "application/json", ...serving.proof },
      body: JSON.stringify({ arguments: args }),
    });
  assert.match(await (await call("odd.bare", {})).text(), /called bare/);
  assert.match(await (await call("odd.one", {})).text(), /INVALID_ARGUMENTS/);
  assert.match(await (await call("odd.some", { a: "x" })).text(), /called some/);
});

test("health_check_interval is how long a list of tools holds, for all servers, one, or by variable", async () => {
  const server = await listing([{ name: "a" }]);
  const block = (more: object, own: object) => ({
    tools: { mcp: { enabled: true, ...more, servers: { one: { ...server, ...own } } } },
  });
  const ttl = async (config: object) => {
    await using plane = await createPlane({ config: config as never });
    return plane.config().servers.one?.listingTtlMs;
  };
  assert.equal(await ttl(block({ health_check_interval: 7 }, {})), 7_000);
  assert.equal(await ttl(block({ health_check_interval: 7 }, { health_check_interval: "0.5" })), 500);
  assert.equal(await ttl(block({}, {})), 300_000);
  const env = { TOOLPLANE_MCP_DEFAULT_SERVER: "one", TOOLPLANE_MCP_HEALTH_CHECK_INTERVAL: "9" };
  const file = directory.file("seven.json");
  await writeFile(file, JSON.stringify(block({}, {})));
  const shown = await runCli(["config", "show", "--json", "--config", file], { env });
  assert.match(shown.stdout, /"listingTtlMs":\s*9000/);
});

test("a writing tool gets a key, and a caller's own reaches the server of any tool", async () => {
  const log = directory.file("111.jsonl");
  await using server = await startHttpFixture("http", ["--log", log]);
  const { url } = server;
  const mcpServers = { writing: { url, side_effects: "write" }, other: { url } } as const;
  await using plane = await createPlane({ config: { mcpServers } });
  const outcome = await plane.call("writing.add", { a: 1, b: 2 });
  await plane.call("other.add", { a: 1, b: 2 }, { idempotencyKey: "order-7" });
  await plane.call("other.add", { a: 1, b: 2 });
  const keys = receivedMessages(readLog(log), "tools/call").map(
    ({ params }) => (params?._meta as Row | undefined)?.["toolplane/idempotencyKey"],
  );
  assert.deepEqual(keys, [outcome.call.id, "order-7", undefined]);
});

test("text and structured content that differ are both shown, and what is the same once", async () => {
  const config = await writeConfig(directory, { s: fixture("structured") });
  const call = (tool: string) => runCli(["call", tool, "--config", config, "--data-dir", directory.file("169")]);
  const differs = await call("s.differs");
  assert.match(differs.stdout, /it is cold in Oslo/);
  assert.match(differs.stdout, /"temperature": 21\.5/);
  assert.equal((await call("s.valid")).stdout.match(/temperature/g)?.length, 1);
  const outcome = (content: unknown[], structuredContent: unknown) =>
    ({ ok: true, call: { status: "succeeded" }, result: { content, structuredContent } }) as unknown as Outcome;
  const text = (value: string) => ({ type: "text", text: value });
  assert.equal(observe(outcome([text("cold")], { t: 1 })), 'cold\n{"t":1}');
  assert.equal(observe(outcome([text('{ "t": 1 }')], { t: 1 })), '{ "t": 1 }');
  assert.equal(observe(outcome([text("42")], { result: 42 })), "42");
  assert.equal(observe(outcome([text("a"), text("b")], { result: ["a", "b"] })), "a\nb");
});

test("a model reads what a result says and the names of its files, never their bytes", () => {
  const b64 = Buffer.from("echo hello").toString("base64");
  const said = { results: { done: true }, artifacts: [{ name: "plan.sh", b64, mime: "application/x-sh" }] };
  for (const result of [
    { content: [{ type: "text", text: JSON.stringify(said) }] },
    { content: [{ type: "text", text: JSON.stringify(said) }], structuredContent: said },
    { content: [], structuredContent: said },
  ]) {
    const seen = String(observe({ ok: true, call: { status: "succeeded" }, result } as unknown as Outcome));
    assert.doesNotMatch(seen, new RegExp(b64));
    assert.match(seen, /\{"done":true\}\n\[artifact plan\.sh, application\/x-sh, 10 bytes\]/);
  }
});

test("'(optional' in a description makes an argument optional on the command line, too", async () => {
  const config = await writeConfig(directory, { s: fixture("structured") });
  const run = (...words: string[]) =>
    runCli([...words, "--json", "--config", config, "--data-dir", directory.file("109")]);
  const argument = "date:string:Date for balance query (optional, format: YYYY-MM-DD)";
  const words = ["--description", "Balance", "--server", "s", "--tool", "valid"];
  const set = await run(
    "tools",
    "set",
    "balance",
    ...words,
    "--argument",
    "account:string:Account",
    "--argument",
    argument,
  );
  assert.equal(set.code, 0, set.stdout + set.stderr);
  const { tools } = (await run("tools", "list")).json() as unknown as { tools: ToolListing[] };
  const balance = tools.find(({ name }) => name === "balance");
  assert.deepEqual(balance?.parameters.required, ["account"]);
});

test("an HTTP request that cannot be written was not sent, and says what to correct", async () => {
  const tool = (headers: object) => ({
    ...{ description: "x", side_effects: "write", parameters: { type: "object" } },
    providers: [{ name: "http", config: { method: "POST", url: "http://127.0.0.1:9/x", headers } }],
  });
  const config = { tools: { value: tool({ "X-A": "a\nb" }), name: tool({ "X A": "b" }) } };
  await using plane = await createPlane({ config: config as never });
  for (const name of ["value", "name"]) {
    const { error } = await plane.call(name, {});
    assert.equal(error?.code, "SERVER_UNAVAILABLE");
    assert.match(error?.message ?? "", /cannot be made \(ERR_INVALID_\w+\); correct its 'url', 'method' or 'headers'/);
  }
});

test("two workspaces have a tool of the same name each, and the command line names the workspace", async () => {
  const tool = (workspaces: string[] | undefined, text: string) => ({
    ...{ name: "lookup", description: text, side_effects: "none", parameters: { type: "object" }, workspaces },
    providers: [{ name: "mcp", config: { server: "s", tool: text } }],
  });
  const manifest = directory.file("workspaces.json");
  await writeFile(manifest, JSON.stringify([tool(["red"], "valid"), tool(["blue"], "only_text")]));
  const config = await writeConfig(directory, { s: fixture("structured") }, { manifests: [manifest] });
  const run = (...words: string[]) =>
    runCli([...words, "--json", "--config", config, "--data-dir", directory.file("124")]);
  const checked = (await run("config", "validate")).json() as { problems: Row[] };
  assert.deepEqual(
    checked.problems.filter(({ severity }) => severity === "error"),
    [],
  );
  const text = async (...words: string[]) => (await run("call", "lookup", ...words)).stdout;
  assert.match(await text("--workspace", "red"), /temperature/);
  assert.match(await text("--workspace", "blue"), /21\.5 in Paris/);
  assert.match(await text(), /FORBIDDEN/);
  const names = async (...words: string[]) => {
    const { tools } = (await run("tools", "list", ...words)).json() as unknown as { tools: ToolListing[] };
    return tools.filter(({ name }) => name === "lookup").map(({ description }) => description);
  };
  assert.deepEqual(
    [await names("--workspace", "red"), await names("--workspace", "blue"), await names()],
    [["valid"], ["only_text"], []],
  );
});

suite("hooks on what is said to a model", () => {
  const hook = async (name: string, source: string) => {
    const file = directory.file(`${name}.mjs`);
    await writeFile(
      file,
      `let text = ""; for await (const c of process.stdin) text += c; const { payload } = JSON.parse(text); ${source}`,
    );
    return { name, command: [process.execPath, file], timeout_ms: 60_000 };
  };
  const world = (hooks: object) =>
    agentWorld(
      [
        { kind: "text", text: "First." },
        { kind: "text", text: "Second." },
      ],
      { s: fixture("structured") },
      { config: { hooks } },
    );

  test("UserPromptSubmit sees the question before a model does, and may only deny it", async () => {
    const noSecrets = await hook(
      "no-secrets",
      `if (payload.prompt.includes("secret")) { console.error("no secrets"); process.exit(2); }`,
    );
    await using denying = await world({ UserPromptSubmit: [noSecrets] });
    const denied = await denying.plane.agent.run("tell the secret");
    assert.deepEqual([denied.outcome, denied.error?.code], ["failed", "APPROVAL_DENIED"]);
    assert.match(denied.error?.message ?? "", /hook 'no-secrets' \(UserPromptSubmit\) says: no secrets/);
    assert.equal(denying.model.requests.length, 0);
    assert.equal((await denying.plane.agent.run("hello")).answer, "First.");
    const change = await hook(
      "change",
      `console.log(JSON.stringify({ decision: "modify", payload: { prompt: "changed" } }));`,
    );
    await using changing = await world({ UserPromptSubmit: [change] });
    await changing.plane.agent.run("hello");
    assert.equal(sentTo(changing.model, 0).messages.at(-1)?.content, "hello");
  });

  test("BeforeModel sees all that the model would read, of every run and toolset", async () => {
    const guard = await hook(
      "dlp",
      `if (JSON.stringify(payload.messages).includes("4111")) { console.error("card number"); process.exit(2); }`,
    );
    await using it = await world({ BeforeModel: [guard] });
    const denied = await it.plane
      .toolset()
      .generate({ prompt: "pay", system: null, history: [{ role: "user", content: "4111" }] } as never);
    assert.equal(denied.error?.code, "APPROVAL_DENIED");
    assert.equal(it.model.requests.length, 0);
    assert.equal((await it.plane.agent.run("hello")).answer, "First.");
  });

  test("a guard that fails stops the run", async () => {
    const broken = await hook("broken", "process.exit(1);");
    await using it = await world({ BeforeModel: [broken] });
    assert.equal((await it.plane.agent.run("hello")).error?.code, "APPROVAL_DENIED");
  });
});
