import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { readSse } from "../fixtures/read-sse.ts";
import type { Message } from "../fixtures/servers/support/messages.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, processFixture, untilLogged } from "./support.ts";

const conformance = () => ({ far: fixture("conformance") });

test("a session is over when its client says so", async () => {
  await using gateway = await startGateway({ one: fixture("echo") });
  const client = await EraClient.open(gateway.url, "legacy");
  assert.equal(gateway.gateway.sessions(), 1);
  const headers = client.headersFor();
  assert.equal((await fetch(gateway.url, { method: "DELETE", headers })).status, 204);
  const { status } = await client.exchange("ping");
  assert.equal(status, 404);
  assert.equal(gateway.gateway.sessions(), 0);
});

/** The steady clock of this process, which moves forward when told. It is replaced once: a mock of a mock is never put back. */
function steadyTime(context: TestContext) {
  const now = performance.now.bind(performance);
  let ahead = 0;
  context.mock.method(performance, "now", () => now() + ahead);
  return {
    move(byMs: number): void {
      ahead += byMs;
    },
  };
}

const atMost = (limit: number) => ({
  plane: { config: { mcpServers: {}, quotas: { maxSessionsPerCaller: limit } } },
});

test("clients that share a key do not end each other's sessions: at the limit the new one is refused, with the setting", async () => {
  await using gateway = await startGateway({}, atMost(3));
  const open = () => EraClient.open(gateway.url, "legacy");
  const clients = [await open(), await open(), await open()];
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(open(), /quotas\.maxSessionsPerCaller/);
    for (const client of clients) assert.equal((await client.exchange("ping")).status, 200);
  }
});

test("at the limit a session that its client has left makes room, and one with an open stream does not", async (context) => {
  await using gateway = await startGateway({}, atMost(3));
  const open = () => EraClient.open(gateway.url, "legacy");
  const listening = await open();
  const left = await open();
  const used = await open();
  const leaving = new AbortController();
  const headers = { ...listening.headersFor(), accept: "text/event-stream" };
  assert.equal((await fetch(gateway.url, { headers, signal: leaving.signal })).status, 200);
  steadyTime(context).move(5 * 60_000);
  assert.equal((await used.exchange("ping")).status, 200);
  const fresh = await open();
  assert.equal((await left.exchange("ping")).status, 404);
  for (const client of [listening, used, fresh])
    assert.equal((await client.exchange("ping")).status, 200);
  leaving.abort();
});

test("a thousand sessions that come and go leave nothing, and those that stay are bounded", async (context) => {
  await using gateway = await startGateway({}, atMost(128));
  const open = async () => {
    const client = await EraClient.open(gateway.url, "legacy");
    return client.headersFor();
  };
  for (let round = 0; round < 50; round += 1) {
    const opened = await Promise.all(Array.from({ length: 20 }, open));
    await Promise.all(opened.map((headers) => fetch(gateway.url, { method: "DELETE", headers })));
  }
  assert.equal(gateway.gateway.sessions(), 0);
  const used = await EraClient.open(gateway.url, "legacy");
  const unused = await EraClient.open(gateway.url, "legacy");
  const time = steadyTime(context);
  for (let round = 0; round < 15; round += 1) {
    time.move(120_000);
    await Promise.all(Array.from({ length: 10 }, open));
    assert.equal((await used.exchange("ping")).status, 200);
  }
  assert.equal(gateway.gateway.sessions(), 128);
  assert.equal(
    (await unused.exchange("ping")).status,
    404,
    "the one that was not used for longest went first",
  );
});

test("a session belongs to anyone who opened it", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startGateway(
    { one: fixture("echo") },
    { plane: { dataDirectory: directory.path } },
  );
  const { plane } = gateway;
  const [ann, bob] = await Promise.all(
    ["ann", "bob"].map(async (user) => {
      const { secret } = await plane.keys.create({ name: user, user, scopes: ["call"] });
      return { authorization: `Bearer ${secret}` };
    }),
  );
  const client = await EraClient.open(gateway.url, "legacy", {
    headers: ann as Record<string, string>,
  });
  const stolen = { ...client.headersFor(), ...bob };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  assert.equal((await fetch(gateway.url, { method: "POST", headers: stolen, body })).status, 404);
  assert.equal((await client.exchange("tools/list")).status, 200);
});

