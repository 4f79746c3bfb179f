import assert from "node:assert/strict";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { signingKey, soon, startIssuer } from "../fixtures/issuer.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { namedServer, type RunningServe, startServe, writeConfig } from "./support.ts";

type Claims = Record<string, unknown>;

const wellKnown = "/.well-known/oauth-protected-resource";
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "probe", version: "1" },
  },
};

suite("the plane as a protected resource of an identity provider", () => {
  let directory: TemporaryDirectory;
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let serving: RunningServe;

  before(async () => {
    directory = await temporaryDirectory();
    issuer = await startIssuer({ discovery: true });
    const servers = {
      files: namedServer("files", ["read", "write"]),
      mail: namedServer("mail", ["send"]),
    };
    const toolsets = { reading: { providers: ["files"], allow_tools: ["read"] } };
    const config = await writeConfig(directory, servers, {
      auth: { issuer: issuer.url },
      policy: { profile: "personal" },
      toolsets,
    });
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await issuer.stop();
    await directory[Symbol.asyncDispose]();
  });

  const tokenFor = (path: string, claims: Claims = {}) =>
    issuer.token({ aud: `${serving.url}${path}`, ...claims });
  async function ask(
    path: string,
    token: string | null,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const response = await fetch(`${serving.url}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    const read = await response.text();
    return {
      status: response.status,
      challenge: response.headers.get("www-authenticate") ?? "",
      session: response.headers.get("mcp-session-id"),
      text: read,
      json: () =>
        JSON.parse(
          read.startsWith("event:") ? (/^data: (.*)$/m.exec(read)?.[1] ?? "") : read,
        ) as Claims,
    };
  }
  const mcp = (token: string | null, body: unknown = initialize, query = "") =>
    ask(`/mcp${query}`, token, body);

  test("a request without a token gets the place to ask for one, and for what", async () => {
    const { status, challenge } = await mcp(null);
    assert.equal(status, 401);
    assert.equal(
      challenge,
      `Bearer realm="toolplane", resource_metadata="${serving.url}${wellKnown}/mcp", scope="call"`,
    );
    const api = await ask("/tools", null);
    assert.deepEqual(
      [api.status, api.challenge.includes(`resource_metadata="${serving.url}${wellKnown}"`)],
      [401, true],
    );
    const view = await mcp(null, initialize, '?server=fi"les');
    assert.match(view.challenge, /resource_metadata="[^"]+\/mcp\?server=fi%22les"/);
  });

  for (const [path, resource] of [
    ["", ""],
    ["/mcp", "/mcp"],
    ["/mcp?server=files", "/mcp?server=files"],
    ["/tools", "/tools"],
  ] as const)
    test(`the metadata of ${path || "the whole plane"} is at its well-known address`, async () => {
      const response = await fetch(`${serving.url}${wellKnown}${path}`, {
        headers: { origin: "https://elsewhere.example" },
      });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
      assert.deepEqual(await response.json(), {
        resource: `${serving.url}${resource}`,
        authorization_servers: [issuer.url],
        bearer_methods_supported: ["header"],
        scopes_supported: ["call"],
        resource_name: "Toolplane",
      });
    });

  test("the metadata is not given under another host", async () => {
    const { hostname, port } = new URL(serving.url);
    const status = await new Promise((resolve) =>
      request(
        { hostname, port, path: `${wellKnown}/mcp`, headers: { host: "evil.example" } },
        (response) => {
          void text(response);
          resolve(response.statusCode);
        },
      ).end(),
    );
    assert.equal(status, 403);
  });

  test("a token for this address lists and calls", async () => {
    const token = await tokenFor("/mcp");
    const { status, session } = await mcp(token);
    assert.equal(status, 200);
    const called = await ask(
      "/mcp",
      token,
      {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "files__read", arguments: {} },
      },
      { "mcp-session-id": session ?? "", "mcp-protocol-version": "2025-11-25" },
    );
    assert.match(called.text, /files:read/);
    assert.equal((await ask("/tools", await tokenFor(""))).status, 200);
    assert.equal((await ask("/tools/files.read", await tokenFor("/tools"))).status, 200);
  });

  for (const [what, make] of [
    ["another path", () => tokenFor("/tools")],
    ["another query of it", () => tokenFor("/mcp?server=files")],
    ["another host", () => issuer.token({ aud: "https://other.example/mcp" })],
    ["no one", () => issuer.token({ aud: undefined })],
    ["another issuer", () => tokenFor("/mcp", { iss: "https://evil.example" })],
    ["the past", () => tokenFor("/mcp", { exp: soon(-60) })],
    ["the future", () => tokenFor("/mcp", { nbf: soon(120) })],
    ["all times", () => tokenFor("/mcp", { exp: undefined })],
    ["no person", () => tokenFor("/mcp", { sub: undefined })],
    [
      "a key that is not published",
      async () =>
        issuer.token({ aud: `${serving.url}/mcp` }, { kid: "other" }, await signingKey("other")),
    ],
    [
      "a signature with a shared secret",
      async () => {
        const [, payload] = (await tokenFor("/mcp")).split(".");
        const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: "first" })).toString(
          "base64url",
        );
        return `${header}.${payload}.AAAA`;
      },
    ],
    [
      "no signature",
      async () => {
        const [, payload] = (await tokenFor("/mcp")).split(".");
        return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
      },
    ],
  ] as [string, () => Promise<string>][])
    test(`a token for ${what} is refused as no valid one`, async () => {
      const { status, challenge } = await mcp(await make());
      assert.equal(status, 401);
      assert.match(challenge, /error="invalid_token", resource_metadata=/);
    });

  test("a token that may only read gets, for a call, the scopes to ask for", async () => {
    const token = await tokenFor("/mcp", { scope: "openid read" });
    const { session } = await mcp(token);
    const call = {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "files__read", arguments: {} },
    };
    const { status, challenge } = await ask("/mcp", token, call, {
      "mcp-session-id": session ?? "",
    });
    assert.equal(status, 403);
    assert.equal(
      challenge,
      `Bearer realm="toolplane", error="insufficient_scope", scope="read call", resource_metadata="${serving.url}${wellKnown}/mcp"`,
    );
    const api = await ask("/keys", await tokenFor(""));
    assert.equal(api.status, 403);
    assert.match(api.challenge, /error="insufficient_scope", scope="call admin"/);
  });

  async function namesFor(scope: string, query = ""): Promise<string[]> {
    const token = await tokenFor("", { scope });
    const { session } = await mcp(token, initialize, query);
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
    const { json } = await ask(`/mcp${query}`, token, list, { "mcp-session-id": session ?? "" });
    return (json().result as { tools: { name: string }[] }).tools
      .flatMap(({ name }) => (name === "read_result" ? [] : [name]))
      .sort();
  }

  test("scopes of servers and toolsets are all that a token opens", async () => {
    assert.deepEqual(await namesFor("call"), ["files__read", "files__write", "mail__send"]);
    assert.deepEqual(await namesFor("call server:mail"), ["mail__send"]);
    assert.deepEqual(await namesFor("call toolset:reading"), ["files__read"]);
    assert.deepEqual(await namesFor("call toolset:reading server:mail"), [
      "files__read",
      "mail__send",
    ]);
    assert.deepEqual(await namesFor("call server:nowhere"), []);
    assert.deepEqual(await namesFor("call toolset:nowhere"), []);
  });

  test("a call beyond them finds no tool", async () => {
    const token = await tokenFor("", { scope: "call toolset:reading" });
    const call = (tool: string) => ask(`/tools/${tool}/call`, token, { arguments: {} });
    assert.equal((await call("files.read")).status, 200);
    assert.equal((await call("files.write")).status, 404);
    assert.equal((await call("mail.send")).status, 404);
  });

  test("an address of another server asks for its scope as well", async () => {
    const token = await tokenFor("", { scope: "call server:mail" });
    const { status, challenge } = await mcp(token, initialize, "?server=files");
    assert.equal(status, 403);
    assert.match(challenge, /scope="call server:mail server:files"/);
    assert.equal(
      (await mcp(token, initialize, "?server=nowhere")).status,
      400,
      "what is not there is not asked for",
    );
  });

  test("keys of the issuer are not asked for again with every token", async () => {
    await mcp(await tokenFor("/mcp"));
    const before = issuer.state.asked.length;
    for (const user of ["ann", "bob", "eve"])
      assert.equal((await mcp(await tokenFor("/mcp", { sub: user }))).status, 200);
    assert.equal(issuer.state.asked.length, before);
  });
});
