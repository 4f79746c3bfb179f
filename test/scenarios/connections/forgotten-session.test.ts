import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createPlane } from "../../../src/index.ts";

const tools = [{ name: "work", description: "Works.", inputSchema: { type: "object" } }];

/** A server with sessions that it can forget. It answers `work` when the test says so, also in a forgotten one. */
async function startForgetful() {
  const sessions = new Set<string>();
  const working: (() => void)[] = [];
  const arrivals: (() => void)[] = [];
  const runs: unknown[] = [];
  let opened = 0;
  const answer = (response: ServerResponse, id: unknown, result: object) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(request));
    if (method === "server/discover") return void response.writeHead(400).end("{}");
    if (method === "initialize") {
      opened += 1;
      const session = `session-${opened}`;
      sessions.add(session);
      response.setHeader("mcp-session-id", session);
      const serverInfo = { name: "forgetful", version: "1" };
      const capabilities = { tools: {} };
      return answer(response, id, { protocolVersion: "2025-06-18", serverInfo, capabilities });
    }
    if (!sessions.has(String(request.headers["mcp-session-id"])))
      return void response.writeHead(404).end("{}");
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "ping") return answer(response, id, {});
    if (method === "tools/list") return answer(response, id, { tools });
    const { held } = params.arguments;
    runs.push(params.arguments);
    const content = [{ type: "text", text: `done ${JSON.stringify(params.arguments)}` }];
    if (held !== true) return answer(response, id, { content });
    working.push(() => answer(response, id, { content }));
    for (const arrived of arrivals.splice(0)) arrived();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    runs,
    opened: () => opened,
    forget: () => sessions.clear(),
    arrived: () => new Promise<void>((resolve) => arrivals.push(resolve)),
    finish: () => {
      for (const done of working.splice(0)) done();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("calls that are under way when a server forgets the session get their own answers, and later calls a new session", async () => {
  await using forgetful = await startForgetful();
  const servers = { notes: { url: forgetful.url, trusted: true } };
  await using plane = await createPlane({ servers });
  await plane.tools.list();
  const arrived = forgetful.arrived();
  const early = plane.call("notes.work", { held: true });
  await arrived;
  forgetful.forget();
  const later = await Promise.all([1, 2, 3].map((n) => plane.call("notes.work", { n })));
  assert.deepEqual(
    later.map(({ ok, error }) => [ok, error?.message]),
    later.map(() => [true, undefined]),
  );
  assert.equal(forgetful.opened(), 2);
  forgetful.finish();
  const { ok, error, result } = await early;
  assert.deepEqual([ok, error], [true, undefined]);
  assert.match(JSON.stringify(result), /done .*held/);
  assert.equal(forgetful.runs.length, 4, "nothing ran twice");
});

test("a plane that stops does not wait for what a forgotten session still runs", async () => {
  await using forgetful = await startForgetful();
  const plane = await createPlane({ servers: { notes: { url: forgetful.url, trusted: true } } });
  await plane.tools.list();
  const arrived = forgetful.arrived();
  const early = plane.call("notes.work", { held: true });
  await arrived;
  forgetful.forget();
  assert.equal((await plane.call("notes.work", {})).ok, true);
  await plane.stop();
  assert.equal((await early).error?.code, "OUTCOME_UNKNOWN");
});
