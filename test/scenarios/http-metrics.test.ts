import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import type { Plane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { postCall } from "./requests.ts";
import { fixture, planeOf, startServe, writeConfig } from "./support.ts";

const headers = { host: "127.0.0.1" };
const appOf = (plane: Plane) =>
  createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal });

/** The value of a series, whatever the order of its labels; undefined when there is none. */
function seriesOf(
  text: string,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const found = lines.find((line) =>
    Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
  );
  return found === undefined ? undefined : Number(found.slice(found.lastIndexOf(" ") + 1));
}

suite("the numbers of a plane", () => {
  test("tell calls, durations, attempts, servers and tools as Prometheus reads them", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      echo: fixture("echo"),
      missing: { command: "no-such-command-anywhere" },
    });
    await using serving = await startServe(config, directory.file("data"));
    for (const message of ["one", "two"])
      await postCall(serving.url, "echo.echo", { arguments: { message } });
    await postCall(serving.url, "echo.fail", { arguments: { reason: "no" } });
    await postCall(serving.url, "echo.throw", {});
    await postCall(serving.url, "echo.anything_CANARY", {});
    const response = await fetch(`${serving.url}/metrics`);
    const text = await response.text();
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    const echo = { tool: "echo.echo" };
    assert.equal(seriesOf(text, "toolplane_calls_total", { ...echo, status: "succeeded" }), 2);
    assert.equal(
      seriesOf(text, "toolplane_calls_total", { tool: "echo.fail", status: "tool_error" }),
      1,
    );
    assert.equal(
      seriesOf(text, "toolplane_calls_total", { tool: "unknown", status: "refused" }),
      1,
    );
    assert.doesNotMatch(text, /CANARY/, "what callers make up is no series");
    assert.equal(seriesOf(text, "toolplane_call_duration_seconds_count", echo), 2);
    assert.ok(Number(seriesOf(text, "toolplane_call_duration_seconds_sum", echo)) > 0);
    const attempt = { provider: "mcp" };
    assert.equal(
      seriesOf(text, "toolplane_provider_attempts_total", { ...echo, ...attempt, ok: "true" }),
      2,
    );
    const thrown = { tool: "echo.throw", ...attempt, ok: "false" };
    assert.ok(Number(seriesOf(text, "toolplane_provider_attempts_total", thrown)) >= 1);
    assert.equal(
      seriesOf(text, "toolplane_server_state", { server: "echo", state: "connected" }),
      1,
    );
    assert.equal(seriesOf(text, "toolplane_servers_connected"), 1);
    assert.equal(seriesOf(text, "toolplane_dead_letters", { status: "pending" }), 1);
    assert.ok(Number(seriesOf(text, "toolplane_registry_tools")) > 5);
    assert.ok(Number(seriesOf(text, "toolplane_registry_revision")) >= 1);
    assert.notEqual(seriesOf(text, "toolplane_retries_total"), undefined);
    assert.ok(Number(seriesOf(text, "process_resident_memory_bytes")) > 1_000_000);
  });

  test("come as OpenMetrics to those who ask for it", async () => {
    await using plane = await planeOf({});
    const app = appOf(plane);
    const accept = "application/openmetrics-text; version=1.0.0, text/plain;q=0.5";
    const [open, plain] = await Promise.all([
      app.request("http://127.0.0.1/metrics", { headers: { ...headers, accept } }),
      app.request("http://127.0.0.1/metrics", { headers }),
    ]);
    assert.match(open.headers.get("content-type") ?? "", /^application\/openmetrics-text/);
    const text = await open.text();
    assert.match(text, /^# TYPE toolplane_calls counter$/m);
    assert.ok(text.endsWith("# EOF\n"));
    assert.match(plain.headers.get("content-type") ?? "", /^text\/plain/);
    assert.doesNotMatch(await plain.text(), /# EOF/);
  });

  test("of two planes in one process do not meet", async () => {
    const servers = { echo: fixture("echo") };
    await using busy = await planeOf(servers);
    await using idle = await planeOf(servers);
    const busyApp = appOf(busy);
    const idleApp = appOf(idle);
    await busy.call("echo.echo", { message: "hello" });
    const read = async (app: ReturnType<typeof appOf>) =>
      (await app.request("http://127.0.0.1/metrics", { headers })).text();
    const busyText = await read(busyApp);
    const idleText = await read(idleApp);
    assert.equal(seriesOf(busyText, "toolplane_calls_total", { tool: "echo.echo" }), 1);
    assert.equal(seriesOf(idleText, "toolplane_calls_total", { tool: "echo.echo" }), undefined);
  });
});
