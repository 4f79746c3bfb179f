import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { suite, test } from "node:test";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { createApp } from "../../src/faces/http/app.ts";
import { createPlane, type Plane } from "../../src/index.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { readLog, receivedMessages, temporaryDirectory } from "../fixtures/start-server.ts";
import { keepSpans } from "./span-keeper.ts";
import { processFixture as fixture, planeOf, startCli, writeConfig } from "./support.ts";

const remote = { trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331" };
const traceparent = `00-${remote.trace}-${remote.span}-01`;

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

/** Where each call that reached a server said that its trace stands. */
function saidAt(log: string): unknown[] {
  return receivedMessages(readLog(log), "tools/call").map(
    ({ params }) => (params?._meta as { traceparent?: unknown } | undefined)?.traceparent,
  );
}

/** An endpoint that fails so often before it answers, and the headers it got. */
async function startEndpoint(failures: number) {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    response
      .writeHead(headers.length <= failures ? 503 : 200, { "content-type": "text/plain" })
      .end("fine");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    headers,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function planeWithEndpoint(url: string): Promise<Plane> {
  const lookup = {
    name: "lookup",
    description: "Looks something up.",
    side_effects: "none" as const,
    idempotent: true,
    providers: [{ name: "http", config: { url } }],
  };
  return createPlane({ config: { tools: { lookup } } });
}

suite("spans", () => {
  test("prompts and resources are spans of their own methods, and no name holds an address", async () => {
    using kept = keepSpans();
    await using gateway = await startGateway({
      full: fixture("conformance", [], { protocol: "legacy" }),
    });
    const client = await EraClient.open(gateway.url, "legacy");
    const [{ name: prompt }] = (await client.request("prompts/list")).prompts as [{ name: string }];
    await client.request("prompts/get", { name: prompt });
    await client.request("resources/read", { uri: "test://static-text" });
    await gateway.plane.resources.read("full", "test://static-text");
    const own = prompt.replace("full__", "");
    const seen = kept
      .spans()
      .map(({ name, kind, attributes }) => [
        name,
        kind,
        attributes["mcp.method.name"],
        attributes["gen_ai.prompt.name"],
        attributes["gen_ai.operation.name"],
      ]);
    const { SERVER, CLIENT, INTERNAL } = SpanKind;
    const reading = ["resources/read", "resources/read", undefined, undefined] as const;
    const read = (kind: SpanKind) => [reading[0], kind, ...reading.slice(1)];
    assert.deepEqual(seen, [
      [`prompts/get ${own}`, CLIENT, "prompts/get", own, undefined],
      [`prompts/get ${own}`, SERVER, "prompts/get", own, undefined],
      read(CLIENT),
      read(SERVER),
      read(CLIENT),
      read(INTERNAL),
    ]);
    assert.doesNotMatch(
      JSON.stringify(kept.spans().map(({ attributes }) => attributes)),
      /static-text/,
    );
  });

  test("a call is a span, what is tried for it is one below, and the server gets the trace", async () => {
    await using directory = await temporaryDirectory();
    using kept = keepSpans();
    await using plane = await planeOf({ echo: fixture("echo", ["--log", directory.file("log")]) });
    const outcome = await plane.call("echo.echo", { message: "CANARY" }, { conversation: "c-1" });
    assert.ok(outcome.ok);
    const [call] = kept.named("execute_tool echo.echo");
    const [attempt] = kept.named("tools/call echo");
    assert.equal(kept.spans().length, 2);
    assert.equal(call?.kind, SpanKind.INTERNAL);
    assert.equal(attempt?.kind, SpanKind.CLIENT);
    assert.equal(parentOf(attempt), idOf(call));
    const { "gen_ai.tool.call.id": id, ...attributes } = call?.attributes ?? {};
    assert.equal(id, outcome.call.id);
    const isStage = ([name]: [string, unknown]) => name.startsWith("toolplane.stage.");
    const stages = Object.entries(attributes)
      .filter(isStage)
      .map(([name]) => name.split(".")[2]);
    assert.deepEqual(stages, [
      "resolve",
      "authorize",
      "validate",
      "inject",
      "approve",
      "route",
      "execute",
    ]);
    assert.deepEqual(
      Object.fromEntries(Object.entries(attributes).filter((one) => !isStage(one))),
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "echo.echo",
        "gen_ai.tool.type": "extension",
        "gen_ai.conversation.id": "c-1",
        "toolplane.face": "library",
        "toolplane.server": "echo",
        "toolplane.provider": "mcp",
        "toolplane.call.status": "succeeded",
        "toolplane.call.attempts": 1,
      },
    );
    assert.equal(attempt?.attributes["mcp.method.name"], "tools/call");
    assert.equal(attempt?.attributes["gen_ai.tool.name"], "echo");
    const { traceId } = call?.spanContext() ?? {};
    assert.deepEqual(saidAt(directory.file("log")), [`00-${traceId}-${idOf(attempt)}-01`]);
    assert.doesNotMatch(
      JSON.stringify(kept.spans().map(({ attributes, events }) => [attributes, events])),
      /CANARY/,
    );
  });

  test("errors are reported by their code and nothing else, and what waits for a person is none", async () => {
    using kept = keepSpans();
    await using plane = await planeOf(
      { echo: fixture("echo") },
      { policy: { rules: [{ tool: "echo.add", verdict: "ask", reason: "why" }] } },
    );
    await plane.call("echo.fail", { reason: "CANARY" });
    await plane.call("echo.throw");
    await plane.call("echo.echo", { message: 7 });
    await plane.call("echo.CANARY");
    await plane.call("echo.add", { a: 1, b: 2 });
    const told = kept
      .spans()
      .filter(({ kind }) => kind === SpanKind.INTERNAL)
      .map(({ name, attributes, status }) => [
        name,
        attributes["error.type"],
        status.code,
        status.message,
      ]);
    const { ERROR, UNSET } = SpanStatusCode;
    assert.deepEqual(told, [
      ["execute_tool echo.fail", "tool_error", ERROR, undefined],
      ["execute_tool echo.throw", "PROVIDER_FAILED", ERROR, undefined],
      ["execute_tool echo.echo", "INVALID_ARGUMENTS", ERROR, undefined],
      ["execute_tool", "TOOL_NOT_FOUND", ERROR, undefined],
      ["execute_tool echo.add", undefined, UNSET, undefined],
    ]);
    const [thrown] = kept.named("tools/call throw");
    assert.equal(thrown?.attributes["rpc.response.status_code"], "-32603");
    const everything = kept
      .spans()
      .map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    assert.doesNotMatch(JSON.stringify(everything), /CANARY/);
  });

  test("each attempt is a span, and an HTTP endpoint gets the trace in its headers", async () => {
    using kept = keepSpans();
    await using endpoint = await startEndpoint(1);
    await using plane = await planeWithEndpoint(endpoint.url);
    const outcome = await plane.call("lookup", {});
    assert.equal(outcome.call.attempts, 2, JSON.stringify(outcome));
    const attempts = kept.named("attempt http");
    assert.deepEqual(
      attempts.map(({ attributes }) => attributes["error.type"]),
      ["SERVER_UNAVAILABLE", undefined],
    );
    const [call] = kept.named("execute_tool lookup");
    assert.deepEqual(attempts.map(parentOf), [idOf(call), idOf(call)]);
    assert.deepEqual(
      endpoint.headers.map(({ traceparent: said }) => said),
      attempts.map((span) => `00-${call?.spanContext().traceId}-${idOf(span)}-01`),
    );
  });

  test("a call belongs below the span of the program that makes it", async () => {
    using kept = keepSpans();
    await using plane = await planeOf({ echo: fixture("echo") });
    const own = trace.getTracer("program").startSpan("work");
    await context.with(trace.setSpan(context.active(), own), () =>
      plane.call("echo.echo", { message: "hi" }),
    );
    own.end();
    assert.equal(parentOf(kept.named("execute_tool echo.echo")[0]), own.spanContext().spanId);
  });

  test("the trace of a caller goes on: over HTTP, and through the gateway in both eras", async () => {
    await using directory = await temporaryDirectory();
    using kept = keepSpans();
    const servers = { echo: fixture("echo", ["--log", directory.file("log")]) };
    await using gateway = await startGateway(servers);
    const app = createApp(gateway.plane, {
      host: "127.0.0.1",
      closing: new AbortController().signal,
    });
    await app.request("http://127.0.0.1/tools/echo.echo/call", {
      method: "POST",
      headers: { host: "127.0.0.1", traceparent, tracestate: "vendor=1" },
      body: JSON.stringify({ arguments: { message: "hi" } }),
    });
    for (const era of ["legacy", "modern"] as const) {
      const client = await EraClient.open(gateway.url, era);
      await client.request("tools/call", {
        name: "echo__echo",
        arguments: { message: "hi" },
        _meta: { traceparent },
      });
    }
    const [overHttp] = kept.named("execute_tool echo.echo");
    const served = kept.named("tools/call echo.echo");
    assert.deepEqual([overHttp, ...served].map(parentOf), [remote.span, remote.span, remote.span]);
    assert.equal(overHttp?.spanContext().traceState?.serialize(), "vendor=1");
    assert.deepEqual(
      served.map(({ kind, attributes }) => [kind, attributes["mcp.method.name"]]),
      [
        [SpanKind.SERVER, "tools/call"],
        [SpanKind.SERVER, "tools/call"],
      ],
    );
    const said = saidAt(directory.file("log"));
    assert.equal(said.length, 3);
    for (const one of said)
      assert.match(String(one), new RegExp(`^00-${remote.trace}-(?!${remote.span})`));
  });

  test("where no one takes spans, the caller's trace is passed on as it is, and nothing is said otherwise", async () => {
    await using directory = await temporaryDirectory();
    await using endpoint = await startEndpoint(0);
    const log = directory.file("log");
    await using plane = await planeOf({ echo: fixture("echo", ["--log", log]) });
    await plane.call("echo.echo", { message: "hi" }, { relay: { meta: { traceparent } } });
    await plane.call("echo.echo", { message: "hi" });
    assert.deepEqual(saidAt(log), [traceparent, undefined]);
    await using other = await planeWithEndpoint(endpoint.url);
    for (const said of [traceparent, "nonsense\r\nx-evil: 1"])
      await other.call("lookup", {}, { relay: { meta: { traceparent: said } } });
    assert.deepEqual(
      endpoint.headers.map((headers) => [headers.traceparent, headers["x-evil"]]),
      [
        [traceparent, undefined],
        [undefined, undefined],
      ],
    );
  });

  test("a process that registers a tracer before it starts has spans, without another word to us", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const file = directory.file("spans");
    const register = new URL("../fixtures/spans-to-file.ts", import.meta.url).href;
    const called = await startCli(
      ["call", "echo.echo", "message=hi", "--config", config, "--data-dir", directory.file("data")],
      { env: { NODE_OPTIONS: `--import=${register}`, SPANS_FILE: file } },
    ).result;
    assert.equal(called.code, 0, called.stderr);
    const names = readFileSync(file, "utf8").trim().split("\n");
    assert.deepEqual(names, ["tools/call echo", "execute_tool echo.echo"]);
  });

  test("what was abandoned when its time was over has ended, too", async () => {
    using kept = keepSpans();
    await using plane = await createPlane({ config: {} });
    const forever = Promise.withResolvers<string>();
    const manifest = {
      name: "slow",
      description: "Never ends.",
      side_effects: "none",
      providers: [],
    };
    plane.tools.register({ manifest, run: () => forever.promise } as never);
    const outcome = await plane.call("slow", {}, { timeoutMs: 300 });
    assert.equal(outcome.error?.code, "TIMEOUT");
    assert.equal(kept.named("attempt function")[0]?.attributes["error.type"], "CANCELLED");
    assert.equal(kept.named("execute_tool slow")[0]?.attributes["error.type"], "TIMEOUT");
    forever.resolve("late");
  });
});
