import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { EraClient } from "../fixtures/era-client.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import { fixture, processFixture, startServeProcess, writeConfig } from "./support.ts";

/** Connections that ask for nothing. */
function openSilent(url: string, count: number): Socket[] {
  const port = Number(new URL(url).port);
  return Array.from({ length: count }, () =>
    connect(port, "127.0.0.1").on("error", () => undefined),
  );
}

test("a plane without descriptors says so once, counts what it refuses, and takes them from connections that ask for nothing", async (context) => {
  if (process.platform === "win32") return context.skip("Windows has no such limit");
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { fx: fixture("echo") });
  await using serving = await startServeProcess(
    config,
    directory.file("data"),
    "0",
    [],
    "ulimit -n 64",
  );
  const startedAt = performance.now();
  let said = "";
  serving.process.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const call = () => postCall(serving.url, "fx.echo", { arguments: { message: "hi" } });
  assert.equal((await call()).status, 200);
  const silent: Socket[] = [];
  await until("a warning", () => {
    silent.push(...openSilent(serving.url, 10));
    return said.includes("ulimit -n");
  });
  await until("a call, although the others do not close their connections", async () => {
    const { status } = await call().catch(() => ({ status: 0 }));
    assert.ok([0, 200, 429].includes(status), String(status));
    return status === 200;
  });
  for (const socket of silent) socket.destroy();
  const metrics = await (await fetch(`${serving.url}/metrics`, { headers: serving.proof })).text();
  assert.match(metrics, /^toolplane_connections_refused_total [1-9]\d*$/m);
  const minutes = (performance.now() - startedAt) / 60_000;
  assert.ok(said.split("ulimit -n").length - 1 <= 1 + minutes, said);
});

test("descriptors of MCP sessions are free again when the sessions end, also those of their own servers", async (context) => {
  if (process.platform !== "linux")
    return context.skip("only Linux shows the descriptors of a process");
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {
    fx: { ...processFixture("echo"), session: "conversation" },
  });
  await using serving = await startServeProcess(config, directory.file("data"));
  const url = `${serving.url}/mcp`;
  const leaving = new AbortController();
  const begin = async () => {
    const client = await EraClient.open(url, "legacy");
    await client.call("fx__echo", { message: "hi" });
    const headers = client.headersFor();
    const stream = await fetch(url, {
      headers: { ...headers, accept: "text/event-stream" },
      signal: leaving.signal,
    });
    // Kept alive, it would be closed only after a minute.
    assert.equal(stream.headers.get("connection"), "close");
    return { headers, stream };
  };
  const end = async ({ headers }: { headers: Record<string, string> }) => {
    const response = await fetch(url, { method: "DELETE", headers });
    assert.deepEqual([response.status, response.headers.get("connection")], [204, "close"]);
  };
  const count = () => readdirSync(`/proc/${serving.process.pid}/fd`).length;
  await end(await begin());
  const before = count();
  const sessions = [];
  for (let number = 0; number < 12; number += 1) sessions.push(await begin());
  assert.ok(count() >= before + 12 * 4, `${count()} with sessions, ${before} before`);
  for (const session of sessions) await end(session);
  // Two files are for records that wait.
  await until("as many descriptors as before", () => count() <= before + 2);
  leaving.abort();
});
