import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";

type Span = { name: string; traceId: string; spanId: string; parentSpanId?: string };
type Body = {
  resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
  resourceMetrics?: { scopeMetrics: { metrics: { name: string }[] }[] }[];
};

/** Stands for an OpenTelemetry collector. */
const bodies: Body[] = [];
const collector = createServer(async (request, response) => {
  bodies.push(JSON.parse(await text(request)) as Body);
  response.end("{}");
}).listen(0, "127.0.0.1");
await once(collector, "listening");
const { port } = collector.address() as AddressInfo;

const program = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
{
  await using plane = await createPlane({
    config: {
      mcpServers: { demo: { command: process.execPath, args: [program, "demo"] } },
      observability: { otlp: { endpoint: `http://127.0.0.1:${port}` } },
    },
  });
  const outcome = await plane.call(
    "demo.add",
    { a: 2, b: 3 },
    { relay: { meta: { traceparent } } },
  );
  assert.ok(outcome.ok);
  // What is left is sent when the plane stops.
}
collector.close();

const spans = bodies.flatMap(({ resourceSpans = [] }) =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
);
for (const { name, traceId, spanId, parentSpanId } of spans)
  console.log(traceId, parentSpanId, "→", spanId, name);
const call = spans.find(({ name }) => name === "execute_tool demo.add");
const attempt = spans.find(({ name }) => name === "tools/call add");
assert.equal(call?.parentSpanId, "b7ad6b7169203331");
assert.equal(attempt?.parentSpanId, call?.spanId);

const metrics = bodies.flatMap(({ resourceMetrics = [] }) =>
  resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
);
console.log(metrics.map(({ name }) => name).join(", "));
assert.ok(metrics.some(({ name }) => name === "toolplane.calls"));
