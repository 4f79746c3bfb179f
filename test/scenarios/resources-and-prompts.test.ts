import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { suite, test } from "node:test";
import { createPlane, narrow, type Plane, type Principal, principalOf } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, namedServer, type ServerEntry, textsOf } from "./support.ts";

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
      "prompts/get": { messages: [{ role: "user", content: { type: "text", text: `prompt for ${token}` } }] },
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
    assert.match(JSON.stringify(await plane.prompts.get("mail", "p", {}, as(ann))), /prompt for ann/);
    const names = async (principal: Principal) => JSON.stringify(await plane.prompts.list("mail", as(principal)));
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
    const ref = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "" } };
    await assert.rejects(plane.servers.forward("desk", "completion/complete", ref, as(reader)), forbidden);
    await assert.rejects(plane.servers.forward("desk", "prompts/get", { name: "greet" }, as(reader)), forbidden);
  });

  test("are decided by the policy and by deny_tools, and are recorded with their kind", async () => {
    await using directory = await temporaryDirectory();
    const rules = [
      { tool: "desk.prompts/secret", verdict: "deny" as const },
      { arguments: { uri: "note://o*" }, verdict: "ask" as const },
    ];
    await using plane = await createPlane({
      config: { mcpServers: offering(directory, { deny_tools: ["resources/*private*"] }), policy: { rules } },
    });
    const kinds: (string | undefined)[] = [];
    plane.on("tool.result", ({ kind }) => kinds.push(kind));
    assert.match(JSON.stringify(await plane.prompts.get("desk", "greet")), /prompt greet/);
    await assert.rejects(plane.prompts.get("desk", "secret"), { code: "APPROVAL_DENIED" });
    const ref = { ref: { type: "ref/prompt", name: "secret" }, argument: { name: "who", value: "" } };
    await assert.rejects(plane.servers.forward("desk", "completion/complete", ref), { code: "APPROVAL_DENIED" });
    await assert.rejects(plane.resources.read("desk", "note://one"), { code: "APPROVAL_REQUIRED" });
    await assert.rejects(plane.resources.watch("desk", "note://one"), { code: "APPROVAL_REQUIRED" });
    assert.match(JSON.stringify(await plane.resources.read("desk", "note://two")), /resource note:/);
    await assert.rejects(plane.resources.read("desk", "note://private"), { code: "NOT_FOUND" });
    assert.deepEqual(kinds, ["prompt", "prompt", "completion", "resource", "subscription", "resource", "resource"]);
    const records = await plane.calls.list();
    assert.deepEqual(records.map(({ tool, kind }) => [tool, kind]).at(-1), ["desk.prompts/greet", "prompt"]);
  });

  for (const mode of ["review", "plan"] as const)
    test(`of a server that is not trusted are held in ${mode} mode`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await createPlane({
        config: { mcpServers: offering(directory), policy: { mode, effects: { "desk.prompts/*": "read" } } },
      });
      const code = mode === "review" ? "APPROVAL_DENIED" : "PLAN_QUEUED";
      await assert.rejects(plane.resources.read("desk", "note://one"), { code });
      assert.match(JSON.stringify(await plane.prompts.get("desk", "greet")), /prompt greet/);
    });

  test("of a server of another group do not exist for the caller", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await createPlane({ config: { mcpServers: offering(directory, { groups: ["hr"] }) } });
    const told = (server: string) =>
      plane.resources.read(server, "note://one", as(ann)).catch(({ code, message }) => [code, message]);
    const [hidden, unknown] = [await told("desk"), await told("none")];
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

suite("ownership", () => {
  async function twoKeys(plane: Plane) {
    const principalOfKey = async (asked: object) => {
      const { secret } = await plane.keys.create({ name: "k", user: "ann", ...asked });
      return plane.identity.identify(secret);
    };
    return { strong: await principalOfKey({ groups: ["hr"] }), weak: await principalOfKey({}) };
  }
  const long = { name: "long", description: "A long text.", side_effects: "none" as const };

  test("a weaker key of the same user reads no result, call or activity of a stronger one", async () => {
    await using plane = await createPlane({ config: { mcpServers: {}, policy: { profile: "personal" } } });
    plane.tools.register({ manifest: long, run: () => "secret ".repeat(10_000) });
    const { strong, weak } = await twoKeys(plane);
    const { stored, call } = await plane.call("long", {}, { ...as(strong), maxResultBytes: 1_000 });
    const id = String(stored?.id);
    assert.match((await plane.results.get(id, {}, as(strong))).text, /secret/);
    const read = await plane.call("read_result", { id }, as(strong));
    assert.match(String(textsOf(read)[0]), /secret/);
    await assert.rejects(plane.results.get(id, {}, as(weak)), { code: "NOT_FOUND" });
    assert.doesNotMatch(String(textsOf(await plane.call("read_result", { id }, as(weak)))[0]), /secret/);
    await assert.rejects(plane.calls.get(call.id, as(weak)), { code: "NOT_FOUND" });
    assert.equal((await plane.calls.get(call.id, as(strong))).id, call.id);
    assert.deepEqual((await plane.results.page({}, as(weak))).results, []);
    assert.equal((await plane.results.page({}, as(strong))).results.length, 1);
    assert.deepEqual(
      (await plane.calls.list({}, as(weak))).map(({ tool }) => tool),
      ["read_result"],
    );
    assert.equal((await plane.calls.list({ limit: 1 }, as(strong))).length, 1);
    assert.deepEqual(
      (await plane.calls.activity(as(weak))).map(({ tool }) => tool),
      ["read_result"],
    );
    const seen = await plane.events.list(0, 100, as(weak));
    assert.ok(!JSON.stringify(seen).includes('"long"'));
    const counted = async (who: Principal) => {
      const { steps } = await plane.calls.series({ minutes: 5 }, as(who));
      return steps.reduce((sum, { calls }) => sum + calls, 0);
    };
    assert.deepEqual([await counted(strong), await counted(weak)], [2, 1]);
    const weakToken = principalOf({ user: "ann", scopes: ["read"] });
    await assert.rejects(plane.results.get(id, {}, as(weakToken)), { code: "NOT_FOUND" });
  });

  test("nor does it see or answer its approvals and plans", async () => {
    const rules = [
      { tool: "long", verdict: "ask" as const },
      { tool: "later", verdict: "queue" as const },
    ];
    await using plane = await createPlane({ config: { mcpServers: {}, policy: { profile: "personal", rules } } });
    plane.tools.register({ manifest: long, run: () => "done" });
    plane.tools.register({ manifest: { ...long, name: "later" }, run: () => "done" });
    const { strong, weak } = await twoKeys(plane);
    const { approval } = await plane.call("long", {}, as(strong));
    const { plan } = await plane.call("later", {}, as(strong));
    const [id, planId] = [String(approval?.id), String(plan?.id)];
    assert.deepEqual(await plane.approvals.list(as(weak)), []);
    assert.equal((await plane.approvals.page({ limit: 10 }, as(weak))).total, 0);
    await assert.rejects(plane.approvals.get(id, as(weak)), { code: "NOT_FOUND" });
    await assert.rejects(plane.approvals.answer(id, { decision: "approve" }, as(weak)), { code: "FORBIDDEN" });
    await assert.rejects(plane.plans.get(planId, as(weak)), { code: "NOT_FOUND" });
    const queued = await plane.call("later", {}, as(weak));
    assert.notEqual(queued.plan?.id, planId, "a weaker key's change is none of the stronger one's plan");
    assert.equal((await plane.approvals.get(id, as(strong))).id, id);
    assert.equal((await plane.approvals.answer(id, { decision: "approve" }, as(strong))).approval.status, "done");
  });
});

const takesHow = { type: "object", properties: { how: { type: "string" } } };
const wrap = (tool: string, more: object = {}, config: object = {}) => ({
  description: "Written by hand.",
  side_effects: "none" as const,
  ...more,
  providers: [{ name: "mcp", config: { server: "n", tool, ...config } }],
});

suite("a wrapper", () => {
  test("does not lead around deny_tools, plan mode, review mode or consent", async () => {
    const servers = { n: { ...namedServer("n", ["raw", "off"]), deny_tools: ["off"] } };
    const tools = { peek: wrap("off"), soft: wrap("raw") };
    await using plane = await createPlane({ config: { mcpServers: servers, tools } });
    assert.equal((await plane.call("soft")).ok, true);
    const denied = await plane.call("peek", {}, as(ann));
    assert.equal(denied.error?.code, "TOOL_NOT_FOUND");
    assert.equal((await plane.call("soft", {}, { mode: "plan" })).error?.code, "PLAN_QUEUED");
    assert.equal((await plane.call("soft", {}, { mode: "review" })).error?.code, "APPROVAL_DENIED");
    await using asking = await createPlane({
      config: {
        mcpServers: { n: { ...namedServer("n", ["raw"]), requires_consent: true } },
        tools: { soft: tools.soft },
      },
    });
    assert.equal((await asking.call("soft")).error?.code, "APPROVAL_REQUIRED");
  });

  test("does not lead around the isolation that its target needs", async () => {
    await using plane = await createPlane({
      config: {
        mcpServers: { n: namedServer("n", ["raw"]) },
        tools: { soft: wrap("raw") },
        overlays: { "n.raw": { safety_level: "high" } },
        policy: { isolation: "required" },
      },
    });
    assert.equal((await plane.call("soft")).error?.code, "APPROVAL_DENIED");
  });

  test("needs the flags that its target needs for the operation of the mapped arguments", async () => {
    const personas = { clerk: { flags: { reads: true } }, chief: { flags: { reads: true, writes: true } } };
    await using plane = await createPlane({
      config: {
        mcpServers: { n: namedServer("n", ["raw"]) },
        personas,
        tools: { soft: wrap("raw", { parameters: takesHow }, { argumentMap: { operation: "how" } }) },
        overlays: { "n.raw": { requires_flags: { read: ["reads"], write: ["writes"] } } },
        policy: { profile: "personal" },
      },
    });
    const called = async (persona: string, how: string) =>
      (await plane.call("soft", { how }, as(principalOf({ user: "ann", persona })))).error?.code;
    assert.equal(await called("clerk", "read"), undefined);
    assert.equal(await called("chief", "write"), undefined);
    assert.equal(await called("clerk", "write"), "FORBIDDEN");
    assert.equal(await called("none", "read"), "FORBIDDEN");
  });

  test("is judged by the arguments that its target gets, also by fixed ones", async () => {
    const rules = [{ tool: "n.raw", arguments: { branch: "main" }, verdict: "deny" as const }];
    const parameters = { type: "object", properties: { b: { type: "string" } } };
    const tools = {
      mapped: wrap("raw", { parameters }, { argumentMap: { branch: "b" } }),
      fixed: wrap("raw", { parameters: { type: "object" }, arguments: [{ name: "branch", fixed: "main" }] }),
    };
    await using plane = await createPlane({
      config: { mcpServers: { n: namedServer("n", ["raw"]) }, tools, policy: { rules } },
    });
    assert.equal((await plane.call("mapped", { b: "main" })).error?.code, "APPROVAL_DENIED");
    assert.equal((await plane.call("mapped", { b: "topic" })).ok, true);
    assert.equal((await plane.call("fixed")).error?.code, "APPROVAL_DENIED");
  });
});

test("a tool that the caller may not see and one that does not exist are one error", async () => {
  const servers = { hr: { ...namedServer("hr", ["pay"]), groups: ["hr"] }, open: namedServer("open", ["look"]) };
  await using plane = await createPlane({
    config: {
      mcpServers: servers,
      tools: {
        wrapped: {
          ...wrap("pay"),
          providers: [{ name: "mcp", config: { server: "hr", tool: "pay" } }],
        },
      },
    },
  });
  await plane.tools.list();
  for (const caller of [ann, narrow(ann, { servers: ["open"] })]) {
    const told = async (name: string) => {
      const { error, call } = await plane.call(name, {}, as(caller));
      return JSON.stringify([error, call.status]).replaceAll(name, "NAME");
    };
    const unknown = await told("zz.qqqq");
    for (const name of ["hr.pay", "wrapped", "hr__pay"]) assert.equal(await told(name), unknown, name);
  }
});

test("in plan and review mode the name of a tool is no knowledge of what it does", async () => {
  await using plane = await createPlane({ config: { mcpServers: { n: namedServer("n", ["get_report", "lookup"]) } } });
  for (const tool of ["n.get_report", "n.lookup"]) {
    assert.equal((await plane.call(tool, {}, { mode: "plan" })).error?.code, "PLAN_QUEUED");
    assert.equal((await plane.call(tool, {}, { mode: "review" })).error?.code, "APPROVAL_DENIED");
    assert.equal((await plane.call(tool, {}, { mode: "build" })).ok, true);
  }
});
