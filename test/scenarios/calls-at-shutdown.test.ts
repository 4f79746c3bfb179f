import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { startGateway } from "./gateway-client.ts";
import { postCall } from "./requests.ts";
import {
  callsAt,
  errorOf,
  processFixture as fixture,
  type Printed,
  planeOf,
  runCli,
  startServeProcess,
  writeConfig,
} from "./support.ts";

const long = { ms: 600_000 };

/** A JSON-RPC request to `/mcp`; of what comes back, the last message. */
async function ask(
  url: string,
  session: string | null,
  id: number,
  method: string,
  params: object,
) {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session === null ? {} : { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
  });
  const text = await response.text();
  const lines = text.split("\n").map((line) => line.replace(/^data: /, ""));
  const last = lines.findLast((line) => line.startsWith("{")) ?? "{}";
  return { session: response.headers.get("mcp-session-id"), message: JSON.parse(last) };
}

test("calls that outlast the time for draining are answered before the connections close: unknown where they were sent", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const servers = { fx: fixture("echo", ["--log", log]) };
  const config = await writeConfig(directory, servers);
  const data = directory.file("data");
  await using serving = await startServeProcess(config, data);
  const { url } = serving;
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const { session } = await ask(url, null, 1, "initialize", hello);
  const overHttp = Array.from({ length: 20 }, () => postCall(url, "fx.slow", { arguments: long }));
  const overMcp = Array.from({ length: 20 }, (_, at) =>
    ask(url, session, at + 2, "tools/call", { name: "fx_slow", arguments: long }),
  );
  await using client = await startGateway(
    ["--config", config, "--data-dir", data],
    {},
    () => undefined,
  );
  const attached = client.begin("tools/call", { name: "fx_slow", arguments: long }).answer;
  await until("the calls", () => callsAt(log).length === 41);
  const stopped = serving.stop("SIGTERM");
  const answers = (await Promise.all(overHttp)) as { status: number; body: Printed }[];
  for (const { status, body } of answers) {
    const { code, message, data: facts } = errorOf(body);
    assert.deepEqual([status, code, facts.callId], [502, "OUTCOME_UNKNOWN", body.call?.id]);
    assert.match(
      message,
      /shut down before 'fx.slow' had answered \(call .*may have run; check before you call it/,
    );
  }
  for (const { message } of [...(await Promise.all(overMcp)), { message: await attached }])
    assert.match(
      message.result?.content[0].text,
      /shut down before .* \(call .*\[OUTCOME_UNKNOWN\]$/,
    );
  assert.equal(await stopped, 0);

  await using next = await createPlane({ config: {}, dataDirectory: data });
  const calls = await next.calls.list({ tool: "fx.slow", limit: 100 });
  assert.deepEqual(
    [...new Set(calls.map(({ status, error }) => `${status} ${error?.code}`))],
    ["failed OUTCOME_UNKNOWN"],
  );
  assert.equal(calls.length, 41);
  const { total, deadLetters } = await next.deadLetters.page({ limit: 100 });
  assert.deepEqual(
    [total, [...new Set(deadLetters.map(({ hold }) => hold))]],
    [41, ["may_have_run"]],
  );
});

test("a plane that is stopped says which calls may have run, and which may be made again", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const servers = {
    writes: fixture("echo", ["--log", log]),
    reads: fixture("echo", ["--log", log], { trusted: true, tools: {} }),
    narrow: fixture("echo", ["--log", log], { maxConcurrency: 1 }),
  };
  const plane = await planeOf(servers, { dataDirectory: directory.file("data") });
  await plane.call("reads.echo", { message: "hi" });
  const sent = plane.call("writes.slow", long);
  const first = plane.call("narrow.slow", long);
  await until("both calls", () => callsAt(log).length === 3);
  const queued = plane.call("narrow.slow", long);
  await until("it waits", async () => (await plane.servers.get("narrow")).pending === 2);
  await plane.stop();
  const codes = (await Promise.all([sent, first, queued])).map(({ error, call }) => [
    error?.code,
    call.status,
  ]);
  assert.deepEqual(codes, [
    ["OUTCOME_UNKNOWN", "failed"],
    ["OUTCOME_UNKNOWN", "failed"],
    ["SHUTTING_DOWN", "cancelled"],
  ]);
  assert.equal(callsAt(log).length, 3);
  const late = await plane.call("reads.echo", { message: "late" });
  assert.equal(late.error?.code, "SHUTTING_DOWN");
});

/** A server whose only tool answers when the test says so. */
async function startHeld() {
  const arrived = Promise.withResolvers<void>();
  let finish = () => {};
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      serverInfo: { name: "held", version: "1" },
      capabilities: { tools: {} },
    },
    "tools/list": { tools: [{ name: "work", description: "x", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "done after all" }] },
  };
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await readText(request));
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[method];
    const said = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    response.setHeader("content-type", "application/json");
    const answer = () => void response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
    if (method !== "tools/call") return answer();
    finish = answer;
    arrived.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    arrived: arrived.promise,
    finish: () => finish(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a call of a command is drained like one over HTTP, and one that only watches ends at once", async () => {
  await using held = await startHeld();
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { held: { url: held.url, trusted: true } });
  const place = ["--config", config, "--data-dir", directory.file("data")];
  await using serving = await startServeProcess(config, directory.file("data"));
  const watching = runCli(["servers", "logs", "held", "--follow", ...place]);
  const calling = runCli(["call", "held.work", "--json", ...place]);
  await held.arrived;
  const stopped = serving.stop("SIGTERM");
  await until("the port closes", () =>
    fetch(serving.url).then(
      () => false,
      () => true,
    ),
  );
  await watching;
  held.finish();
  const { code, stdout } = await calling;
  assert.match(stdout, /done after all/);
  assert.equal(code, 0);
  assert.equal(await stopped, 0);
});
