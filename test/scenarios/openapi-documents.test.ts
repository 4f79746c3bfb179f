import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createPlane, type Outcome, type Plane } from "../../src/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import {
  generated,
  githubLike,
  kubernetesLike,
  petstore2,
  petstore3,
  stripeLike,
} from "../fixtures/openapi-documents.ts";
import { type ApiServer, type Seen, startApi } from "../fixtures/openapi-server.ts";

function structured({ result, error }: Outcome): JsonObject {
  assert.ok(result, error?.message);
  return result.structuredContent as JsonObject;
}

describe("five documents against a real server", () => {
  let api: ApiServer;
  let plane: Plane;
  before(async () => {
    api = await startApi();
    plane = await createPlane({
      config: {
        mcpServers: {
          pets2: {
            openapi: api.serve("/pets2.json", petstore2(api.host)),
            auth: { token: "pet-secret-1" },
          },
          pets3: { openapi: api.serve("/pets3.yaml", petstore3.replace("HOST", api.host)) },
          hub: {
            openapi: api.serve("/hub.json", githubLike(api.url)),
            auth: { token: "hub-secret-1" },
            retry: { attempts: 2, delayMs: 1 },
          },
          pay: {
            openapi: api.serve("/pay.json", stripeLike(api.url)),
            auth: { type: "basic", token: "sk_live_12345678" },
          },
          cluster: { openapi: api.serve("/cluster.json", kubernetesLike(api.url)) },
        },
      },
    });
    await plane.tools.list();
  });
  after(async () => {
    await plane.stop();
    await api[Symbol.asyncDispose]();
  });

  const tool = async (name: string) => plane.tools.get(name);
  async function sent(name: string, args: JsonObject = {}): Promise<Seen> {
    const before = api.seen.length;
    const { ok, error, result } = await plane.call(name, args);
    assert.ok(ok, error?.message ?? JSON.stringify(result));
    assert.equal(api.seen.length, before + 1);
    return api.seen.at(-1) as Seen;
  }

  test("operations of all five are tools of one catalogue", async () => {
    const names = (await plane.tools.list()).map(({ name }) => name);
    for (const name of [
      "pets2.addPet",
      "pets2.get_store_inventory",
      "pets3.get_pets",
      "pets3.pets_create_one",
      "hub.issues_list-for-repo",
      "pay.PostCharges",
      "cluster.createCoreV1NamespacedPod",
    ])
      assert.ok(names.includes(name), `${name} in ${names.join()}`);
    for (const status of await plane.servers.list()) {
      assert.deepEqual(
        [status.state, status.transport, status.rejected],
        ["connected", "openapi", []],
        status.name,
      );
    }
  });

  test("methods say what an operation does", async () => {
    const hints = async (name: string) => {
      const { annotations, metadata } = await tool(name);
      return [annotations.readOnlyHint, annotations.destructiveHint, metadata.side_effects];
    };
    assert.deepEqual(await hints("hub.issues_list-for-repo"), [
      true,
      false,
      "read_external_service",
    ]);
    assert.deepEqual(await hints("pets3.headPhoto"), [true, false, "read_external_service"]);
    assert.deepEqual(await hints("hub.issues_create"), [false, false, "write"]);
    assert.deepEqual(await hints("hub.repos_delete"), [false, true, "write"]);
  });

  test("a body without ambiguity is flat, without what only the API sets", async () => {
    const { parameters } = await tool("pets2.addPet");
    assert.deepEqual(parameters, {
      type: "object",
      properties: {
        name: { type: "string", examples: ["doggie"] },
        status: { type: "string", enum: ["available", "sold"], default: "available" },
        owner: { type: ["string", "null"] },
      },
      required: ["name"],
      additionalProperties: false,
    });
    const { line, headers, body } = await sent("pets2.addPet", { name: "Rex", owner: null });
    assert.deepEqual([line, headers["content-type"]], ["POST /v2/pet", "application/json"]);
    assert.deepEqual(JSON.parse(body.toString()), { name: "Rex", owner: null });
  });

  test("a name that means two things keeps the body whole", async () => {
    const { parameters } = await tool("hub.issues_create");
    assert.deepEqual(parameters.required, ["owner", "repo", "body"]);
    const { line, body } = await sent("hub.issues_create", {
      owner: "a",
      repo: "b c",
      body: { title: "x", owner: "z" },
    });
    assert.equal(line, "POST /repos/a/b%20c/issues");
    assert.deepEqual(JSON.parse(body.toString()), { title: "x", owner: "z" });
  });

  test("an API key goes into its header and is no argument", async () => {
    const { parameters } = await tool("pets2.deletePet");
    assert.deepEqual(Object.keys(parameters.properties ?? {}), ["petId"]);
    const { line, headers } = await sent("pets2.deletePet", { petId: 7 });
    assert.deepEqual(
      [line, headers.api_key, headers.authorization],
      ["DELETE /v2/pet/7", "pet-secret-1", undefined],
    );
  });

  test("lists are repeated, or joined as the document says", async () => {
    const { line } = await sent("pets2.findPetsByStatus", { status: ["available", "sold"] });
    assert.equal(line, "GET /v2/pet/findByStatus?status=available&status=sold");
    const { line: joined } = await sent("hub.issues_list-for-repo", {
      owner: "o",
      repo: "r",
      labels: ["a b", "c"],
    });
    assert.equal(joined, "GET /repos/o/r/issues?labels=a%20b,c");
  });

  test("queries, headers and cookies have their styles", async () => {
    const given = {
      limit: 5,
      filter: { kind: "c&d" },
      ids: [1, 2],
      "X-Trace": "t1",
      session: "s 1",
    };
    const { line, headers } = await sent("pets3.get_pets", given);
    assert.equal(line, "GET /v3/pets?limit=5&filter[kind]=c%26d&ids=1%7C2");
    assert.deepEqual([headers["x-trace"], headers.cookie], ["t1", "session=s%201"]);
  });

  test("schemas of 3.0 become 2020-12", async () => {
    const { properties, required, $defs } = (await tool("pets3.pets_create_one"))
      .parameters as JsonObject;
    assert.deepEqual(properties, {
      name: { type: ["string", "null"] },
      weight: { type: ["number", "null"], exclusiveMinimum: 0 },
      kind: { oneOf: [{ type: "string", enum: ["cat"] }, { $ref: "#/$defs/Kind" }] },
    });
    assert.deepEqual(required, ["name"]);
    assert.deepEqual($defs, {
      Kind: { type: "object", properties: { genus: { type: "string" } } },
    });
    const { limit } = (await tool("pets3.get_pets")).parameters.properties as Record<
      string,
      JsonObject
    >;
    assert.deepEqual(limit, { type: "integer", exclusiveMinimum: 0 });
  });

  test("arguments are checked before anything is sent", async () => {
    const before = api.seen.length;
    for (const args of [{ limit: 0 }, { limit: "many" }, { ids: ["x"] }]) {
      const { error } = await plane.call("pets3.get_pets", args);
      assert.equal(error?.code, "INVALID_ARGUMENTS");
    }
    assert.equal(api.seen.length, before);
  });

  test("forms are written as forms, nested values with brackets", async () => {
    const { line, headers, body } = await sent("pay.PostCharges", {
      amount: 100,
      expand: ["customer"],
      metadata: { order: "a&b" },
      items: [{ price: "p1" }],
    });
    assert.deepEqual(
      [line, headers["content-type"]],
      ["POST /v1/charges", "application/x-www-form-urlencoded"],
    );
    assert.equal(
      body.toString(),
      "amount=100&expand[0]=customer&metadata[order]=a%26b&items[0][price]=p1",
    );
    assert.equal(
      headers.authorization,
      `Basic ${Buffer.from("sk_live_12345678:").toString("base64")}`,
    );
    const form = await sent("pets2.updatePetWithForm", { petId: 1, name: "a b" });
    assert.equal(form.body.toString(), "name=a%20b");
  });

  test("a choice at the top of a body stays a choice", async () => {
    const { parameters } = await tool("pay.PostSources");
    const { body } = parameters.properties as Record<string, JsonObject>;
    assert.deepEqual(body?.anyOf, [{ type: "object" }, { type: "string" }]);
  });

  test("files travel as base64 and arrive as bytes", async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    const { headers, body } = await sent("pets2.uploadFile", {
      petId: 3,
      note: "n",
      file: bytes.toString("base64"),
    });
    const [, boundary] =
      /^multipart\/form-data; boundary=(.+)$/.exec(headers["content-type"] ?? "") ?? [];
    const form = await new Response(body, {
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    }).formData();
    assert.equal(form.get("note"), "n");
    assert.deepEqual(Buffer.from(await (form.get("file") as File).arrayBuffer()), bytes);
    const put = await sent("pets3.putPhoto", { petId: "p", body: bytes.toString("base64") });
    assert.deepEqual([put.headers["content-type"], put.body], ["application/octet-stream", bytes]);
    const { result } = await plane.call("pets3.putPhoto", { petId: "p", body: "not base64!" });
    assert.match(String(result?.content[0]?.text), /'body' must be bytes in base64/);
    assert.equal(result?.isError, true);
  });

  test("answers that are no text come as image or resource", async () => {
    api.routes.set("GET /v3/pets/p/photo", (_, response) => {
      response.setHeader("content-type", "image/png").end(Buffer.from("png"));
    });
    api.routes.set("GET /repos/o/r/tarball", (_, response) => {
      response.setHeader("content-type", "application/x-gzip").end(Buffer.from([31, 139, 0]));
    });
    const photo = await plane.call("pets3.getPhoto", { petId: "p" });
    assert.deepEqual(photo.result?.content, [
      { type: "image", mimeType: "image/png", data: "cG5n" },
    ]);
    const tarball = await plane.call("hub.repos_download-tarball", { owner: "o", repo: "r" });
    const resource = {
      uri: `${api.url}/repos/o/r/tarball`,
      mimeType: "application/x-gzip",
      blob: "H4sA",
    };
    assert.deepEqual(tarball.result?.content, [{ type: "resource", resource }]);
    const head = await plane.call("pets3.headPhoto", { petId: "p" });
    assert.equal(structured(head).status, 200);
  });

  test("cycles end in definitions, and each is checked as deep as it goes", async () => {
    const { parameters, outputSchema } = await tool("cluster.createCoreV1NamespacedPod");
    const { $defs, properties } = parameters as { $defs: JsonObject; properties: JsonObject };
    assert.deepEqual(
      Object.keys($defs).sort(),
      ["Container", "Meta", "Pod", "PodSpec"].concat("Named").sort(),
    );
    assert.deepEqual(Object.keys(properties), [
      "namespace",
      "dryRun",
      "kind",
      "spec",
      "owner",
      "metadata",
    ]);
    assert.equal(outputSchema?.type, "object");
    const container = (name: unknown) => ({
      name: "c",
      sidecar: { of: { metadata: {}, spec: { containers: [{ name }] } } },
    });
    const args = {
      namespace: "n",
      metadata: { name: "p" },
      spec: { containers: [container("deep")] },
    };
    const { body } = await sent("cluster.createCoreV1NamespacedPod", args as JsonObject);
    assert.deepEqual(JSON.parse(body.toString()), {
      metadata: { name: "p" },
      spec: { containers: [container("deep")] },
    });
    const wrong = { ...args, spec: { containers: [container(7)] } };
    const { error } = await plane.call("cluster.createCoreV1NamespacedPod", wrong as JsonObject);
    assert.equal(error?.code, "INVALID_ARGUMENTS");
  });

  test("paging is reported, and a link to the next page becomes its arguments", async () => {
    const { description } = await tool("hub.issues_list-for-repo");
    assert.match(description, /another one with 'page'; 'per_page' sets how many/);
    assert.match((await tool("pay.GetCharges")).description, /'starting_after'; 'limit' sets/);
    api.routes.set("GET /repos/o/paged/issues", (_, response) => {
      const link = `<${api.url}/repos/o/paged/issues?page=3>; rel="next", <${api.url}/x?page=9>; rel="last"`;
      response.writeHead(200, { "content-type": "application/json", link }).end("[]");
    });
    const { result } = await plane.call("hub.issues_list-for-repo", {
      owner: "o",
      repo: "paged",
      page: 2,
    });
    assert.deepEqual(
      [result?.structuredContent, result?._meta],
      [[], { "toolplane/nextPage": { page: 3 } }],
    );
  });

  test("a refusal of the API is the tool's error, with status and body", async () => {
    for (const status of [400, 404, 422, 500]) {
      const outcome = await plane.call("hub.meta_status", { code: status });
      const { ok, result } = outcome;
      const { status: said, body } = structured(outcome) as { status: number; body: JsonObject };
      assert.deepEqual(
        [ok, result?.isError, said, body.line],
        [false, true, status, `GET /status/${status}`],
      );
      assert.match(String(result?.content[0]?.text), new RegExp(`^HTTP ${status} [A-Z]`));
    }
    const before = api.seen.length;
    const gone = await plane.call("hub.meta_status", { code: 503 });
    assert.equal(api.seen.length - before, 2, "a read is tried again");
    assert.equal(gone.error?.code, "SERVER_UNAVAILABLE");
    assert.match(gone.error?.message ?? "", /HTTP 503: \{"line":"GET \/status\/503"/);
  });

  test("credentials go to what asks for them, and no error repeats them", async () => {
    assert.equal(
      (await sent("hub.meta_status", { code: 200 })).headers.authorization,
      "Bearer hub-secret-1",
    );
    assert.equal((await sent("hub.meta_public")).headers.authorization, undefined);
    api.routes.set("GET /repos/o/echo/issues", (request, response) => {
      response
        .writeHead(403, { "content-type": "application/json" })
        .end(JSON.stringify(request.headers));
    });
    const outcome = await plane.call("hub.issues_list-for-repo", { owner: "o", repo: "echo" });
    assert.equal(outcome.result?.isError, true);
    assert.ok(!JSON.stringify(outcome).includes("hub-secret-1"), JSON.stringify(outcome));
  });

  for (const id of ["..", ".", "%2e%2e"]) {
    test(`an argument '${id}' cannot lead to another operation`, async () => {
      const before = api.seen.length;
      const { result } = await plane.call("pets3.getPhoto", { petId: id });
      if (id.startsWith("%")) assert.equal(api.seen.at(-1)?.line, "GET /v3/pets/%252e%252e/photo");
      else assert.deepEqual([result?.isError, api.seen.length], [true, before]);
    });
  }

  test("a thousand operations are listed and found", async () => {
    await using big = await createPlane({
      config: {
        mcpServers: { shelves: { openapi: api.serve("/big.json", generated(1_000, api.url)) } },
      },
    });
    assert.equal((await big.tools.list()).length, 1_000);
    const { tools } = await big.search({ query: "thing of shelf 777" });
    assert.equal(tools[0]?.name, "shelves.getThing777");
    assert.equal(
      structured(await big.call("shelves.getThing999", { id: "x" })).line,
      "GET /things999/x",
    );
  });
});
