import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPlane, type Plane } from "../../../src/index.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { runCli, writeConfig } from "../support.ts";

const program = fileURLToPath(new URL("faulty-program.ts", import.meta.url));
const faulty = (fault: string, more: object = {}) => ({
  command: process.execPath,
  args: [program, fault],
  ...more,
});

type Words = {
  fault: string;
  server: object;
  /** Of `servers.get`, once it was asked. */
  state: string;
  error: RegExp | null;
  /** Of a call of its tool `work`. */
  call?: { code: string; message: RegExp };
  /** The check of `doctor` that fails, with its words; null where all pass. */
  doctor: { check: string; detail: RegExp; fix: RegExp } | null;
};

const unavailable = "SERVER_UNAVAILABLE";
const byHand = /^Run it by hand/;

const table: Words[] = [
  {
    fault: "a program that writes what it reads",
    server: { command: "cat" },
    state: "error",
    error: /^it sends back what it gets, so it is no MCP server$/,
    call: { code: unavailable, message: /so it is no MCP server/ },
    doctor: { check: "handshake", detail: /^It sends back what it gets/, fix: byHand },
  },
  {
    fault: "a program that refuses every method",
    server: faulty("knows nothing"),
    state: "error",
    error: /listing its tools failed: Method not found|^Method not found/,
    doctor: { check: "tools", detail: /Method not found/, fix: byHand },
  },
  {
    fault: "a program that ends at once",
    server: faulty("exits at once"),
    state: "error",
    error: /^it exited with code 3$/,
    call: { code: unavailable, message: /it exited with code 3/i },
    doctor: { check: "handshake", detail: /^It exited with code 3\.$/, fix: byHand },
  },
  {
    fault: "a crash loop after the list",
    server: faulty("exits after its list"),
    state: "disconnected",
    error: /^it exited with code 1$/,
    doctor: {
      check: "runs",
      detail: /^After it had listed its tools: It exited with code 1\.$/,
      fix: /^Run it by hand to see why it ends/,
    },
  },
  {
    fault: "a program that hangs in the handshake",
    server: faulty("hangs in the handshake", { connectTimeoutMs: 700 }),
    state: "error",
    error: /^the handshake \(initialize\) timed out after 0\.7 s \('connectTimeoutMs'\)/,
    call: { code: unavailable, message: /handshake \(initialize\) timed out after 0\.7 s/ },
    doctor: { check: "handshake", detail: /^It gave no answer within 0\.7 s\.$/, fix: byHand },
  },
  {
    fault: "a program that hangs in its list",
    server: faulty("hangs in the list", { connectTimeoutMs: 3_000, protocol: "legacy" }),
    state: "error",
    error: /tools\/list\)? timed out after 3 s/,
    doctor: { check: "tools", detail: /^Asked for its tools: It gave no answer/, fix: byHand },
  },
  {
    fault: "an answer to an id that was not asked",
    server: faulty("answers another id"),
    state: "connected",
    error: null,
    call: {
      code: "TIMEOUT",
      message: /did not answer within 0\.5 s.* It answered the id 1003, which was not asked\.$/,
    },
    doctor: null,
  },
  {
    fault: "an answer without an id",
    server: faulty("answers without an id"),
    state: "connected",
    error: null,
    call: { code: "TIMEOUT", message: / It answered without an id\.$/ },
    doctor: null,
  },
  {
    fault: "an address where nothing listens",
    server: { url: "http://127.0.0.1:1/mcp" },
    state: "error",
    error: /^nothing listens at 127\.0\.0\.1:1/,
    doctor: { check: "reachable", detail: /127\.0\.0\.1:1/, fix: /./ },
  },
];

suite("the words of faults", () => {
  for (const { fault, server, state, error, call, doctor } of table)
    test(`${fault}: its state, its error, a call and doctor say the same`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await createPlane({ servers: { faulty: server } as never });
      await plane.servers.get("faulty", { connect: true });
      if (state === "disconnected") await untilEnded(plane);
      const status = await plane.servers.get("faulty");
      assert.equal(status.state, state);
      assertWords(status.error, error);
      if (call) {
        const outcome = await plane.call("faulty.work", {}, { timeoutMs: 500 });
        assert.equal(outcome.error?.code, call.code, outcome.error?.message);
        assert.match(outcome.error?.message ?? "", call.message);
      }
      const config = await writeConfig(directory, { faulty: server } as never);
      const examined = await runCli(["doctor", "faulty", "--config", config, "--json"]);
      const [report] = examined.json().servers as { checks: Check[] }[];
      const failed = report?.checks.filter(({ ok, name }) => !ok && name !== "login shell") ?? [];
      assert.equal(examined.code, failed.length === 0 ? 0 : 1, examined.stdout);
      assert.deepEqual(
        failed.map(({ name }) => name),
        doctor === null ? [] : [doctor.check],
      );
      if (doctor) {
        assert.match(failed[0]?.detail ?? "", doctor.detail);
        assert.match(failed[0]?.fix ?? "", doctor.fix);
      }
    });
});

type Check = { name: string; ok: boolean; detail: string; fix: string | null };

function assertWords(words: string | null, expected: RegExp | null): void {
  if (expected === null) assert.equal(words, null);
  else assert.match(words ?? "", expected);
}

