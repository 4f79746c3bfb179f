import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Answerer, type Era, EraClient } from "../fixtures/era-client.ts";
import { readSse } from "../fixtures/read-sse.ts";
import type { JsonObject, Message } from "../fixtures/servers/support/messages.ts";
import { startHttpFixture, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { startGateway as startStdioGateway } from "./gateway-client.ts";
import { fixture, processFixture, writeConfig } from "./support.ts";

const eras: readonly Era[] = ["legacy", "modern"];
const sheets = "com.example/sheets";
const ui = "io.modelcontextprotocol/ui";
const mine = { [sheets]: { by: "client" } };
const answer: Answerer = (method) => ({ answered: method });

const server = (era: Era, declared = sheets, more: object = {}) =>
  fixture("extended", ["--declare", declared], { protocol: era, ...more });

type Told = { extensions: JsonObject; meta: string[]; heard: { params: JsonObject }[] };

async function told(client: EraClient, name: string, meta: JsonObject = {}): Promise<Told> {
  return (await client.call(name, {}, meta)).structuredContent as Told;
}

for (const clientEra of eras)
  for (const serverEra of eras) {
    const pair = `a ${clientEra} client and a ${serverEra} server`;

    test(`${pair} that share an extension have its capabilities, methods, questions and kinds of results`, async () => {
      await using gateway = await startGateway({
        far: server(serverEra),
        other: server(serverEra, ""),
      });
      // What a server of the older era declares is known once it was asked.
      await gateway.plane.tools.list();
      const open = (extensions: JsonObject) =>
        EraClient.open(gateway.url, clientEra, { capabilities: { extensions }, answer });
      const client = await open(mine);
      await client.request("tools/list");
      const meta = { "io.modelcontextprotocol/far": 1, "com.example/own": 2 };
      const { extensions } = await told(client, "far__who", meta);
      assert.deepEqual(extensions[sheets], mine[sheets]);
      const others = (await told(client, "other__who")).extensions;
      assert.equal(Object.hasOwn(others, sheets), false);
      assert.ok(
        !(await told(client, "far__who", meta)).meta.includes("io.modelcontextprotocol/far"),
      );
      assert.ok((await told(client, "far__who", meta)).meta.includes("com.example/own"));

      const listed = await client.request("sheets/list", { of: "me" });
      assert.deepEqual(listed.sheets, [sheets, "me"]);
      const { given } = (await client.call("far__pick")).structuredContent as { given: JsonObject };
      assert.deepEqual(given, { answered: "sheets/pick" });
      const { resultType, sheet, content } = await client.call("far__sheet");
      assert.deepEqual([resultType, sheet, content], ["sheet", [1, 2], undefined]);
    });

    test(`${pair}: what only one of them declares is left out`, async () => {
      await using gateway = await startGateway({
        far: server(serverEra),
        other: server(serverEra, "com.example/none"),
      });
      const client = await EraClient.open(gateway.url, clientEra, { answer });
      const { reply } = await client.exchange("sheets/list", {});
      assert.equal(reply.error?.code, -32601);
      assert.deepEqual(
        Object.keys((await told(client, "far__who")).extensions).filter((name) => name !== ui),
        [],
      );
      const asked = await client.exchange("tools/call", { name: "far__pick", arguments: {} });
      assert.deepEqual(client.asked, [], JSON.stringify(asked.reply));
      const sheet = await client.exchange("tools/call", { name: "far__sheet", arguments: {} });
      assert.match(JSON.stringify(sheet.reply), /of a kind we do not know/);
      const foreign = await EraClient.open(gateway.url, clientEra, {
        capabilities: { extensions: { "com.example/mine": {} } },
      });
      assert.equal((await foreign.exchange("sheets/list", {})).reply.error?.code, -32601);
    });
  }

for (const era of eras) {
  test(`a ${era} client hears of extensions that it shares with a server, and of no others`, async () => {
    await using gateway = await startGateway({
      far: server("legacy", `${sheets},com.example/secret`),
    });
    const plain = await EraClient.open(gateway.url, era);
    await plain.request("tools/list");
    const hello = async (extensions: JsonObject) => {
      const client = await EraClient.open(gateway.url, era, { capabilities: { extensions } });
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: { extensions },
        clientInfo: { name: "t", version: "1" },
      };
      const opened = await (era === "modern"
        ? client.request("server/discover")
        : (await EraClient.open(gateway.url, era)).request("initialize", params));
      return (opened.capabilities as { extensions?: JsonObject }).extensions;
    };
    assert.deepEqual(await hello({ ...mine, "com.example/mine": {} }), {
      [sheets]: { by: "server" },
    });
    assert.equal(await hello({}), undefined);
    assert.deepEqual(await hello({ [ui]: { mimeTypes: ["text/html;profile=mcp-app"] } }), {
      [ui]: {},
    });
    const tasks = { "io.modelcontextprotocol/tasks": {} };
    assert.equal(await hello(tasks), undefined, "tasks are run by the plane");
  });

  test(`a notification of an extension reaches a ${era} client that shares it, and a server that does`, async () => {
    await using gateway = await startGateway({
      far: server("legacy"),
      other: server("legacy", "com.example/none"),
    });
    const capabilities = { extensions: mine };
    const client = await EraClient.open(gateway.url, era, { capabilities });
    const plain = await EraClient.open(gateway.url, era);
    await client.request("tools/list");
    const [heard, missed] = await Promise.all([
      follow(gateway.url, client, era, capabilities),
      follow(gateway.url, plain, era, {}),
    ]);
    await until(
      "both listen",
      () => era === "legacy" || (heard.all.length > 0 && missed.all.length > 0),
    );
    await client.call("other__tell");
    await client.call("far__tell");
    const changed = ({ method }: Message) => method === "notifications/sheets/changed";
    await until("it came", () => heard.all.some(changed));
    assert.deepEqual(
      heard.all.filter(changed).map(({ params }) => params?.sheet),
      ["a"],
    );
    assert.deepEqual(missed.all.filter(changed), []);
    heard.leave();
    missed.leave();

    const meta = era === "legacy" ? {} : { _meta: envelope(capabilities) };
    const open = {
      jsonrpc: "2.0",
      method: "notifications/sheets/open",
      params: { sheet: `of ${era}`, ...meta },
    } as const;
    await client.post(open);
    const arrived = async (name: string) =>
      (await told(client, name)).heard.filter(({ params }) => params.sheet === `of ${era}`).length;
    await until("the server has it", async () => (await arrived("far__who")) > 0);
    assert.equal(await arrived("far__who"), 1, "only the server that shares it");
  });

  test(`extensions pass over HTTP to a ${era} server`, async () => {
    await using remote = await startHttpFixture("extended", ["--declare", sheets, "--http", era]);
    await using gateway = await startGateway({ far: { url: remote.url, protocol: era } });
    const client = await EraClient.open(gateway.url, "modern", {
      capabilities: { extensions: mine },
      answer,
    });
    await client.request("tools/list");
    assert.deepEqual((await told(client, "far__who")).extensions[sheets], { by: "client" });
    assert.deepEqual((await client.request("sheets/list")).sheets, [sheets, null]);
  });
}

