import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { openPlane, redirectUri, remote } from "../../../test/contracts/signing-in.ts";
import { moveClocks } from "../../../test/samples/mocked-time.ts";

type Answer = (response: ServerResponse) => void;

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));
const hang: Answer = () => undefined;
const granted = (lifetime = 120) =>
  json(200, {
    access_token: "access",
    refresh_token: "refresh",
    token_type: "Bearer",
    expires_in: lifetime,
  });

/** A token endpoint with the answer that the test sets, and a plane with a server that has its tokens from there. */
async function startEndpoint(context: TestContext) {
  const endpoint = { answer: granted(), grants: [] as (string | null)[] };
  const server = createServer(async (request, response) => {
    endpoint.grants.push(new URLSearchParams(await text(request)).get("grant_type"));
    endpoint.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const plane = await openPlane();
  context.after(async () => {
    server.closeAllConnections();
    server.close();
    await plane[Symbol.asyncDispose]();
  });
  const client = { type: "oauth", tokenUrl: `${origin}/token`, clientId: "me" };
  const person = remote(`${origin}/mcp`, { ...client, authorizationUrl: `${origin}/authorize` });
  return {
    origin,
    plane,
    endpoint,
    person,
    own: remote(`${origin}/mcp`, { ...client, clientSecret: "s", grant: "client_credentials" }),
    async signIn(user = "ada") {
      endpoint.answer = granted();
      const begun = await plane.credentials.beginSignIn("remote", person, user, redirectUri);
      const { state } = begun;
      await plane.credentials.finishSignIn(new URLSearchParams({ state, code: "code" }));
      endpoint.grants.length = 0;
    },
    headers: (user = "ada", server = person) => plane.credentials.headers("remote", server, user),
  };
}

/** Deadlines that the test sets off. */
function controlDeadlines(context: TestContext): () => void {
  const deadlines: AbortController[] = [];
  context.mock.method(AbortSignal, "timeout", () => {
    const deadline = new AbortController();
    deadlines.push(deadline);
    return deadline.signal;
  });
  return () => {
    for (const deadline of deadlines) deadline.abort(new DOMException("", "TimeoutError"));
  };
}

/** Both clocks stand; the function moves them. */
function stopClocks(context: TestContext): (ms: number) => void {
  moveClocks(context, Date.now());
  return (ms) => context.mock.timers.tick(ms);
}

async function untilAsked(endpoint: { grants: unknown[] }, count: number): Promise<void> {
  while (endpoint.grants.length < count) await new Promise(setImmediate);
}

test("callers that wait for the same renewal share its failure, which names the endpoint and says that nothing was sent", async (context) => {
  const { origin, endpoint, headers, own } = await startEndpoint(context);
  const expire = controlDeadlines(context);
  endpoint.answer = hang;
  const waiting = Promise.allSettled(Array.from({ length: 20 }, () => headers("ada", own)));
  await untilAsked(endpoint, 1);
  expire();
  for (const outcome of await waiting) {
    assert.equal(outcome.status, "rejected");
    const { name, sent, message, endpoint: trouble } = outcome.reason;
    assert.deepEqual([name, sent, trouble.hangs], ["TransportError", false, true]);
    assert.match(message, new RegExp(`^its access token could not be renewed: ${origin} could`));
    assert.match(message, /no answer within 10 s; it is asked again in 1 s$/);
  }
  await assert.rejects(headers("bob", own), { sent: false, message: /it is asked again in 1 s/ });
  assert.equal(endpoint.grants.length, 1);
});

test("a token endpoint that is down is down for all of its users, and asked less and less often", async (context) => {
  const { endpoint, headers, signIn, plane } = await startEndpoint(context);
  for (const user of ["ada", "bob", "eve"]) await signIn(user);
  plane.later(121_000);
  const move = stopClocks(context);
  endpoint.answer = json(503, {});
  const users = ["ada", "bob", "eve"];
  for (let second = 0; second < 60; second += 1) {
    await Promise.allSettled(users.map((user) => headers(user)));
    move(1_000);
  }
  assert.ok(endpoint.grants.length <= 8, `${endpoint.grants.length} requests in a minute`);
  endpoint.answer = granted();
  move(60_000);
  for (const user of users) assert.equal((await headers(user)).authorization, "Bearer access");
});

test("the time that a token endpoint asks for is kept, for all who wait", async (context) => {
  const { endpoint, headers, own } = await startEndpoint(context);
  const move = stopClocks(context);
  endpoint.answer = json(429, {}, { "retry-after": "5" });
  const later = { name: "TransportError", sent: false, retryAfterMs: 5_000 };
  await assert.rejects(headers("ada", own), later);
  move(4_000);
  endpoint.answer = granted();
  await assert.rejects(headers("ada", own), { ...later, retryAfterMs: 1_000 });
  assert.equal(endpoint.grants.length, 1);
  move(1_000);
  assert.equal((await headers("ada", own)).authorization, "Bearer access");
});

for (const [said, answer] of [
  ["temporarily_unavailable", json(400, { error: "temporarily_unavailable" })],
  ["server_error", json(400, { error: "server_error" })],
  ["slow_down", json(400, { error: "slow_down" })],
  ["invalid_request", json(400, { error: "invalid_request" })],
  ["no OAuth error at all", json(404, {})],
] as const)
  test(`a sign-in outlives a token endpoint that answers ${said}`, async (context) => {
    const { endpoint, headers, signIn, plane } = await startEndpoint(context);
    await signIn();
    plane.later(121_000);
    const move = stopClocks(context);
    endpoint.answer = answer;
    await assert.rejects(headers());
    await assert.rejects(headers());
    assert.equal(endpoint.grants.length, 1, "it is not asked again at once");
    endpoint.answer = granted();
    move(1_000);
    assert.equal((await headers()).authorization, "Bearer access");
  });

test("after invalid_grant errors say when and why the sign-in ended, until the next sign-in", async (context) => {
  const { endpoint, headers, signIn, plane } = await startEndpoint(context);
  await signIn();
  await assert.rejects(headers("bob"), /you have not signed in yet/);
  plane.later(121_000);
  endpoint.answer = json(400, { error: "invalid_grant" });
  const ended = {
    code: "AUTH_REQUIRED",
    message:
      /sign-in ended at \d\d:\d\d UTC: invalid_grant\. Sign in to it with 'toolplane servers/,
  };
  await assert.rejects(headers(), ended);
  await assert.rejects(headers(), ended);
  assert.equal(endpoint.grants.length, 1);
  assert.equal((await plane.credentials.ended("ada")).get("remote")?.code, "invalid_grant");
  await signIn();
  assert.equal((await plane.credentials.ended("ada")).size, 0);
  assert.equal((await headers()).authorization, "Bearer access");
});

test("a client of the configuration that is not accepted is for its owner to correct, and the sign-in stays", async (context) => {
  const { endpoint, headers, signIn, plane } = await startEndpoint(context);
  await signIn();
  plane.later(121_000);
  const move = stopClocks(context);
  endpoint.answer = json(401, { error: "invalid_client" });
  const wrong = { code: "CONFIG_INVALID", message: /invalid_client .*Check 'auth\.clientId'/ };
  await assert.rejects(headers(), wrong);
  await assert.rejects(headers(), wrong);
  assert.equal(endpoint.grants.length, 1);
  endpoint.answer = granted();
  move(1_000);
  assert.equal((await headers()).authorization, "Bearer access");
});

test("a token that is still good is used while its renewal hangs", async (context) => {
  const { endpoint, headers, signIn, plane } = await startEndpoint(context);
  await signIn();
  plane.later(61_000);
  const hanging: ServerResponse[] = [];
  endpoint.answer = (response) => void hanging.push(response);
  assert.equal((await headers()).authorization, "Bearer access");
  assert.deepEqual(
    hanging.map(({ destroyed }) => destroyed),
    [false],
    "the renewal still waits",
  );
});
