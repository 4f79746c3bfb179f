import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { startCatcher } from "../fixtures/catcher.ts";
import { startApi } from "../fixtures/openapi-server.ts";
import { errorOf } from "./support.ts";

const ok = { responses: { 200: { description: "ok" } } };
const parameter = (name: string, more: object = {}) => ({ name, in: "query", schema: {}, ...more });
const document = (operation: object, more: object = {}, path = "/x") => ({
  openapi: "3.1.0",
  info: { title: "x", version: "1" },
  paths: { [path]: { post: { operationId: "send", ...operation, ...ok } } },
  ...more,
});
const filter = parameter("filter", { schema: { type: "object" }, style: "form", explode: true });
const form = (properties: object, encoding: object) => ({
  requestBody: {
    required: true,
    content: {
      "application/x-www-form-urlencoded": { schema: { type: "object", properties }, encoding },
    },
  },
});
const keyScheme = (place: string, name: string) => ({
  security: [{ k: [] }],
  components: { securitySchemes: { k: { type: "apiKey", in: place, name } } },
});

type Case = { what: string; document: object; fixed?: string; args: JsonObject };

/** Each would set what an overlay fixes, or what only the plane sets. */
const smuggled: Case[] = [
  ...["tenant", "Tenant", "tenant[]", "tenant[0]", " tenant", "tenant "].map(
    (name): Case => ({
      what: `the part '${name}' of an object`,
      document: document({ parameters: [filter, parameter("tenant")] }),
      fixed: "tenant",
      args: { filter: { a: "1", [name]: "other" } },
    }),
  ),
  {
    what: "a part of an object that is a credential",
    document: document({ parameters: [filter] }, keyScheme("query", "api_key")),
    args: { filter: { api_key: "mine" } },
  },
  {
    what: "a part of a nested object",
    document: document({
      parameters: [{ ...filter, style: "deepObject" }, parameter("filter[tenant]")],
    }),
    fixed: "filter_tenant",
    args: { filter: { tenant: "other" } },
  },
  {
    what: "a part of an object in a cookie",
    document: document({
      parameters: [{ ...filter, in: "cookie" }, parameter("tenant", { in: "cookie" })],
    }),
    fixed: "tenant",
    args: { filter: { tenant: "other" } },
  },
  {
    what: "a part of an object in a path",
    document: document(
      {
        parameters: [
          { ...filter, in: "path", required: true, style: "matrix" },
          parameter("tenant", { in: "path", required: true, style: "matrix" }),
        ],
      },
      {},
      "/x{filter}{tenant}",
    ),
    fixed: "tenant",
    args: { filter: { tenant: "other" } },
  },
  {
    what: "a part of an object in a form",
    document: document(
      form(
        { filter: { type: "object", additionalProperties: {} }, tenant: { type: "string" } },
        { filter: { style: "form", explode: true } },
      ),
    ),
    fixed: "tenant",
    args: { filter: { tenant: "other" } },
  },
];

for (const { what, document: described, fixed, args } of smuggled)
  test(`${what} does not set another parameter`, async () => {
    await using api = await startApi();
    const entry = { openapi: api.serve("/d", described), auth: { token: "t0ken" } };
    const overlay =
      fixed === undefined ? {} : { "small.send": { arguments: [{ name: fixed, fixed: "acme" }] } };
    await using plane = await createPlane({
      config: { mcpServers: { small: entry }, overlays: overlay },
    });
    const outcome = await plane.call("small.send", args);
    const text = JSON.stringify(outcome.result?.content ?? outcome);
    assert.match(text, /it is a parameter of its own\. Nothing was sent/, text);
    assert.deepEqual(api.seen, []);
  });

test("an object keeps its own parts, and the fixed parameter arrives once", async () => {
  await using api = await startApi();
  const entry = {
    openapi: api.serve("/d", document({ parameters: [filter, parameter("tenant")] })),
  };
  const overlays = { "small.send": { arguments: [{ name: "tenant", fixed: "acme" }] } };
  await using plane = await createPlane({ config: { mcpServers: { small: entry }, overlays } });
  await plane.call("small.send", { filter: { a: "1", filter: "2" } });
  assert.equal(api.seen[0]?.line, "POST /x?a=1&filter=2&tenant=acme");
});

