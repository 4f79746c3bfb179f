import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, startServe } from "./support.ts";

/** A stateless MCP server with one tool, as TrustGraph's are. */
function bankServer() {
  return createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = body === "" ? ({} as never) : JSON.parse(body);
    if (id === undefined)
      return void response.writeHead(request.method === "POST" ? 202 : 405).end();
    const schema = {
      type: "object",
      properties: { account_id: { type: "string" }, date: { type: "string" } },
    };
    const answers: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "bank", version: "1" },
      },
      "tools/list": { tools: [{ name: "balance", description: "Balance", inputSchema: schema }] },
      "tools/call": {
        content: [{ type: "text", text: `42 for ${params?.arguments?.account_id}` }],
      },
    };
    const found = answers[method];
    const answer = found ? { result: found } : { error: { code: -32601, message: "unknown" } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
}

const spellings = [
  "get_bank_balance.balance",
  "mcp.get_bank_balance.balance",
  "get_bank_balance_balance",
  "mcp_get_bank_balance_balance",
  "mcp__get_bank_balance__balance",
  "balance",
];

suite("the tool of a per-tool entry is offered only through the entry", () => {
  const server = bankServer();
  let directory: TemporaryDirectory;
  let file = "";
  before(async () => {
    directory = await temporaryDirectory();
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    file = directory.file("bank.json");
    const config = {
      mcp: { get_bank_balance: { url: `http://127.0.0.1:${port}/mcp`, "remote-name": "balance" } },
      tool: {
        get_bank_balance: {
          type: "mcp-tool",
          name: "get_bank_balance",
          description: "Balance",
          "mcp-tool": "get_bank_balance",
          group: ["finance"],
          "applicable-states": ["logged-in"],
          arguments: [{ name: "account_id", type: "string", description: "Account" }],
        },
      },
    };
    await writeFile(file, JSON.stringify(config));
  });
  after(async () => {
    server.close();
    await directory[Symbol.asyncDispose]();
  });
  const cli = (...words: string[]) =>
    runCli([...words, "--json", "--config", file, "--data-dir", directory.path]);

  test("no spelling of the server's tool can be called on the command line, and the entry still can", async () => {
    for (const name of spellings) {
      const { code, stdout } = await cli("call", name, "account_id=7");
      assert.notEqual(code, 0, `${name}: ${stdout}`);
    }
    await using plane = await createPlane({ config: file, dataDirectory: directory.path });
    const outcome = await plane.call(
      "get_bank_balance",
      { account_id: "7" },
      { toolGroups: ["finance"], state: "logged-in" },
    );
    assert.deepEqual(outcome.result?.content, [{ type: "text", text: "42 for 7" }]);
    const refused = await plane.call(
      { server: "get_bank_balance", tool: "balance" },
      { account_id: "7" },
    );
    assert.equal(refused.error?.code, "FORBIDDEN");
  });

  test("neither list, search, export nor the gateway shows it", async () => {
    const { tools } = (await cli("tools", "list")).json() as { tools: { name: string }[] };
    assert.deepEqual(tools, []);
    assert.doesNotMatch((await cli("tools", "export", "--format", "openai")).stdout, /balance/);
    assert.doesNotMatch((await cli("search", "balance")).stdout, /get_bank_balance\.balance/);
    await using serving = await startServe(file, directory.file("served"));
    const rpc = async (method: string, params: object) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return (
        await fetch(`${serving.url}/mcp?mode=full`, { method: "POST", headers, body })
      ).text();
    };
    assert.doesNotMatch(await rpc("tools/list", {}), /get_bank_balance[._]+balance/);
    const name = "get_bank_balance__balance";
    assert.doesNotMatch(
      await rpc("tools/call", { name, arguments: { account_id: "7" } }),
      /42 for/,
    );
  });

  test("an entry that is left out leaves the server's tool closed, and a good one beside it still works", async () => {
    const written = JSON.parse(await readFile(file, "utf8"));
    const good = written.tool.get_bank_balance;
    const wrong: Record<string, unknown> = {
      group: { ...good, group: 7 },
      state: { ...good, state: [] },
      name: { ...good, name: "" },
      type: { ...good, type: "mcp-tol" },
      arguments: { ...good, arguments: [{ name: 7 }] },
      text: "{not JSON",
    };
    for (const [what, entry] of Object.entries(wrong)) {
      const config = directory.file(`wrong-${what}.json`);
      await writeFile(config, JSON.stringify({ ...written, tool: { get_bank_balance: entry } }));
      for (const name of spellings) {
        const { code, stdout } = await runCli([
          "call",
          name,
          "account_id=1",
          "--json",
          "--config",
          config,
          "--data-dir",
          directory.file(what),
        ]);
        assert.notEqual(code, 0, `${what}: ${name}: ${stdout}`);
        assert.doesNotMatch(stdout, /42 for/);
      }
    }
    const both = directory.file("both.json");
    const tool = {
      bad: { ...good, name: "bad", group: 7 },
      open: { ...good, name: "open", group: ["default"], "applicable-states": ["*"] },
    };
    await writeFile(both, JSON.stringify({ ...written, tool }));
    const { stdout } = await runCli([
      "call",
      "open",
      "account_id=1",
      "--config",
      both,
      "--data-dir",
      directory.file("both"),
    ]);
    assert.match(stdout, /42 for 1/);
  });
});

test("tools of the types prompt and text-completion ask the model that is configured", async () => {
  await using directory = await temporaryDirectory();
  await using model = await startScriptedModel({
    responses: (body) => ({
      kind: "text",
      text: JSON.stringify((body.messages as { content: unknown }[]).at(-1)),
    }),
  });
  const written = {
    models: { default: { baseURL: model.url, model: "m" } },
    prompt: { "template.greeting": JSON.stringify({ prompt: "Greet {{name}} in {{language}}." }) },
    tool: {
      complete: JSON.stringify({
        type: "text-completion",
        name: "complete",
        description: "Answers.",
      }),
      greet: {
        type: "prompt",
        name: "greet",
        description: "Greets.",
        template: "greeting",
        arguments: ["name", "language"].map((name) => ({
          name,
          type: "string",
          description: name,
        })),
      },
      plain: {
        type: "prompt",
        name: "plain",
        description: "Says.",
        template: "Say {{word}}.",
        arguments: [{ name: "word", type: "string", description: "A word" }],
      },
    },
  };
  const file = directory.file("config.json");
  await writeFile(file, JSON.stringify(written));
  const call = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCli([
      "call",
      ...words,
      "--config",
      file,
      "--data-dir",
      directory.path,
    ]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  assert.match(await call("complete", "question=Why?"), /Why\?/);
  assert.match(await call("greet", "name=Ann", "language=Dutch"), /Greet Ann in Dutch\./);
  assert.match(await call("plain", "word=hi"), /Say hi\./);
});
