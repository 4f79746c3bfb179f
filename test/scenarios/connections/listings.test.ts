import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { createPlane, type Plane } from "../../../src/index.ts";
import { startGateway } from "../../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../../fixtures/era-client.ts";
import type { JsonObject } from "../../fixtures/servers/support/messages.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson } from "../requests.ts";
import { fixture, planeOf, runCli, textsOf, writeConfig } from "../support.ts";
import { countIn, startsIn } from "./parts.ts";

type Lists = Record<string, JsonObject[] | string[]>;
type Options = Partial<Parameters<typeof createPlane>[0]>;

const anything = { type: "object", properties: {}, additionalProperties: true };
const listsWith = (name: string): Lists => ({
  tools: [{ name: "use", description: "Uses it.", inputSchema: anything }].concat(
    name === "first" ? [] : [{ name, description: `The tool ${name}.`, inputSchema: anything }],
  ),
  prompts: [{ name, arguments: [{ name: "who" }] }],
  resources: [{ uri: `fx://${name}`, name }],
  resourceTemplates: [{ uriTemplate: `fx://${name}/{id}`, name }],
});

/** A server whose lists are in a file, and what it was asked. */
async function offering(directory: TemporaryDirectory, lists: Lists, args: string[] = []) {
  const file = directory.file("lists.json");
  const log = directory.file("log");
  const says = (next: Lists) => writeFile(file, JSON.stringify(next));
  await says(lists);
  const servers = { s: fixture("offering", ["--lists", file, "--log", log, ...args]) };
  const dataDirectory = directory.file("data");
  const config = await writeConfig(directory, servers);
  return {
    says,
    servers,
    dataDirectory,
    asked: (method: string) => countIn(log, method),
    starts: () => startsIn(log).length,
    open: (options: Options = {}) => createPlane({ config, dataDirectory, ...options }),
    gateway: () => startGateway({}, { plane: { config, dataDirectory } }),
    cli: (...words: string[]) =>
      runCli([...words, "--json", "--config", config, "--data-dir", dataDirectory]),
  };
}

/** The four lists: how the library and a client ask for them, and what has the name of an item. */
const kinds = [
  { method: "tools/list", key: "tools", noticed: "tools", field: "name" },
  { method: "prompts/list", key: "prompts", noticed: "prompts", field: "name" },
  { method: "resources/list", key: "resources", noticed: "resources", field: "uri" },
  {
    method: "resources/templates/list",
    key: "resourceTemplates",
    noticed: "resources",
    field: "uriTemplate",
  },
] as const;
type Kind = (typeof kinds)[number];

const listOf = async (plane: Plane, { key }: Kind) =>
  JSON.stringify(
    await (key === "resourceTemplates" ? plane.resources.templates() : plane[key].list()),
  );
const namesIn = (result: JsonObject, { key, field }: Kind) =>
  (result[key] as JsonObject[])
    .map((item) => String(item[field]))
    .filter((name) => name !== "read_result");
/** Prompts and resources are asked for without anybody waiting. */
const allKnown = async (plane: Plane) =>
  until("all lists", async () =>
    Object.values((await plane.servers.get("s")).offers).every((n) => n !== null),
  );

/** What needs a server, and what it answers. */
const uses: { method: string; params: JsonObject; expected: RegExp }[] = [
  { method: "tools/call", params: { name: "s__use", arguments: {} }, expected: /called use/ },
  { method: "prompts/get", params: { name: "s__first" }, expected: /prompt first/ },
  { method: "prompts/get", params: { name: "first" }, expected: /prompt first/ },
  { method: "resources/read", params: { uri: "fx://first" }, expected: /resource fx:\/\/first/ },
  {
    method: "resources/read",
    params: { uri: "fx://first/7" },
    expected: /resource fx:\/\/first\/7/,
  },
  { method: "resources/subscribe", params: { uri: "fx://first" }, expected: /^{}$/ },
  {
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: "s__first" }, argument: { name: "who", value: "" } },
    expected: /for who/,
  },
  {
    method: "completion/complete",
    params: {
      ref: { type: "ref/resource", uri: "fx://first/{id}" },
      argument: { name: "id", value: "" },
    },
    expected: /for id/,
  },
];