function envelope(capabilities: JsonObject): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
}

/** What comes on the stream for changes. */
async function follow(url: string, client: EraClient, era: Era, capabilities: JsonObject) {
  const left = new AbortController();
  const message = {
    jsonrpc: "2.0",
    id: "news",
    method: "subscriptions/listen",
    params: { notifications: { toolsListChanged: true }, _meta: envelope(capabilities) },
  } as const;
  const headers = client.headersFor(era === "modern" ? message : undefined);
  const response = await fetch(url, {
    headers,
    signal: left.signal,
    ...(era === "modern" ? { method: "POST", body: JSON.stringify(message) } : { method: "GET" }),
  });
  const all: Message[] = [];
  void readSse(response, (one) => all.push(one)).catch(() => undefined);
  return { all, leave: () => left.abort() };
}

test("a server of the older era that runs already is opened beside for a client with a new extension", async () => {
  await using gateway = await startGateway({ far: server("legacy") });
  const first = await EraClient.open(gateway.url, "modern");
  assert.deepEqual(Object.keys((await told(first, "far__who")).extensions), [ui]);
  const second = await EraClient.open(gateway.url, "modern", {
    capabilities: { extensions: mine },
  });
  assert.deepEqual((await told(second, "far__who")).extensions[sheets], { by: "client" });
  assert.deepEqual(
    Object.keys((await told(first, "far__who")).extensions),
    [ui],
    "the first session stays as it is",
  );
});

test("a method of an extension goes along the path: rules hold for it, and it is on record", async () => {
  const policy = { rules: [{ tool: "far.extensions/sheets/list", verdict: "deny" as const }] };
  await using gateway = await startGateway({ far: server("modern") }, { plane: {} });
  const options = { capabilities: { extensions: mine } };
  const client = await EraClient.open(gateway.url, "modern", options);
  await client.request("tools/list");
  await client.request("sheets/list");
  const calls = await gateway.plane.calls.list({ limit: 100 });
  const made = calls.find(({ tool }) => tool === "far.extensions/sheets/list");
  assert.equal(made?.kind, "extension");
  await using ruled = await startGateway(
    {},
    { plane: { config: { mcpServers: { far: server("modern") }, policy } } },
  );
  const other = await EraClient.open(ruled.url, "modern", options);
  await other.request("tools/list");
  const { reply } = await other.exchange("sheets/list", {});
  assert.match(JSON.stringify(reply.error), /APPROVAL_DENIED/);
});

test("what is no declaration, and methods of the protocol itself, pass by no extension", async () => {
  await using gateway = await startGateway({
    far: server("modern", `${sheets},com.example/tools`),
  });
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`com.example/n${at}`, {}]),
  );
  const hostile = {
    ...mine,
    "com.example/tools": {},
    __proto__x: {},
    "no slash": {},
    "com.example/big": { text: "x".repeat(9_000) },
    ...many,
  };
  const client = await EraClient.open(gateway.url, "modern", {
    capabilities: { extensions: hostile },
  });
  await client.request("tools/list");
  const { extensions } = await told(client, "far__who");
  assert.deepEqual(Object.keys(extensions).sort(), [sheets, "com.example/tools"].sort());
  for (const method of [
    "tools/Call",
    "TOOLS/call",
    "resources/read/../x",
    "server/x",
    "prompts/other",
    `sheets/${"x".repeat(300)}`,
  ])
    assert.equal(
      (await client.exchange(method, { name: "who" })).reply.error?.code,
      -32601,
      method,
    );
});

test("extensions pass over standard input and output", async () => {
  await using directory = await temporaryDirectory();
  const file = await writeConfig(directory, {
    far: processFixture("extended", ["--declare", sheets]),
  });
  const place = ["--config", file, "--standalone"];
  await using gateway = await startStdioGateway(place, { extensions: mine }, () => ({
    answered: true,
  }));
  await gateway.begin("tools/list", {}).answer;
  const { result } = await gateway.begin("sheets/list", {}).answer;
  assert.deepEqual(result?.sheets, [sheets, null]);
  await gateway.call("far__tell", {});
  await gateway.until(() =>
    gateway.told.find(({ method }) => method === "notifications/sheets/changed"),
  );
});
