import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { readSse } from "../fixtures/read-sse.ts";
import { type Message, objectAt } from "../fixtures/servers/support/messages.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "./support.ts";

const idKey = "io.modelcontextprotocol/subscriptionId";

/** Keeps a `subscriptions/listen` open and collects what comes. */
async function listen(client: EraClient, url: string, notifications: object) {
  const left = new AbortController();
  const params = {
    notifications,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const message = { jsonrpc: "2.0", id: "news", method: "subscriptions/listen", params } as const;
  const response = await fetch(url, {
    method: "POST",
    headers: client.headersFor(message),
    body: JSON.stringify(message),
    signal: left.signal,
  });
  const heard: Message[] = [];
  const ended = readSse(response, (one) => heard.push(one)).catch(() => undefined);
  return { heard, ended, leave: () => left.abort() };
}

test("a client that listens gets what it named, first of all what was agreed to", async () => {
  await using gateway = await startGateway({
    far: fixture("conformance"),
    notes: fixture("resources"),
  });
  const client = await EraClient.open(gateway.url, "modern");
  await client.request("resources/list");
  const { heard, ended, leave } = await listen(client, gateway.url, {
    promptsListChanged: true,
    resourceSubscriptions: ["fx://watched"],
  });
  await until("the acknowledgement came", () => heard.length > 0);
  assert.equal(heard[0]?.method, "notifications/subscriptions/acknowledged");
  assert.deepEqual(heard[0].params?.notifications, {
    promptsListChanged: true,
    resourceSubscriptions: ["fx://watched"],
  });
  await client.call("far__test_trigger_tool_change");
  await client.call("far__test_trigger_prompt_change");
  await client.call("notes__touch", { uri: "fx://readme" });
  await client.call("notes__touch", { uri: "fx://watched" });
  await until("both were notified", () => heard.length >= 3);
  assert.deepEqual(
    heard
      .slice(1)
      .map(({ method }) => method)
      .sort(),
    ["notifications/prompts/list_changed", "notifications/resources/updated"],
  );
  for (const { params } of heard) assert.equal(objectAt(params, "_meta")[idKey], "news");
  leave();
  await ended;
});

test("a client that listens learns in good order that the plane stops", async () => {
  const gateway = await startGateway({});
  const client = await EraClient.open(gateway.url, "modern");
  const { heard, ended } = await listen(client, gateway.url, { toolsListChanged: true });
  await until("the acknowledgement came", () => heard.length > 0);
  await gateway[Symbol.asyncDispose]();
  await ended;
  assert.equal(heard.at(-1)?.id, "news");
  assert.ok(heard.at(-1)?.result);
});

test("log messages reach anyone who made the server log them, and no one else", async () => {
  await using gateway = await startGateway({
    far: fixture("conformance", [], { protocol: "legacy" }),
  });
  const open = async (level: string) => {
    const client = await EraClient.open(gateway.url, "legacy");
    await client.request("logging/setLevel", { level });
    return client;
  };
  const talkative = await open("debug");
  const quiet = await open("error");
  const logsOf = async (client: EraClient, tool: string) => {
    const { notifications } = await client.exchange("tools/call", {
      name: `far__${tool}`,
      arguments: {},
    });
    return notifications.filter(({ method }) => method === "notifications/message").length;
  };
  assert.equal(await logsOf(talkative, "test_tool_with_logging"), 3);
  assert.equal(await logsOf(quiet, "test_tool_with_logging"), 0);
  assert.equal(await logsOf(talkative, "test_simple_text"), 0);
});

test("a request of the later revision gets log messages only when it says how serious they must be", async () => {
  await using gateway = await startGateway({
    far: fixture("conformance", [], { protocol: "modern" }),
  });
  for (const [logLevel, count] of [
    ["debug", 1],
    ["error", 0],
    [undefined, 0],
  ] as const) {
    const client = await EraClient.open(
      gateway.url,
      "modern",
      logLevel === undefined ? {} : { logLevel },
    );
    const params = { name: "far__test_logging_tool", arguments: {} };
    const { notifications } = await client.exchange("tools/call", params);
    assert.equal(notifications.length, count, String(logLevel));
  }
});

test("a person is asked by their own client for a yes, also in the later revision", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startGateway(
    {},
    {
      plane: {
        dataDirectory: directory.path,
        config: {
          mcpServers: {
            one: fixture("echo"),
            far: fixture("conformance", [], { protocol: "modern" }),
          },
          policy: { rules: [{ server: "*", verdict: "ask", reason: "everything is asked about" }] },
        },
      },
    },
  );
  const asked: string[] = [];
  const client = await EraClient.open(gateway.url, "modern", {
    headers: gateway.proof,
    capabilities: { elicitation: { form: {} } },
    answer(_method, { message }) {
      asked.push(String(message));
      const isApproval = /May '/.test(String(message));
      return { action: "accept", content: isApproval ? { decision: "approve" } : { name: "Ann" } };
    },
  });
  const said = await client.call("one__echo", { message: "approved" });
  assert.match(JSON.stringify(said.content), /approved/);
  assert.equal(asked.length, 1);
  const both = await client.call("far__test_input_required_result_elicitation");
  assert.match(JSON.stringify(both.structuredContent), /Ann/);
  // Once for the yes and once for the server; the second round is the same call.
  assert.equal(asked.length, 3);
});