suite("what servers list is kept, waited for and listed again", { concurrency: 3 }, () => {
  test("where nothing is known of a server, a first list of any kind waits for it", async () => {
    await using directory = await temporaryDirectory();
    const { gateway } = await offering(directory, listsWith("first"), ["--delay", "1500"]);
    await using running = await gateway();
    const client = await EraClient.open(running.url, "legacy");
    const listed = await Promise.all(
      kinds.map(async (kind) => namesIn(await client.request(kind.method), kind)),
    );
    assert.deepEqual(listed, [["s__use"], ["s__first"], ["fx://first"], ["fx://first/{id}"]]);
  });

  test("whatever needs a server that was never started starts it and waits for it", async () => {
    await using directory = await temporaryDirectory();
    const { gateway, starts } = await offering(directory, listsWith("first"), ["--delay", "1500"]);
    await using running = await gateway();
    const client = await EraClient.open(running.url, "legacy");
    const answers = await Promise.all(
      uses.map(({ method, params }) => client.request(method, params)),
    );
    for (const [at, { method, expected }] of uses.entries())
      assert.match(JSON.stringify(answers[at]), expected, method);
    assert.equal(starts(), 1);
  });

  test("what is kept is listed without starting anything, on a cold gateway and offline, until it is used", async () => {
    await using directory = await temporaryDirectory();
    const { open, gateway, cli, starts } = await offering(directory, listsWith("first"));
    {
      await using plane = await open();
      await plane.tools.list();
      await allKnown(plane);
    }
    for (const noun of ["prompts", "resources"] as const) {
      const { code, stdout } = await cli(noun, "list", "--offline");
      assert.equal(code, 0);
      assert.match(stdout, /first/, noun);
    }
    {
      await using offline = await open({ offline: true });
      for (const kind of kinds) assert.match(await listOf(offline, kind), /first|use/, kind.method);
    }
    await using running = await gateway();
    const client = await EraClient.open(running.url, "legacy");
    for (const kind of kinds)
      assert.equal(namesIn(await client.request(kind.method), kind).length, 1);
    const api = running.url.replace(/\/mcp$/, "");
    assert.equal(((await getJson(`${api}/prompts`)).body.prompts as unknown[]).length, 1);
    const { resources, resourceTemplates } = (await getJson(`${api}/resources`)).body;
    assert.deepEqual(
      [resources, resourceTemplates].map((list) => (list as unknown[]).length),
      [1, 1],
    );
    assert.equal(starts(), 1, "nothing was started for what is kept");
    const { offers } = await running.plane.servers.get("s");
    assert.deepEqual(offers, { prompts: 1, resources: 1, resourceTemplates: 1 });
    for (const { method, params, expected } of uses)
      assert.match(JSON.stringify(await client.request(method, params)), expected, method);
    assert.equal(starts(), 2);
  });

  test("a listing that an earlier version kept without prompts and resources is completed", async () => {
    await using directory = await temporaryDirectory();
    const { open, starts, dataDirectory } = await offering(directory, listsWith("first"));
    {
      await using plane = await open();
      await plane.tools.list();
      await allKnown(plane);
    }
    const store = new DatabaseSync(`${dataDirectory}/toolplane.db`);
    store.exec("UPDATE known_servers SET body = json_remove(body, '$.offers')");
    store.close();
    {
      await using plane = await open();
      await plane.tools.list();
      assert.equal(starts(), 1, "its tools are known");
      assert.equal((await plane.prompts.list()).length, 1);
      assert.equal(starts(), 2);
      await allKnown(plane);
    }
    await using plane = await open();
    assert.equal((await plane.resources.templates()).length, 1);
    assert.equal(starts(), 2);
  });

  for (const kind of kinds)
    test(`a storm of notices about ${kind.noticed} is a few listings by ${kind.method}, and then it is known`, async () => {
      await using directory = await temporaryDirectory();
      const { open, says, asked } = await offering(directory, listsWith("first"));
      await using plane = await open();
      await plane.tools.list();
      await allKnown(plane);
      await says(listsWith("second"));
      const before = asked(kind.method);
      await plane.call("s.use", { announce: kind.noticed, repeat: 300 });
      await until("the new list", async () => /second/.test(await listOf(plane, kind)));
      // Notices that come while a list is asked for are one more listing, however slowly they come.
      assert.ok(asked(kind.method) - before <= 30, `${asked(kind.method) - before} listings`);
    });

  test("that prompts and resources changed is passed on once the new list is there", async () => {
    await using directory = await temporaryDirectory();
    const { gateway, says } = await offering(directory, listsWith("first"));
    await using running = await gateway();
    const client = await EraClient.open(running.url, "legacy");
    await client.request("prompts/list");
    const said: string[] = [];
    running.plane.servers.onMessage(({ method }) => said.push(method));
    await says(listsWith("second"));
    for (const announce of ["prompts", "resources"])
      await running.plane.call("s.use", { announce });
    await until("both notices", () => new Set(said).size === 2);
    const [, prompts] = kinds;
    assert.deepEqual(namesIn(await client.request("prompts/list"), prompts), ["s__second"]);
  });

  test("a server without prompts and resources is not asked for them, whatever is done", async () => {
    await using directory = await temporaryDirectory();
    const { tools = [] } = listsWith("first");
    const { open, asked } = await offering(directory, { tools });
    await using plane = await open();
    for (const kind of kinds) await listOf(plane, kind);
    await plane.servers.refresh("s");
    await plane.servers.disconnect("s");
    await plane.servers.connect("s");
    assert.deepEqual(
      kinds.map(({ method }) => asked(method)),
      [3, 0, 0, 0],
    );
    assert.deepEqual((await plane.servers.get("s")).offers, {
      prompts: 0,
      resources: 0,
      resourceTemplates: 0,
    });
  });

  test("a refresh, and a server that was disconnected and connected, list everything again", async () => {
    await using directory = await temporaryDirectory();
    const { open, says } = await offering(directory, listsWith("first"));
    await using plane = await open();
    await plane.tools.list();
    await allKnown(plane);
    await says(listsWith("second"));
    await plane.servers.refresh("s");
    for (const kind of kinds) assert.match(await listOf(plane, kind), /second/, kind.method);
    await plane.servers.disconnect("s");
    await says(listsWith("third"));
    for (const kind of kinds)
      assert.match(await listOf(plane, kind), /second/, "what is known stays");
    await plane.servers.connect("s");
    for (const kind of kinds) assert.match(await listOf(plane, kind), /third/, kind.method);
  });

  test("a server that waits until it is named is not started to list what others offer", async () => {
    await using directory = await temporaryDirectory();
    const { servers, starts } = await offering(directory, listsWith("first"));
    await using plane = await planeOf({ s: { ...servers.s, autoConnect: false } });
    for (const kind of kinds) assert.equal(await listOf(plane, kind), "[]", kind.method);
    assert.equal(starts(), 0);
    assert.equal((await plane.prompts.list("s")).length, 1);
  });

  test("what a server offers beside its tools stays when it cannot be listed again", async () => {
    await using directory = await temporaryDirectory();
    const { open, says } = await offering(directory, listsWith("first"));
    await using plane = await open();
    await plane.tools.list();
    await allKnown(plane);
    await says({ ...listsWith("second"), fail: kinds.map(({ method }) => method) });
    await plane.call("s.use", { announce: "prompts" });
    await until("the failure", async () =>
      (await plane.servers.logs("s")).some(({ text }) =>
        /listing its prompts failed: no list today/.test(text),
      ),
    );
    assert.match(await listOf(plane, kinds[1]), /first/);
    assert.deepEqual(textsOf(await plane.call("s.use")).length, 1);
  });
});
