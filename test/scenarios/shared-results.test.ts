import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { suite, test } from "node:test";
import { createPlane, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, textsOf } from "./support.ts";

/** A server that answers each bearer with their own mail. */
async function startMail() {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { authorization = "no one" } = request.headers;
    const body = await readText(request);
    const { id, method } = body === "" ? {} : JSON.parse(body);
    if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
    const annotations = { readOnlyHint: true };
    const known: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        serverInfo: { name: "mail", version: "1" },
        capabilities: { tools: {} },
      },
      "tools/list": {
        tools: [{ name: "inbox", description: "x", inputSchema: { type: "object" }, annotations }],
      },
      "tools/call": { content: [{ type: "text", text: `mail of ${authorization}` }] },
    };
    const result = known[method];
    const said = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const cache = { ttlMs: 60_000, shared: true };
const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });

suite("results are shared only where no user has credentials of their own", () => {
  test("a server that got the tokens of users gives each their own mail, also where calls are under way together", async () => {
    await using mail = await startMail();
    const config = { mcpServers: { mail: { url: mail.url, trusted: true, cache } } };
    await using plane = await createPlane({ config });
    for (const principal of [ann, bob])
      await plane.tokens.set("mail", { token: `${principal.user}-token` }, { principal });
    const read = async (principal: typeof ann) =>
      textsOf(await plane.call("mail.inbox", {}, { principal })).join();
    const [first, second] = await Promise.all([read(ann), read(bob)]);
    assert.deepEqual([first, second], ["mail of Bearer ann-token", "mail of Bearer bob-token"]);
    assert.equal(await read(bob), "mail of Bearer bob-token");
    assert.equal(await read(ann), "mail of Bearer ann-token");
    const { call } = await plane.call("mail.inbox", {}, { principal: ann });
    assert.equal(call.cached, true, "each caller's own result is kept");
  });

  test("sessions for each user keep their results apart", async () => {
    await using directory = await temporaryDirectory();
    const ledger = fixture("ledger", ["--log", directory.file("log")], {
      trusted: true,
      cache,
      session: "principal",
    });
    await using plane = await createPlane({ config: { mcpServers: { ledger } } });
    await plane.call("ledger.read", { key: "a" }, { principal: ann });
    const { call } = await plane.call("ledger.read", { key: "a" }, { principal: bob });
    assert.equal(call.cached, false);
  });

  test("a configuration that asks for both is refused with its place, in the server, an overlay, a tool and a manifest", async () => {
    await using directory = await temporaryDirectory();
    const mail = { url: "http://127.0.0.1:1/mcp", auth: { type: "oauth" } };
    const tool = {
      side_effects: "none",
      description: "x",
      cache,
      providers: [{ name: "mcp", config: { server: "mail", tool: "inbox" } }],
    };
    await writeFile(
      directory.file("wrapped.manifest.json"),
      JSON.stringify({ name: "wrapped", ...tool }),
    );
    const cases: [path: RegExp, config: object][] = [
      [/mcpServers\.mail\.cache\.shared/, { mcpServers: { mail: { ...mail, cache } } }],
      [
        /overlays\.mail\.inbox\.cache\.shared/,
        { mcpServers: { mail }, overlays: { "mail.inbox": { cache } } },
      ],
      [/tools\.mine\.cache\.shared/, { mcpServers: { mail }, tools: { mine: tool } }],
      [/cache\.shared/, { mcpServers: { mail }, manifests: ["*.manifest.json"] }],
    ];
    for (const [path, config] of cases) {
      await writeFile(directory.file("toolplane.json"), JSON.stringify(config));
      const words = ["config", "validate", "--config", directory.file("toolplane.json"), "--json"];
      const { code, stdout } = await runCli(words);
      const { problems } = JSON.parse(stdout) as {
        problems: { path: string; severity: string; message: string }[];
      };
      const found = problems.find((problem) => path.test(problem.path));
      assert.match(found?.message ?? "", /the results of one user to all others/, stdout);
      assert.deepEqual([found?.severity, code], ["error", 1]);
    }
    const config = { mcpServers: { mail: { ...mail, cache } } } as never;
    await using plane = await createPlane({ config });
    const [status] = await plane.servers.list();
    assert.equal(status?.state, "config_error");
  });

  test("one credential for all may be shared", async () => {
    await using mail = await startMail();
    const auth = { type: "bearer" as const, token: "team" };
    await using plane = await createPlane({
      config: { mcpServers: { mail: { url: mail.url, trusted: true, auth, cache } } },
    });
    await plane.call("mail.inbox", {}, { principal: ann });
    assert.equal((await plane.call("mail.inbox", {}, { principal: bob })).call.cached, true);
  });
});