/** It has listed its tools, and ends right after that. */
async function untilEnded(plane: Plane): Promise<void> {
  for (;;) {
    const { state, error } = await plane.servers.get("faulty");
    if (state !== "connected" && error !== null) return;
    await new Promise(setImmediate);
  }
}

test("a start that takes long says in which phase it is, and a call that gives up says so, too", async () => {
  const server = faulty("hangs in the list", { protocol: "legacy" });
  await using plane = await createPlane({ servers: { slow: server } as never });
  const phases: unknown[] = [];
  const calling = plane.call("slow.work", {}, { timeoutMs: 3_000 });
  for (;;) {
    const { starting } = await plane.servers.get("slow");
    if (starting && phases.at(-1) !== starting.phase) phases.push(starting.phase);
    if (starting?.phase === "tools/list") break;
    await new Promise(setImmediate);
  }
  assert.deepEqual(
    phases.filter((phase) => phase !== "start"),
    ["initialize", "tools/list"],
  );
  const { error } = await calling;
  assert.match(error?.message ?? "", /listing its tools|did not list its tools|slow/);
});

const json = (response: ServerResponse, status: number, body: object) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** A server that wants a token, with its own authorization server, whose next answer the test sets. */
async function startTracker() {
  const tokens = { status: 200, body: { token_type: "Bearer", expires_in: 1 } as object };
  let issued = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === "/token") {
      issued += 1;
      const token = { access_token: `token-${issued}`, refresh_token: "refresh" };
      return json(response, tokens.status, { ...(tokens.status === 200 && token), ...tokens.body });
    }
    if (request.url !== "/mcp" || request.method !== "POST")
      return void response.writeHead(404).end();
    if (request.headers.authorization === undefined)
      return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-06-18",
        serverInfo: { name: "tracker", version: "1" },
        capabilities: { tools: {} },
      },
      "tools/list": {
        tools: [{ name: "work", description: "x", inputSchema: { type: "object" } }],
      },
      "tools/call": { content: [{ type: "text", text: "done" }] },
    };
    const result = results[method];
    const said = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    json(response, 200, { jsonrpc: "2.0", id, ...said });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const auth = {
    type: "oauth",
    clientId: "me",
    tokenUrl: `${origin}/token`,
    authorizationUrl: `${origin}/authorize`,
  };
  return {
    origin,
    tokens,
    entry: { url: `${origin}/mcp`, auth },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function signIn(plane: Plane): Promise<void> {
  const { state } = await plane.tokens.beginSignIn("tracker", "http://127.0.0.1:1/callback");
  await plane.tokens.finishSignIn(new URLSearchParams({ state, code: "code" }));
}

test("a server without a sign-in, one whose token endpoint is down and one whose sign-in ended have different errors", async () => {
  await using tracker = await startTracker();
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { tracker: tracker.entry } as never);
  const data = directory.file("data");
  await using plane = await createPlane({ config, dataDirectory: data });
  const call = async () => (await plane.call("tracker.work", {})).error;
  const status = () => plane.servers.get("tracker");

  const never = await call();
  assert.equal(never?.code, "AUTH_REQUIRED");
  assert.match(never?.message ?? "", /you have not signed in yet\. Sign in to it with 'toolplane/);
  assert.equal((await status()).signInEnded, undefined);

  await signIn(plane);
  assert.equal(await call(), undefined);

  tracker.tokens.status = 503;
  await expire(plane);
  const down = await call();
  assert.equal(down?.code, unavailable);
  assert.deepEqual([down?.data.sent, down?.data.endpoint], [false, tracker.origin]);
  assert.match(down?.message ?? "", /could not be renewed: http:\/\/127.* answered HTTP 503/);
  assert.equal((await status()).signInEnded, undefined);

  Object.assign(tracker.tokens, { status: 400, body: { error: "invalid_grant" } });
  await rested(plane);
  const ended = await call();
  assert.equal(ended?.code, "AUTH_REQUIRED");
  const words =
    /its sign-in ended at \d\d:\d\d UTC: invalid_grant\. Sign in to it with 'toolplane servers login tracker'/;
  assert.match(ended?.message ?? "", words);
  const shown = await status();
  assert.match(shown.error ?? "", words);
  assert.deepEqual(
    [shown.idle, shown.signInEnded?.reason, shown.signInEnded?.how],
    [false, "invalid_grant", "toolplane servers login tracker"],
  );
  const { servers } = await plane.doctor("tracker");
  const failed = servers[0]?.checks.find(({ ok }) => !ok);
  assert.deepEqual(
    [failed?.name, failed?.fix],
    ["sign-in", "Sign in to it again: toolplane servers login tracker"],
  );
  const [listed] = await plane.servers.list();
  assert.match(listed?.error ?? "", words);
});

/** Its token lives for a second. */
async function expire(plane: Plane): Promise<void> {
  for (;;) {
    const outcome = await plane.call("tracker.work", {});
    if (!outcome.ok) return;
  }
}

/** The token endpoint may be asked again. */
async function rested(plane: Plane): Promise<void> {
  for (;;) {
    const { error } = await plane.call("tracker.work", {});
    if (error?.code !== unavailable) return;
  }
}