test("a value of a cookie or a query is one value, whatever the document allows in it", async () => {
  await using api = await startApi();
  const reserved = { allowReserved: true, schema: { type: "string" } };
  const parameters = [parameter("c", { in: "cookie", ...reserved }), parameter("q", reserved)];
  const entry = {
    openapi: api.serve("/d", document({ parameters }, keyScheme("cookie", "sid"))),
    auth: { token: "t" },
  };
  await using plane = await createPlane({ config: { mcpServers: { small: entry } } });
  const value: Json = "v;admin=1,sid=x&tenant=other";
  await plane.call("small.send", { c: value, q: value });
  const [{ line, headers } = assert.fail("nothing arrived")] = api.seen;
  assert.equal(headers.cookie, "c=v%3Badmin%3D1%2Csid%3Dx%26tenant%3Dother; sid=t");
  assert.equal(line, "POST /x?q=v%3Badmin=1,sid=x%26tenant=other");
});

test("credentials do not go to another origin that a document names, for the API or for one operation", async () => {
  await using elsewhere = await startCatcher({ host: "localhost" });
  const there = [{ url: elsewhere.url }];
  const documents = {
    api: document({}, { servers: there }),
    operation: document({ servers: there }),
    variables: document(
      {},
      { servers: [{ url: "{where}", variables: { where: { default: elsewhere.url } } }] },
    ),
  };
  const credentials = {
    header: { headers: { "X-Key": "t0ken-of-mine" } },
    token: { auth: { token: "t0ken-of-mine" } },
    scheme: { auth: { schemes: { k: "t0ken-of-mine" } } },
  };
  for (const [named, described] of Object.entries(documents)) {
    const files = { "/d.json": JSON.stringify({ ...described, ...keyScheme("header", "X-Key") }) };
    await using host = await startCatcher({ host: "localhost", files });
    const openapi = `${host.url}/d.json`;
    for (const [kind, credential] of Object.entries(credentials)) {
      await using plane = await createPlane({
        config: { mcpServers: { small: { openapi, ...credential } } },
      });
      const outcome = await plane.call("small.send");
      assert.match(
        errorOf(outcome).message,
        /credentials go there only if you say so\. Set 'baseUrl'/,
        `${named} ${kind}`,
      );
    }
    assert.equal(elsewhere.text().includes("t0ken-of-mine"), false);
    await using plain = await createPlane({ config: { mcpServers: { small: { openapi } } } });
    const before = elsewhere.caught.length;
    await plain.call("small.send");
    assert.equal(elsewhere.caught.length, before + 1, "without credentials it may be named");
    const own = { openapi, baseUrl: elsewhere.url, ...credentials.header };
    await using said = await createPlane({ config: { mcpServers: { small: own } } });
    await said.call("small.send");
    assert.equal(elsewhere.caught.at(-1)?.headers["x-key"], "t0ken-of-mine", "a person may say so");
    elsewhere.caught.length = 0;
  }
});

test("an address inside that a document names is not asked for a token either", async () => {
  await using inside = await startCatcher();
  const flows = { clientCredentials: { tokenUrl: `${inside.url}/token`, scopes: {} } };
  const described = document(
    {},
    {
      servers: [{ url: inside.url }],
      security: [{ o: [] }],
      components: { securitySchemes: { o: { type: "oauth2", flows } } },
    },
  );
  await using host = await startCatcher({ files: { "/d.json": JSON.stringify(described) } });
  const auth = {
    type: "oauth" as const,
    grant: "client_credentials" as const,
    clientId: "me",
    clientSecret: "s3cret",
  };
  const entry = { openapi: `${host.url}/d.json`, auth };
  await using plane = await createPlane({ config: { mcpServers: { small: entry } } });
  const outcome = await plane.call("small.send");
  assert.equal(outcome.ok, false);
  assert.deepEqual(inside.caught, []);
});
