import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ServerInput } from "../../src/index.ts";
import { type RunningGateway, startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { readSse } from "../fixtures/read-sse.ts";
import type { JsonObject, Message } from "../fixtures/servers/support/messages.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { eventually } from "./approving.ts";
import { fixture } from "./support.ts";

let postgres: RunningPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres[Symbol.asyncDispose]());

type Place = { path: string; file(name: string): string };

const stores = {
  "one file": (directory: Place) => ({ dataDirectory: directory.path }),
  Postgres: (directory: Place, store: string, name: string) => ({
    dataDirectory: directory.file(name),
    store,
  }),
};

async function startPlanes(
  directory: Place,
  where: keyof typeof stores,
  servers: Record<string, ServerInput>,
) {
  const address = postgres.address();
  const start = (name: string) =>
    startGateway(servers, { plane: stores[where](directory, address, name) });
  return { left: await start("left"), right: await start("right"), start };
}

/** A request of the client's session to another plane. */
function ask({ url }: RunningGateway, client: EraClient, method: string, params: JsonObject = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: `${method} there`, method, params });
  return fetch(url, { method: "POST", headers: client.headersFor(), body });
}

/** An answer, or a stream that ends with it because there was something else to say. */
async function answerOf(response: Response): Promise<JsonObject | undefined> {
  if (response.headers.get("content-type") === "application/json")
    return ((await response.json()) as { result?: JsonObject }).result;
  let answer: Message | undefined;
  await readSse(response, (message) => {
    if (message.method === undefined) answer = message;
  });
  return answer?.result as JsonObject | undefined;
}

for (const where of ["one file", "Postgres"] as const) {
  test(`a session goes on with another plane on ${where}, and ends on all of them`, async () => {
    await using directory = await temporaryDirectory();
    const { left, right } = await startPlanes(directory, where, { one: fixture("echo") });
    await using _left = left;
    await using _right = right;
    const client = await EraClient.open(left.url, "legacy", { version: "2025-06-18" });
    const params = { name: "one__echo", arguments: { message: "hi" } };
    assert.match(
      JSON.stringify(await answerOf(await ask(right, client, "tools/call", params))),
      /hi/,
    );
    assert.deepEqual([left.gateway.sessions(), right.gateway.sessions()], [1, 1]);
    const batch = { method: "POST", headers: client.headersFor(), body: "[]" };
    assert.equal((await fetch(right.url, batch)).status, 400);

    const ended = await fetch(right.url, { method: "DELETE", headers: client.headersFor() });
    assert.equal(ended.status, 204);
    assert.equal((await ask(right, client, "ping")).status, 404);
    // A file sends no notification; there it is noticed within a minute.
    if (where === "one file") return;
    await until("the other plane has heard of it", () => left.gateway.sessions() === 0);
    assert.equal((await ask(left, client, "ping")).status, 404);
  });
}

test("a session goes on when its plane is started again", async () => {
  await using directory = await temporaryDirectory();
  const start = () =>
    startGateway({ one: fixture("echo") }, { plane: { dataDirectory: directory.path } });
  const first = await start();
  const client = await EraClient.open(first.url, "legacy");
  await first[Symbol.asyncDispose]();
  await using second = await start();
  assert.equal((await ask(second, client, "tools/list")).status, 200);
  assert.equal(second.gateway.sessions(), 1);
});

test("no one goes on with a session that is not theirs, or that never was", async () => {
  await using directory = await temporaryDirectory();
  const { left, right } = await startPlanes(directory, "one file", {});
  await using _left = left;
  await using _right = right;
  const keyOf = async (user: string) => {
    const { secret } = await left.plane.keys.create({ name: user, user, scopes: ["call"] });
    return { authorization: `Bearer ${secret}` };
  };
  const ann = await keyOf("ann");
  const bob = await keyOf("bob");
  const client = await EraClient.open(left.url, "legacy", { headers: ann });
  const own = client.headersFor();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const statusOf = async (headers: Record<string, string>) =>
    (await fetch(right.url, { method: "POST", headers, body })).status;
  const id = own["mcp-session-id"] as string;
  const tampered = id.startsWith("0") ? `1${id.slice(1)}` : `0${id.slice(1)}`;
  assert.equal(await statusOf({ ...own, ...bob }), 404);
  assert.equal(await statusOf({ ...own, "mcp-session-id": tampered }), 404);
  assert.equal(await statusOf({ ...own, "mcp-session-id": "session:x' OR 1=1" }), 404);
  assert.equal(right.gateway.sessions(), 0);
  assert.equal(await statusOf(own), 200);
  assert.equal(await statusOf({ ...own, ...bob }), 404);
});

test("what a client subscribed to on one plane it hears of on the stream of another", async () => {
  await using directory = await temporaryDirectory();
  const { left, right } = await startPlanes(directory, "Postgres", { notes: fixture("resources") });
  await using _left = left;
  await using _right = right;
  const client = await EraClient.open(left.url, "legacy");
  assert.deepEqual(await client.request("resources/subscribe", { uri: "fx://watched" }), {});
  const leaving = new AbortController();
  const heard: unknown[] = [];
  // Where it listened before, it got something with this id.
  const headers = { ...client.headersFor(), "last-event-id": "0-7-elsewhere" };
  const stream = await fetch(right.url, { headers, signal: leaving.signal });
  assert.equal(stream.status, 200);
  const reading = readSse(stream, ({ method, params }) => {
    if (method === "notifications/resources/updated") heard.push(params?.uri);
  }).catch(() => undefined);
  await eventually("the change is reported", async () => {
    await ask(right, client, "tools/call", {
      name: "notes__touch",
      arguments: { uri: "fx://watched" },
    });
    return heard.includes("fx://watched") || undefined;
  });
  leaving.abort();
  await reading;
});

test("an answer reaches the plane that has asked, whichever gets it", async () => {
  await using directory = await temporaryDirectory();
  const { left, right } = await startPlanes(directory, "Postgres", { far: fixture("conformance") });
  await using _left = left;
  await using _right = right;
  const client = await EraClient.open(left.url, "legacy", { capabilities: { elicitation: {} } });
  const params = {
    name: "far__test_input_required_result_elicitation",
    arguments: { message: "who?" },
  };
  const response = await client.post({ jsonrpc: "2.0", id: 50, method: "tools/call", params });
  if (response.headers.get("content-type") !== "text/event-stream")
    assert.fail(await response.text());
  const answers: Message[] = [];
  await readSse(response, (message) => {
    if (message.method === undefined) return void answers.push(message);
    if (message.method !== "elicitation/create") return;
    const content = { name: "ann@example.org" };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: message.id,
      result: { action: "accept", content },
    });
    void fetch(right.url, { method: "POST", headers: client.headersFor(), body });
  });
  assert.match(JSON.stringify(answers), /ann@example\.org/);
});