test("a batch is taken from clients of the revision that has batches, and from no other", async () => {
  await using gateway = await startGateway({ one: fixture("echo") });
  const batch: Message[] = [
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "one__echo", arguments: { message: "hi" } },
    },
  ];
  const older = await EraClient.open(gateway.url, "legacy", { version: "2025-03-26" });
  const answers: Message[] = [];
  const response = await older.post(batch);
  // A server that says something meanwhile makes a stream of it.
  if (response.headers.get("content-type")?.startsWith("text/event-stream"))
    await readSse(response, (message) => answers.push(message));
  else answers.push(...((await response.json()) as Message[]));
  const ids = answers.flatMap(({ id, method }) => (method === undefined ? [id] : []));
  assert.deepEqual(ids.sort(), [1, 2]);
  const newer = await EraClient.open(gateway.url, "legacy");
  assert.equal((await newer.post(batch)).status, 400);
});

test("a client hears on its own stream that a list has changed", async () => {
  await using gateway = await startGateway(conformance());
  const client = await EraClient.open(gateway.url, "legacy");
  await client.request("tools/list");
  await client.request("prompts/list");
  const left = new AbortController();
  const heard: Message[] = [];
  const stream = await fetch(gateway.url, { headers: client.headersFor(), signal: left.signal });
  const reading = readSse(stream, (message) => heard.push(message)).catch(() => undefined);
  await client.call("far__test_trigger_tool_change");
  await client.call("far__test_trigger_prompt_change");
  const isTold = (list: string) =>
    heard.some(({ method }) => method === `notifications/${list}/list_changed`);
  await until("both changes were reported", () => isTold("tools") && isTold("prompts"));
  left.abort();
  await reading;
});

test("a stream that broke off goes on where the client says", async () => {
  await using gateway = await startGateway(conformance());
  const client = await EraClient.open(gateway.url, "legacy");
  const left = new AbortController();
  const params = {
    name: "far__test_tool_with_progress",
    arguments: {},
    _meta: { progressToken: 7 },
  };
  const response = await client.post(
    { jsonrpc: "2.0", id: 90, method: "tools/call", params },
    left.signal,
  );
  let last = "";
  await readSse(
    response,
    ({ params }) => {
      // The server may announce something before its first progress.
      if (params?.progress === 0) left.abort();
    },
    (id) => {
      // One chunk may hold more events; they count as lost.
      if (!left.signal.aborted) last = id;
    },
  ).catch(() => undefined);
  const rest: Message[] = [];
  const headers = { ...client.headersFor(), "last-event-id": last };
  await readSse(await fetch(gateway.url, { headers }), (message) => rest.push(message));
  assert.deepEqual(
    rest.flatMap((message) => message.params?.progress ?? []),
    [50, 100],
  );
  assert.equal(rest.at(-1)?.id, 90);
  assert.ok(rest.at(-1)?.result);
});

test("a client hears of the resource it subscribed to and of no other, until it has heard enough", async () => {
  await using gateway = await startGateway({ notes: fixture("resources") });
  const client = await EraClient.open(gateway.url, "legacy");
  const left = new AbortController();
  const heard: unknown[] = [];
  const stream = await fetch(gateway.url, { headers: client.headersFor(), signal: left.signal });
  const reading = readSse(stream, ({ method, params }) => {
    if (method === "notifications/resources/updated") heard.push(params?.uri);
  }).catch(() => undefined);
  const touch = (uri: string) => client.call("notes__touch", { uri });
  assert.deepEqual(await client.request("resources/subscribe", { uri: "fx://watched" }), {});
  await touch("fx://readme");
  await touch("fx://watched");
  await until("the change was reported", () => heard.length > 0);
  assert.deepEqual(await client.request("resources/unsubscribe", { uri: "fx://watched" }), {});
  await touch("fx://watched");
  await client.request("ping");
  assert.deepEqual(heard, ["fx://watched"]);
  left.abort();
  await reading;
});

for (const era of ["legacy", "modern"] as const) {
  test(`a ${era} client that leaves in the middle of a call cancels it behind the gateway`, async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using gateway = await startGateway({ one: fixture("echo", ["--log", log]) });
    const client = await EraClient.open(gateway.url, era);
    const left = new AbortController();
    const call = client
      .exchange(
        "tools/call",
        { name: "one__slow", arguments: { seconds: 60, ms: 60_000 } },
        left.signal,
      )
      .catch(() => "left");
    await untilLogged(log, ({ message }) => message?.method === "tools/call");
    left.abort();
    assert.equal(await call, "left");
    await untilLogged(log, ({ event }) => event === "cancelled");
  });
}

test("sessions go on when a server behind them is started again", async () => {
  await using gateway = await startGateway({ one: processFixture("echo") });
  const client = await EraClient.open(gateway.url, "legacy");
  const pidOf = async () => JSON.stringify((await client.call("one__pid")).content);
  const before = await pidOf();
  await gateway.plane.servers.disconnect("one");
  await gateway.plane.servers.connect("one");
  assert.notEqual(await pidOf(), before);
});
