import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { suite, test } from "node:test";
import { createPlane, type Principal, principalOf } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, type ServerEntry } from "./support.ts";

const privateKey = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----`;

/** A server that lists and answers for the bearer of the token. */
async function startPersonalServer() {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const token = (request.headers.authorization ?? "Bearer none").slice("Bearer ".length);
    const body = await readText(request);
    const { id, method, params = {} } = body === "" ? {} : JSON.parse(body);
    if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        serverInfo: { name: "personal", version: "1" },
        capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      },
      "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
      "prompts/list": { prompts: [{ name: `plan_of_${token}` }] },
      "prompts/get": {
        messages: [{ role: "user", content: { type: "text", text: `prompt for ${token}` } }],
      },
      "resources/list": { resources: [{ uri: `mail://${token}`, name: token }] },
      "resources/templates/list": { resourceTemplates: [] },
      "resources/read": { contents: [{ uri: params.uri, text: `mail of ${token}` }] },
    };
    const result = results[method];
    const said = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.asyncDispose]: stop };
}

const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });
const as = (principal: Principal) => ({ principal });

function offering(directory: TemporaryDirectory, more: ServerEntry = {}) {
  const lists = {
    tools: [{ name: "look", inputSchema: { type: "object" } }],
    prompts: [{ name: "greet" }, { name: "secret" }],
    resources: [{ uri: "note://one", name: "one" }],
  };
  writeFileSync(directory.file("lists.json"), JSON.stringify(lists));
  return { desk: fixture("offering", ["--lists", directory.file("lists.json")], more) };
}

suite("resources, prompts and completion", { concurrency: 2 }, () => {
  test("are asked for with the caller's own upstream token, and listed by it", async () => {
    await using server = await startPersonalServer();
    await using directory = await temporaryDirectory();
    await using plane = await createPlane({
      config: { mcpServers: { mail: { url: server.url, auth: { type: "bearer" } } } },
      dataDirectory: directory.path,
      principal: { user: "owner" },
    });
    await plane.tokens.set("mail", { token: "owner" });
    await plane.tokens.set("mail", { token: "ann" }, as(ann));
    const told = async (principal: Principal) =>
      JSON.stringify(await plane.resources.read("mail", "mail://x", as(principal)));
    assert.match(JSON.stringify(await plane.resources.read("mail", "mail://x")), /mail of owner/);
    assert.match(await told(ann), /mail of ann/);
    await assert.rejects(told(bob), { code: "AUTH_REQUIRED" });
    await assert.rejects(plane.prompts.get("mail", "p", {}, as(bob)), { code: "AUTH_REQUIRED" });
    assert.match(
      JSON.stringify(await plane.prompts.get("mail", "p", {}, as(ann))),
      /prompt for ann/,
    );
    const names = async (principal: Principal) =>
      JSON.stringify(await plane.prompts.list("mail", as(principal)));
    assert.match(JSON.stringify(await plane.prompts.list("mail")), /plan_of_owner/);
    assert.match(await names(ann), /plan_of_ann/);
    await assert.rejects(names(bob), { code: "AUTH_REQUIRED" });
    assert.deepEqual(await plane.resources.list(undefined, as(bob)), []);
  });

  test("take the scope 'call', and a key that only reads lists them", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await createPlane({ config: { mcpServers: offering(directory) } });
    const reader = principalOf({ user: "ann", scopes: ["read"] });
    assert.equal((await plane.prompts.list("desk", as(reader))).length, 2);
    const forbidden = { code: "FORBIDDEN", data: { scope: "call" } };
    await assert.rejects(plane.prompts.get("desk", "greet", {}, as(reader)), forbidden);
    await assert.rejects(plane.resources.read("desk", "note://one", as(reader)), forbidden);
    await assert.rejects(plane.resources.watch("desk", "note://one", as(reader)), forbidden);
    const ref = {
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "who", value: "" },
    };
    await assert.rejects(
      plane.servers.forward("desk", "completion/complete", ref, as(reader)),
      forbidden,
    );
    await assert.rejects(
      plane.servers.forward("desk", "prompts/get", { name: "greet" }, as(reader)),
      forbidden,
    );
  });

  test("are decided by the policy and by deny_tools, and are recorded with their kind", async () => {
    await using directory = await temporaryDirectory();
    const rules = [
      { tool: "desk.prompts/secret", verdict: "deny" as const },
      { arguments: { uri: "note://o*" }, verdict: "ask" as const },
    ];
    await using plane = await createPlane({
      config: {
        mcpServers: offering(directory, { deny_tools: ["resources/*private*"] }),
        policy: { rules },
      },
    });
    const kinds: (string | undefined)[] = [];
    plane.on("tool.result", ({ kind }) => kinds.push(kind));
    assert.match(JSON.stringify(await plane.prompts.get("desk", "greet")), /prompt greet/);
    await assert.rejects(plane.prompts.get("desk", "secret"), { code: "APPROVAL_DENIED" });
    const ref = {
      ref: { type: "ref/prompt", name: "secret" },
      argument: { name: "who", value: "" },
    };
    await assert.rejects(plane.servers.forward("desk", "completion/complete", ref), {
      code: "APPROVAL_DENIED",
    });
    await assert.rejects(plane.resources.read("desk", "note://one"), { code: "APPROVAL_REQUIRED" });
    await assert.rejects(plane.resources.watch("desk", "note://one"), {
      code: "APPROVAL_REQUIRED",
    });
    assert.match(
      JSON.stringify(await plane.resources.read("desk", "note://two")),
      /resource note:/,
    );
    await assert.rejects(plane.resources.read("desk", "note://private"), { code: "NOT_FOUND" });
    assert.deepEqual(kinds, [
      "prompt",
      "prompt",
      "completion",
      "resource",
      "subscription",
      "resource",
      "resource",
    ]);
    const records = await plane.calls.list();
    assert.deepEqual(records.map(({ tool, kind }) => [tool, kind]).at(-1), [
      "desk.prompts/greet",
      "prompt",
    ]);
  });

  for (const mode of ["review", "plan"] as const)
    test(`of a server that is not trusted are held in ${mode} mode`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await createPlane({
        config: {
          mcpServers: offering(directory),
          policy: { mode, effects: { "desk.prompts/*": "read" } },
        },
      });
      const code = mode === "review" ? "APPROVAL_DENIED" : "PLAN_QUEUED";
      await assert.rejects(plane.resources.read("desk", "note://one"), { code });
      assert.match(JSON.stringify(await plane.prompts.get("desk", "greet")), /prompt greet/);
    });

  test("of a server of another group do not exist for the caller", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await createPlane({
      config: { mcpServers: offering(directory, { groups: ["hr"] }) },
    });
    const told = (server: string) =>
      plane.resources
        .read(server, "note://one", as(ann))
        .catch(({ code, message }) => [code, message]);
    const hidden = await told("desk");
    const unknown = await told("none");
    assert.deepEqual(JSON.parse(JSON.stringify(hidden).replaceAll("desk", "none")), unknown);
  });

  test("a private key in what a resource says is not shown in the activity", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    const content = [{ type: "resource", resource: { uri: "file:///id", text: privateKey } }];
    plane.tools.register({
      manifest: { name: "key", description: "A key.", side_effects: "none" },
      run: () => ({ content }),
    });
    plane.tools.register({
      manifest: { name: "plain", description: "A key.", side_effects: "none" },
      run: () => privateKey,
    });
    await plane.call("key");
    await plane.call("plain");
    const shown = JSON.stringify(await plane.calls.activity());
    assert.doesNotMatch(shown, /MIIEvQ/);
    assert.match(shown, /redacted/);
  });
});
