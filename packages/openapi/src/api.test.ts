import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { isObject, type JsonObject } from "@toolplane/core/model/json";
import { ServerDefinition } from "@toolplane/core/model/servers/server";
import { generated } from "@toolplane/test/fixtures/openapi-documents";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { loadApi } from "./api.ts";

async function toolsOf(document: object) {
  await using directory = await temporaryDirectory();
  const openapi = directory.file("api.json");
  await writeFile(openapi, JSON.stringify(document));
  const definition = ServerDefinition.parse({
    openapi,
    transport: "openapi",
    baseUrl: "http://h.example",
  });
  return (await loadApi(definition))?.api.tools ?? assert.fail("not read");
}

const api = (paths: object, more: object = {}) => ({ openapi: "3.1.0", info: {}, paths, ...more });
const operation = (more: object) => ({ responses: {}, ...more });

/** Objects and values, each as often as it is written. */
function sizeOf(value: unknown): number {
  return typeof value !== "object" || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
}

/** As many operations as the schema that all of them share has properties. */
function shared(count: number, where: "body" | "parameters" | "enum" | "default"): object {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const object = {
    type: "object",
    properties: Object.fromEntries(numbers.map((number) => [`p${number}`, { type: "string" }])),
  };
  const value = { type: "string", enum: numbers.map((number) => `v${number}`) };
  const schemas = {
    body: object,
    enum: value,
    default: { type: "string", default: "x".repeat(5 * count) },
    parameters: object,
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Shared" } } };
  const query = [{ in: "query", name: "q", schema: { $ref: "#/components/schemas/Shared" } }];
  const parts = {
    body: { requestBody: { content }, responses: { 200: { content } } },
    enum: { parameters: query },
    default: { parameters: query },
    parameters: {},
  };
  const path =
    where === "parameters"
      ? { $ref: "#/components/pathItems/Shared" }
      : { post: operation(parts[where]) };
  const parameters = numbers.map((number) => ({ in: "query", name: `q${number}`, schema: {} }));
  return api(Object.fromEntries(numbers.map((number) => [`/p${number}`, path])), {
    components: {
      schemas: { Shared: schemas[where] },
      pathItems: { Shared: { parameters, post: operation({}) } },
    },
  });
}

test("a document whose operations share too many parameters is refused with the remedy", async () => {
  await assert.rejects(toolsOf(shared(800, "parameters")), /250,000 parameters.*'operations'/);
});

for (const where of ["body", "enum", "default"] as const)
  test(`what many operations share is not written out in each: ${where}`, async () => {
    const small = JSON.stringify(await toolsOf(shared(200, where))).length;
    const large = JSON.stringify(await toolsOf(shared(800, where))).length;
    assert.ok(large / small < 5, `${small} characters, then ${large}`);
  });

test("what is listed grows with the document, however its schemas refer to each other", async () => {
  const small = 200;
  const large = 1_600;
  const sizes = await Promise.all(
    [small, large].map(async (count) => sizeOf(await toolsOf(generated(count, "http://h")))),
  );
  const [few = 0, many = 0] = sizes;
  assert.ok(many / few < large / small, `${few} values, then ${many}`);
});

test("references that double with every step are neither expanded nor lost", async () => {
  const schemas: Record<string, object> = {};
  const to = (at: number) => ({ $ref: `#/components/schemas/B${at}` });
  for (let at = 0; at < 200; at += 1)
    schemas[`B${at}`] = {
      allOf: [to(at + 1), to(at + 1)],
      properties: { [`p${at}`]: to(at + 1), q: to((at * 7) % 200) },
    };
  const content = { "application/json": { schema: to(0) } };
  const post = operation({
    operationId: "bomb",
    requestBody: { content },
    responses: { 200: { content } },
  });
  const [tool] = await toolsOf(api({ "/b": { post } }, { components: { schemas } }));
  assert.ok(sizeOf(tool) < 10_000, String(sizeOf(tool)));
});

const circles: [title: string, schemas: JsonObject][] = [
  ["itself", { A: { $ref: "#/components/schemas/A" } }],
  ["each other", { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } }],
  ["nothing", { A: { $ref: "#/components/schemas/None" } }],
  ["another file", { A: { $ref: "other.yaml#/A" } }],
  ["a prototype", { A: { $ref: "#/components/schemas/__proto__" } }],
];
for (const [title, schemas] of circles) {
  test(`a reference to ${title} allows any value`, async () => {
    const schema = { type: "object", properties: { a: { $ref: "#/components/schemas/A" } } };
    const post = operation({ requestBody: { content: { "application/json": { schema } } } });
    const [tool] = await toolsOf(api({ "/a": { post } }, { components: { schemas } }));
    assert.deepEqual(tool?.inputSchema.properties, { a: {} });
  });
}

test("names are legal, stable and no two are the same", async () => {
  const get = (operationId?: string) => ({
    get: operation(operationId === undefined ? {} : { operationId }),
  });
  const tools = await toolsOf(
    api({
      "/a": get("list/things!"),
      "/b": get("list things"),
      "/c": get("list_things_2"),
      "/users/{id}/keys": get(),
      "/d": get("ü".repeat(90)),
      "/e": get("x".repeat(90)),
      "/f": get("x".repeat(91)),
      "/": get(),
    }),
  );
  const names = tools.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.deepEqual(names.slice(0, 4), [
    "list_things",
    "list_things_2",
    "list_things_2_2",
    "get_users_by_id_keys",
  ]);
});

test("arguments have names that model providers accept, and none stands for two", async () => {
  const query = (name: string) => ({ name, in: "query", schema: { type: "string" } });
  const parameters = [
    query("filter[name]"),
    query("$top"),
    { ...query("id"), in: "header" },
    query("id"),
    query("X-Y"),
  ];
  const [tool] = await toolsOf(api({ "/a": { get: operation({ parameters }) } }));
  const names = Object.keys(
    isObject(tool?.inputSchema.properties) ? tool.inputSchema.properties : {},
  );
  assert.deepEqual(names, ["filter_name", "top", "id", "query_id", "X-Y"]);
});

test("malformed parts cost only themselves", async () => {
  const tools = await toolsOf(
    api({
      "/good": { get: operation({ operationId: "good" }) },
      "/odd": {
        get: {
          operationId: "odd",
          parameters: [
            null,
            7,
            { in: "query" },
            { name: "x", in: "nowhere" },
            { name: "ok", in: "query", schema: { type: "any", pattern: "(" } },
          ],
          responses: "none",
          tags: "t",
          security: "s",
        },
        post: "no",
      },
      "no-slash": { get: operation({}) },
      "/null": null,
    }),
  );
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["good", "odd"],
  );
  assert.deepEqual(tools[1]?.inputSchema.properties, { ok: {} });
});
