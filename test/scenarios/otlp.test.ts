import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture as fixture, runCli, startCli, writeConfig } from "./support.ts";

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type Attribute = { key: string; value: Value };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number };
};
type Point = {
  attributes: Attribute[];
  asInt?: number;
  count?: number;
  bucketCounts?: number[];
  explicitBounds?: number[];
};
type Metric = {
  name: string;
  unit: string;
  sum?: { dataPoints: Point[] };
  histogram?: { dataPoints: Point[] };
};
type Scope = { scope: { name: string; version: string }; spans?: Span[]; metrics?: Metric[] };
type Resource = {
  resource: { attributes: Attribute[] };
  scopeSpans?: Scope[];
  scopeMetrics?: Scope[];
};
type Body = { resourceSpans?: Resource[]; resourceMetrics?: Resource[] };
type Received = { path: string; headers: IncomingHttpHeaders; body: Body };

const plain = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector that answers with these statuses first, then takes everything. */
async function startCollector(statuses: number[] = []) {
  const received: Received[] = [];
  const refused: string[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Body;
    const status = statuses.shift() ?? 200;
    if (status === 200) received.push({ path: request.url ?? "", headers: request.headers, body });
    else refused.push(request.url ?? "");
    // A status of 0 is never answered.
    if (status !== 0) response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const resources = () =>
    received.flatMap(({ body }) => [
      ...(body.resourceSpans ?? []),
      ...(body.resourceMetrics ?? []),
    ]);
  return {
    received,
    refused,
    resources,
    endpoint: `http://127.0.0.1:${port}`,
    spans: () =>
      resources().flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans = [] }) => spans)),
    /** Of the last batch: they are sums since the start. */
    metrics: () =>
      resources()
        .filter(({ scopeMetrics }) => scopeMetrics)
        .at(-1)
        ?.scopeMetrics?.flatMap(({ metrics = [] }) => metrics) ?? [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const planeFor = (otlp: object, more: object = {}): Promise<Plane> =>
  createPlane({
    config: { mcpServers: { echo: fixture("echo") }, observability: { otlp }, ...more } as never,
  });

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = "b7ad6b7169203331";

suite("OTLP", { concurrency: 4 }, () => {
  test("a call and its attempt are spans of the caller's trace, and nothing of what was said", async () => {
    await using collector = await startCollector();
    const headers = { "x-team": "blue" };
    {
      await using plane = await planeFor({
        endpoint: `${collector.endpoint}/`,
        headers,
        serviceName: "mine",
      });
      const relay = { meta: { traceparent: `00-${traceId}-${parent}-01` } };
      const outcome = await plane.call("echo.echo", { message: "CANARY" }, { relay });
      assert.ok(outcome.ok);
      await plane.call("echo.fail", { reason: "CANARY" });
      await plane.call("CANARY.none", {});
      assert.equal(collector.received.length, 0, "the call does not wait for the collector");
    }
    const call = collector.spans().find(({ name }) => name === "execute_tool echo.echo");
    const attempt = collector.spans().find(({ name }) => name === "tools/call echo");
    assert.ok(call && attempt, JSON.stringify(collector.spans().map(({ name }) => name)));
    assert.deepEqual(
      [call.traceId, call.parentSpanId, call.kind, call.status.code],
      [traceId, parent, 1, 0],
    );
    assert.deepEqual(
      [attempt.traceId, attempt.parentSpanId, attempt.kind],
      [traceId, call.spanId, 3],
    );
    assert.match(call.spanId, /^[0-9a-f]{16}$/);
    // The library reads the beginning of each span from a clock of milliseconds, and its end from a finer one.
    assert.ok(BigInt(call.endTimeUnixNano) + 1_000_000n >= BigInt(attempt.endTimeUnixNano));
    assert.ok(BigInt(attempt.startTimeUnixNano) >= BigInt(call.startTimeUnixNano));
    const about = plain(call.attributes);
    assert.equal(about["gen_ai.operation.name"], "execute_tool");
    assert.equal(about["gen_ai.tool.name"], "echo.echo");
    assert.equal(about["toolplane.call.status"], "succeeded");
    for (const stage of ["resolve", "authorize", "validate", "route", "execute"])
      assert.ok(Number(about[`toolplane.stage.${stage}.ms`]) >= 0, stage);
    assert.equal(plain(attempt.attributes)["mcp.method.name"], "tools/call");
    const failed = collector.spans().find(({ name }) => name === "execute_tool echo.fail");
    assert.deepEqual(
      [failed?.status.code, failed && plain(failed.attributes)["error.type"]],
      [2, "tool_error"],
    );
    assert.notEqual(failed?.traceId, traceId);
    for (const { path, headers: got } of collector.received) {
      assert.match(path, /^\/v1\/(traces|metrics)$/);
      assert.deepEqual([got["content-type"], got["x-team"]], ["application/json", "blue"]);
    }
    for (const { resource } of collector.resources())
      assert.equal(plain(resource.attributes)["service.name"], "mine");
    assert.doesNotMatch(JSON.stringify(collector.received.map(({ body }) => body)), /CANARY/);
  });

  test("metrics are sums and histograms by tool, status and provider", async () => {
    await using collector = await startCollector();
    {
      await using plane = await planeFor({ endpoint: collector.endpoint, traces: false });
      for (let count = 0; count < 3; count++) await plane.call("echo.echo", { message: "hi" });
      await plane.call("nowhere.at-all", {});
    }
    assert.deepEqual(collector.spans(), []);
    const byName = new Map(collector.metrics().map((metric) => [metric.name, metric]));
    const points = byName
      .get("toolplane.calls")
      ?.sum?.dataPoints.map(({ attributes, asInt }) => ({ ...plain(attributes), asInt }));
    assert.deepEqual(points, [
      {
        "gen_ai.tool.name": "echo.echo",
        "toolplane.server": "echo",
        "toolplane.call.status": "succeeded",
        asInt: 3,
      },
      {
        "gen_ai.tool.name": "unknown",
        "toolplane.call.status": "refused",
        "error.type": "TOOL_NOT_FOUND",
        asInt: 1,
      },
    ]);
    const [took] = byName.get("toolplane.call.duration")?.histogram?.dataPoints ?? [];
    assert.ok(took?.bucketCounts && took.explicitBounds);
    assert.equal(took.bucketCounts.length, took.explicitBounds.length + 1);
    assert.equal(
      took.bucketCounts.reduce((sum, count) => sum + count, 0),
      took.count,
    );
  });

  test("a caller that does not sample its trace is followed", async () => {
    await using collector = await startCollector();
    {
      await using plane = await planeFor({ endpoint: collector.endpoint, metrics: false });
      await plane.call(
        "echo.echo",
        { message: "a" },
        { relay: { meta: { traceparent: `00-${traceId}-${parent}-00` } } },
      );
      await plane.call("echo.echo", { message: "b" });
    }
    assert.equal(collector.spans().filter(({ traceId: id }) => id === traceId).length, 0);
    assert.equal(collector.spans().length, 2);
  });

  test("what a collector cannot take now is sent later, and the loss is reported once", async () => {
    await using collector = await startCollector([503, 503]);
    await using plane = await planeFor({
      endpoint: collector.endpoint,
      metrics: false,
      intervalMs: 100,
    });
    const told: string[] = [];
    plane.on("telemetry.lost", ({ reason }) => told.push(reason));
    plane.on("telemetry.back", () => told.push("back"));
    await plane.call("echo.echo", { message: "a" });
    await until("both spans", () => collector.spans().length === 2);
    await until("the return is reported", () => told.length === 2);
    assert.deepEqual(told, ["it answers traces with HTTP 503", "back"]);
    assert.equal(collector.refused.length, 2);
  });

  test("a collector that is unreachable or silent holds up neither calls nor the end", async () => {
    await using silent = await startCollector([0, 0, 0, 0]);
    for (const endpoint of ["http://127.0.0.1:1", silent.endpoint]) {
      const plane = await planeFor({ endpoint, intervalMs: 100 });
      const outcome = await plane.call("echo.echo", { message: "a" });
      assert.ok(outcome.ok);
      await plane.stop();
    }
  });

  test("the configuration alone switches it on, also by reference and when it is read again", async () => {
    await using collector = await startCollector();
    await using directory = await temporaryDirectory();
    const otlp = {
      endpoint: "${OTEL_EXPORTER_OTLP_ENDPOINT:-}",
      headers: "${OTEL_EXPORTER_OTLP_HEADERS:-}",
    };
    const file = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { observability: { otlp } },
    );
    const words = ["--config", file, "--data-dir", directory.file("data"), "--json"];
    const call = ["call", "echo.echo", "message=hi", "--standalone", ...words];
    assert.equal((await startCli(call).result).code, 0);
    assert.equal(collector.received.length, 0);
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20s3cret-t0ken-value, x-a = b",
    };
    assert.equal((await startCli(call, { env }).result).code, 0);
    assert.ok(collector.spans().length >= 2);
    assert.equal(collector.received[0]?.headers.authorization, "Bearer s3cret-t0ken-value");
    assert.equal(collector.received[0]?.headers["x-a"], "b");
    const unnamed = { endpoint: collector.endpoint, metrics: false };
    const plain = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { observability: { otlp: unnamed } },
    );
    const before = collector.received.length;
    const again = [
      "call",
      "echo.echo",
      "message=hi",
      "--standalone",
      "--config",
      plain,
      "--data-dir",
      words[3] ?? "",
    ];
    assert.equal((await startCli(again, { env }).result).code, 0);
    assert.ok(collector.received.length > before);
    for (const { headers } of collector.received.slice(before))
      assert.equal(
        headers.authorization,
        undefined,
        "a variable counts where the configuration names it",
      );
    const shown = await runCli(["config", "show", ...words], { env });
    assert.equal(shown.code, 0);
    assert.doesNotMatch(shown.stdout, /s3cret/);
    const bad = await writeConfig(
      directory,
      {},
      { observability: { otlp: { endpoint: "collector:4317", interval: 5 } } },
    );
    const checked = await runCli(["config", "validate", "--config", bad, "--json"]);
    assert.match(checked.stdout, /must be an address that begins with http/);
    assert.match(checked.stdout, /intervalMs/);
  });
});
