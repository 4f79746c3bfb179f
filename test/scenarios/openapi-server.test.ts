import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { githubLike, petstore2 } from "../fixtures/openapi-documents.ts";
import { type ApiServer, startApi } from "../fixtures/openapi-server.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, startServe, trustProject, writeConfig } from "./support.ts";

type Entry = Record<string, unknown>;

const info = { title: "Small", version: "1" };
const ping = { get: { operationId: "ping", responses: { 200: { description: "ok" } } } };
const small = (more: object = {}) => ({
  openapi: "3.1.0",
  info,
  paths: { "/ping": ping },
  ...more,
});
const scheme = (one: object) => ({
  security: [{ s: [] }],
  components: { securitySchemes: { s: one } },
});

describe("an API as a server", () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
  });
  after(() => api[Symbol.asyncDispose]());

  let count = 0;
  const place = (document: object | string) => api.serve(`/${++count}`, document);
  const open = (entry: Entry, more: object = {}): Promise<Plane> =>
    createPlane({ config: { mcpServers: { small: entry }, ...more } });
  async function asked(plane: Plane, name = "small.ping", args: JsonObject = {}) {
    const before = api.seen.length;
    const outcome = await plane.call(name, args);
    return { outcome, seen: api.seen.slice(before), line: api.seen[before]?.line };
  }
  const errorOf = async (entry: Entry, more: object = {}): Promise<string> => {
    await using plane = await open(entry, more);
    const { error } = await plane.call("small.ping").catch((thrown) => ({ error: thrown }));
    const [status] = await plane.servers.list();
    return `${status?.error ?? ""} ${error?.message ?? ""}`;
  };

  const schemes: [
    title: string,
    scheme: object,
    auth: object,
    proof: Record<string, string | undefined>,
  ][] = [
    [
      "a key in a header",
      { type: "apiKey", in: "header", name: "X-Key" },
      { token: "t0k3n-1" },
      { "x-key": "t0k3n-1" },
    ],
    [
      "a key in a cookie",
      { type: "apiKey", in: "cookie", name: "sid" },
      { token: "t0k3n-1" },
      { cookie: "sid=t0k3n-1" },
    ],
    [
      "a bearer token",
      { type: "http", scheme: "bearer" },
      { token: "t0k3n-1" },
      { authorization: "Bearer t0k3n-1" },
    ],
    [
      "a user with a password",
      { type: "http", scheme: "basic" },
      { token: "ann:secret-1" },
      { authorization: `Basic ${Buffer.from("ann:secret-1").toString("base64")}` },
    ],
    [
      "a token of its own name",
      { type: "apiKey", in: "header", name: "K" },
      { schemes: { s: "v-12345" } },
      { k: "v-12345" },
    ],
  ];
  for (const [title, one, auth, proof] of schemes) {
    test(`${title} is placed as the document says`, async () => {
      await using plane = await open({
        openapi: place(small(scheme(one))),
        baseUrl: api.url,
        auth,
      });
      const { seen } = await asked(plane);
      for (const [name, value] of Object.entries(proof))
        assert.equal(seen[0]?.headers[name], value);
      if (!("authorization" in proof)) assert.equal(seen[0]?.headers.authorization, undefined);
    });
  }

  test("a key in the query is sent and shown nowhere", async () => {
    const document = small(scheme({ type: "apiKey", in: "query", name: "key" }));
    await using plane = await open({
      openapi: place(document),
      baseUrl: api.url,
      auth: { token: "q-secret-1" },
    });
    api.routes.set(
      "GET /ping",
      (request, response) => void response.writeHead(400).end(`bad ${request.url}`),
    );
    const { outcome, line } = await asked(plane);
    api.routes.delete("GET /ping");
    assert.equal(line, "GET /ping?key=q-secret-1");
    assert.ok(
      outcome.result?.isError && !JSON.stringify(outcome).includes("q-secret-1"),
      JSON.stringify(outcome),
    );
  });

  test("two schemes are given together, each with its own value", async () => {
    const document = small({
      security: [{ id: [], key: [] }],
      components: {
        securitySchemes: {
          id: { type: "apiKey", in: "header", name: "X-App" },
          key: { type: "apiKey", in: "header", name: "X-Key" },
        },
      },
    });
    const auth = { schemes: { id: "app-1234", key: "key-1234" } };
    await using plane = await open({ openapi: place(document), baseUrl: api.url, auth });
    const { headers } = (await asked(plane)).seen[0] ?? assert.fail("nothing was sent");
    assert.deepEqual([headers["x-app"], headers["x-key"]], ["app-1234", "key-1234"]);
  });

  test("a client signs in for itself at the document's token endpoint, and again when it is refused", async () => {
    const flows = { clientCredentials: { tokenUrl: "/token", scopes: { read: "", write: "" } } };
    const document = small({
      servers: [{ url: api.url }],
      security: [{ o: ["read"] }],
      components: { securitySchemes: { o: { type: "oauth2", flows } } },
    });
    let issued = 0;
    const forms: string[] = [];
    api.routes.set("POST /token", (_, response, { body }) => {
      forms.push(body.toString());
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          access_token: `at-${++issued}-secret`,
          token_type: "Bearer",
          expires_in: 3600,
        }),
      );
    });
    api.routes.set("GET /ping", (request, response) => {
      const isGood = request.headers.authorization === "Bearer at-2-secret";
      response.writeHead(isGood ? 200 : 401).end(isGood ? "pong" : "no");
    });
    const auth = {
      type: "oauth",
      grant: "client_credentials",
      clientId: "me",
      clientSecret: "cs-12345",
    };
    await using plane = await open({ openapi: place(document), auth });
    const { result, error } = await plane.call("small.ping");
    api.routes.delete("GET /ping");
    assert.equal(result?.content[0]?.text, "pong", error?.message);
    assert.equal(issued, 2);
    assert.match(forms[0] ?? "", /grant_type=client_credentials/);
    assert.match(forms[0] ?? "", /scope=read(&|$)/);
    assert.ok(!(forms[0] ?? "").includes("resource="));
  });

  test("a person signs in where the document says", async () => {
    const flows = {
      authorizationCode: { authorizationUrl: "/authorize", tokenUrl: "/token2", scopes: {} },
    };
    const document = small({
      servers: [{ url: api.url }],
      components: { securitySchemes: { o: { type: "oauth2", flows } } },
    });
    api.routes.set("POST /token2", (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ access_token: "person-token-1", token_type: "bearer" }));
    });
    await using plane = await open({
      openapi: place(document),
      auth: { type: "oauth", clientId: "me" },
    });
    const refused = await plane.call("small.ping");
    assert.equal(refused.error?.code, "AUTH_REQUIRED");
    const redirect = "http://127.0.0.1:9/callback";
    const { url, state } = await plane.tokens.beginSignIn("small", redirect);
    const { origin, pathname, searchParams } = new URL(url);
    assert.deepEqual(
      [origin, pathname, searchParams.get("client_id")],
      [api.url, "/authorize", "me"],
    );
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    await plane.tokens.finishSignIn(new URLSearchParams({ code: "c", state }));
    const { seen } = await asked(plane);
    assert.equal(seen[0]?.headers.authorization, "Bearer person-token-1");
  });

  test("filters choose by tag, path and method", async () => {
    const openapi = place(petstore2(api.host));
    const names = async (operations: object) => {
      await using plane = await open({ openapi, operations });
      return (await plane.tools.list()).map(({ id }) => id.tool).sort();
    };
    assert.deepEqual(await names({ tags: ["store"] }), ["get_store_inventory"]);
    assert.deepEqual(await names({ methods: ["GET"], paths: ["/pet*"] }), [
      "findPetsByStatus",
      "getPetById",
    ]);
    assert.deepEqual(await names({ paths: ["!/pet/{petId}*", "!/store*"] }), [
      "addPet",
      "findPetsByStatus",
    ]);
    assert.deepEqual(await names({ tags: [] }), []);
  });

  const bases: [title: string, document: object, entry: Entry, line: RegExp | string][] = [
    ["its servers", small({ servers: [{ url: "URL/a/" }] }), {}, "GET /a/ping"],
    ["a relative server", small({ servers: [{ url: "/b" }] }), {}, "GET /b/ping"],
    ["where the document is", small(), {}, "GET /ping"],
    [
      "baseUrl before all",
      small({ servers: [{ url: "http://10.1.2.3/x" }] }),
      { baseUrl: "URL/c" },
      "GET /c/ping",
    ],
    [
      "host and base path",
      { swagger: "2.0", info, basePath: "/d", paths: { "/ping": ping } },
      {},
      "GET /d/ping",
    ],
  ];
  for (const [title, document, entry, line] of bases) {
    test(`the address is ${title}`, async () => {
      const filled = JSON.stringify(document).replaceAll("URL", api.url);
      const more = JSON.parse(JSON.stringify(entry).replaceAll("URL", api.url));
      await using plane = await open({ openapi: place(filled), ...more });
      assert.equal((await asked(plane)).line, line);
    });
  }

  test("a document from elsewhere cannot name this machine, its network or a cloud's metadata", async () => {
    await using other = await startApi();
    for (const address of [
      other.url,
      "http://192.168.7.7/",
      "http://169.254.169.254/latest",
      "http://[::1]:9/",
    ]) {
      const message = await errorOf({ openapi: place(small({ servers: [{ url: address }] })) });
      assert.match(message, /leads to a \w+ address, which may not be named here/, address);
    }
    assert.equal(other.seen.length, 0);
    const servers = [{ url: other.url }];
    const allowed = { security: { egress: { allow: [other.host] } } };
    assert.doesNotMatch(
      await errorOf({ openapi: place(small({ servers })) }, allowed),
      /may not be named/,
    );
    assert.equal(other.seen.length, 1);
    assert.match(
      await errorOf({ openapi: "http://169.254.169.254/openapi.json" }),
      /metadata address/,
    );
  });

  test("an API that wants credentials says so to a first use, and a doctor knows before", async () => {
    api.routes.set("GET /ping", (_, response) => void response.writeHead(401).end("who are you?"));
    const openapi = place(small(scheme({ type: "http", scheme: "bearer" })));
    await using plane = await open({ openapi });
    const { outcome } = await asked(plane);
    api.routes.delete("GET /ping");
    const said = outcome.result?.content.map(({ text }) => text).join(" ");
    assert.match(
      said ?? "",
      /HTTP 401 Unauthorized: who are you\? No credentials are configured .* knows: s\./,
    );
    const checks = async (entry: Entry) => {
      await using examined = await open(entry);
      return JSON.stringify(await examined.doctor());
    };
    assert.match(await checks({ openapi }), /The document knows s\. None is configured/);
    assert.match(
      await checks({ openapi, auth: { schemes: { t: "v-12345" } } }),
      /no security scheme t/,
    );
    const inside = place(small({ servers: [{ url: "http://192.168.7.7/" }] }));
    assert.match(await checks({ openapi: inside }), /private address, which may not be named here/);
  });

  test("redirects to another host are not followed, by the document nor by calls", async () => {
    await using other = await startApi();
    const away = { location: `${other.url}/x` };
    api.routes.set(
      "GET /documents/away",
      (_, response) => void response.writeHead(302, away).end(),
    );
    assert.match(
      await errorOf({ openapi: `${api.url}/documents/away` }),
      /redirects to .*; set 'openapi' to that/,
    );
    api.routes.set("GET /ping", (_, response) => void response.writeHead(307, away).end());
    const message = await errorOf({
      openapi: place(small()),
      headers: { authorization: "Bearer h-secret" },
    });
    api.routes.delete("GET /ping");
    assert.match(message, /redirects to .*; set 'baseUrl' to that/);
    assert.equal(other.seen.length, 0);
  });

  const strangers: [title: string, document: string, message: RegExp][] = [
    ["no document at all", "<html>hello</html>", /is not an object|cannot be read/],
    ["JSON of something else", '{"a":1}', /neither 'openapi' nor 'swagger'/],
    ["broken JSON", '{"openapi":', /cannot be read: it is not valid JSON/],
    ["an unknown version", '{"openapi":"4.0.0","paths":{}}', /version 4\.0\.0; known are/],
    ["no paths", '{"openapi":"3.0.0"}', /has no 'paths'/],
    [
      "nesting without end",
      `{"openapi":"3.0.0","paths":{"/a":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}}`,
      /nested deeper/,
    ],
    ["aliases of aliases", aliasBomb(), /alias/i],
  ];
  for (const [title, document, message] of strangers) {
    test(`${title} is reported with the reason`, async () => {
      assert.match(await errorOf({ openapi: place(document), connectTimeoutMs: 20_000 }), message);
    });
  }

  test("a changed document is taken with the next refresh", async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "api.json");
    const write = (more: object) =>
      writeFile(file, JSON.stringify(small({ servers: [{ url: api.url }], ...more })));
    await write({});
    const address = place(small());
    await using plane = await createPlane({
      config: { mcpServers: { local: { openapi: file }, remote: { openapi: address } } },
    });
    const names = async () => (await plane.tools.list()).map(({ name }) => name).sort();
    assert.deepEqual(await names(), ["local.ping", "remote.ping"]);
    const changed = { paths: { "/ping": ping, "/pong/{id}": ping } };
    await write(changed);
    api.serve(`/${count}`, small(changed));
    await plane.servers.refresh();
    assert.deepEqual(await names(), ["local.ping", "local.ping_2", "remote.ping", "remote.ping_2"]);
  });

  test("policy, approvals and the record hold for operations as for any tool", async () => {
    await using plane = await open(
      { openapi: place(githubLike(api.url)) },
      { policy: { rules: [{ tool: "small.repos_delete", verdict: "deny", reason: "never" }] } },
    );
    const { outcome, seen } = await asked(plane, "small.repos_delete", { owner: "a", repo: "b" });
    assert.deepEqual([outcome.error?.code, seen.length], ["APPROVAL_DENIED", 0]);
    await plane.call("small.meta_public");
    const calls = await plane.calls.list();
    assert.deepEqual(calls.map(({ tool }) => tool).sort(), [
      "small.meta_public",
      "small.repos_delete",
    ]);
  });

  test("without a network the known tools are listed, and nothing is asked", async () => {
    await using directory = await temporaryDirectory();
    const config = { mcpServers: { small: { openapi: place(small()) } } };
    const dataDirectory = directory.path;
    await using online = await createPlane({ config, dataDirectory });
    await online.tools.list();
    await online.stop();
    await using offline = await createPlane({ config, dataDirectory, offline: true });
    assert.deepEqual(
      (await offline.tools.list()).map(({ name }) => name),
      ["small.ping"],
    );
    assert.equal((await asked(offline)).seen.length, 0);
  });

  for (const era of ["legacy", "modern"] as const) {
    test(`a ${era} MCP client lists and calls operations, and finds what their schemas refer to`, async () => {
      await using directory = await temporaryDirectory();
      const openapi = place(petstore2(api.host));
      const config = await writeConfig(
        directory,
        { pets: { openapi } },
        { lazy: { mode: "never" } },
      );
      await using serving = await startServe(config, directory.path);
      const client = await EraClient.open(`${serving.url}/mcp`, era);
      const { tools } = (await client.request("tools/list")) as {
        tools: Record<string, JsonObject>[];
      };
      assert.ok(tools.length >= 7);
      for (const { outputSchema } of tools) {
        if (outputSchema === undefined) continue;
        if (era === "legacy") assert.equal(outputSchema.type, "object");
        const text = JSON.stringify(outputSchema);
        for (const [, name = ""] of text.matchAll(/"#\/\$defs\/(\w+)"/g))
          assert.ok(name in ((outputSchema.$defs ?? {}) as JsonObject), text);
      }
      api.routes.set("GET /v2/pet/findByStatus", (_, response) => {
        response.setHeader("content-type", "application/json").end('[{"name":"Rex"}]');
      });
      const name = String(tools.find((one) => String(one.name).endsWith("findPetsByStatus"))?.name);
      const { structuredContent } = await client.request("tools/call", {
        name,
        arguments: { status: ["sold"] },
      });
      assert.deepEqual(
        structuredContent,
        era === "legacy" ? { result: [{ name: "Rex" }] } : [{ name: "Rex" }],
      );
    });
  }

  describe("on the command line", () => {
    test("it is validated, shown, examined and called", async () => {
      await using directory = await temporaryDirectory();
      const env = { XDG_CONFIG_HOME: directory.path, KEY: "cli-secret-1" };
      const config = join(directory.path, "own.json");
      await writeFile(join(directory.path, "api.json"), JSON.stringify(petstore2(api.host)));
      const entry = { openapi: "api.json", auth: { schemes: { api_key: "${KEY}" } } };
      await writeFile(config, JSON.stringify({ mcpServers: { pets: entry } }));
      const run = (...words: string[]) =>
        runCli(
          [...words, "--config", config, "--data-dir", directory.path, "--standalone", "--json"],
          {
            env,
            cwd: tmpdir(),
          },
        );
      for (const words of [
        ["config", "validate"],
        ["servers", "show", "pets"],
        ["servers", "list"],
        ["doctor", "pets"],
      ]) {
        const { code, stdout, stderr } = await run(...words);
        assert.equal(code, 0, `${words.join(" ")}: ${stdout} ${stderr}`);
        assert.ok(!stdout.includes("cli-secret-1"), stdout);
      }
      const doctor = await run("doctor", "pets");
      assert.match(doctor.stdout, /It describes Petstore with 7 operations at 127\.0\.0\.1/);
      const called = await run("call", "pets.getPetById", "petId:=5");
      assert.equal(called.code, 0, called.stdout + called.stderr);
      assert.equal(api.seen.at(-1)?.headers.api_key, "cli-secret-1");
    });

    test("mistakes are reported with their place", async () => {
      await using directory = await temporaryDirectory();
      const env = { XDG_CONFIG_HOME: directory.path };
      const config = join(directory.path, "own.json");
      const mistakes: [entry: object, message: RegExp][] = [
        [{ openapi: "a.json", url: "https://x.example" }, /'openapi' and 'url' are both given/],
        [{ openapi: "a.json", baseUrl: "ftp://x" }, /baseUrl/],
        [{ openapi: "a.json", operations: { tag: ["x"] } }, /tags/],
        [{ transport: "openapi" }, /openapi needs 'openapi'/],
        [{ openapi: "ftp://x/a.json" }, /'openapi' is neither a file nor an address/],
        [{ openapi: "https://" }, /'openapi' is neither a file nor an address/],
      ];
      for (const [entry, message] of mistakes) {
        await writeFile(config, JSON.stringify({ mcpServers: { pets: entry } }));
        const { stdout, stderr } = await runCli(
          ["config", "validate", "--config", config, "--data-dir", directory.path],
          { env, cwd: directory.path },
        );
        assert.match(stdout + stderr, message);
      }
      await writeFile(
        config,
        JSON.stringify({ mcpServers: { pets: { openapi: "missing.json" } } }),
      );
      const { stdout } = await runCli(
        ["doctor", "--config", config, "--data-dir", directory.path, "--standalone"],
        {
          env,
          cwd: directory.path,
        },
      );
      assert.match(stdout, /the file of its OpenAPI document was not found/);
      assert.ok(!stdout.includes(directory.path));
    });

    test("one that a project's file names waits for trust", async () => {
      await using directory = await temporaryDirectory();
      const env = { XDG_CONFIG_HOME: directory.path };
      const data = ["--data-dir", join(directory.path, "data")];
      const openapi = place(small());
      await writeFile(
        join(directory.path, "toolplane.json"),
        JSON.stringify({ mcpServers: { small: { openapi } } }),
      );
      const options = { env, cwd: directory.path };
      const call = () => runCli(["call", "small.ping", "--standalone", "--json", ...data], options);
      const before = api.seen.length;
      assert.notEqual((await call()).code, 0);
      assert.equal(api.seen.length, before);
      const shown = await runCli(["trust", "--json", ...data], options);
      assert.ok((shown.stdout + shown.stderr).includes(openapi), shown.stdout + shown.stderr);
      await trustProject(options, ...data);
      const { code, stdout, stderr } = await call();
      assert.equal(code, 0, stdout + stderr);
    });
  });
});

/** Nine anchors, each of nine of the last. */
function aliasBomb(): string {
  const lines = ["openapi: 3.0.0", "paths: {}", "x0: &x0 [a]"];
  for (let at = 1; at < 9; at += 1)
    lines.push(
      `x${at}: &x${at} [${Array(9)
        .fill(`*x${at - 1}`)
        .join(", ")}]`,
    );
  return lines.join("\n");
}
