import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { suite, test } from "node:test";
import { serveStdio } from "../../src/faces/gateway/serve-stdio.ts";
import { runFront } from "../../src/faces/socket/front.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, planeOf, startServe, writeConfig } from "./support.ts";

type Message = {
  id?: unknown;
  result?: { content?: { text: string }[] };
  error?: { code: number };
};

const clientInfo = { name: "twice", version: "1" };
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
};
const call = (message: string, meta: object = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name: "echo_echo", arguments: { message }, ...meta },
});
const said = ({ result, error }: Message) => error?.code ?? result?.content?.[0]?.text;
const fair = (answers: unknown[]) =>
  answers.includes("one") && answers.some((answer) => answer === "two" || answer === -32600);

suite("two requests with one id at the same time are both answered", () => {
  const modern = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  for (const [era, meta, first] of [
    ["a session", {}, [initialize]],
    ["modern requests", modern, []],
  ] as const) {
    test(`over standard input, in ${era}`, async () => {
      await using plane = await planeOf({ echo: fixture("echo") });
      const input = new PassThrough();
      const output = new PassThrough();
      let text = "";
      output.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const over = serveStdio(plane, { input, output, signal: new AbortController().signal });
      for (const message of [...first, call("one", meta), call("two", meta)])
        input.write(`${JSON.stringify(message)}\n`);
      const answers = () =>
        text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Message)
          .filter(({ id }) => id === 7);
      await until("both answers", () => answers().length === 2);
      input.end();
      await over;
      assert.ok(fair(answers().map(said)), text);
    });
  }

  test("over a plane that ends before it has answered", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const reached = once(server, "connection") as Promise<[Socket]>;
    const socket = connect(port, "127.0.0.1");
    const [plane] = await reached;
    const input = new PassThrough();
    const output = new PassThrough();
    let text = "";
    output.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    const first = { kind: "attached", socket, notices: [] } as unknown as Parameters<
      typeof runFront
    >[0]["first"];
    const reach = async () => ({ kind: "failed", why: "there is none" }) as never;
    const over = runFront({
      input,
      output,
      first,
      reach,
      say() {},
      signal: new AbortController().signal,
    });
    for (const said of ["one", "two"]) input.write(`${JSON.stringify(call(said))}\n`);
    await once(plane, "data");
    await until("the refusal of the second", () => text.includes("-32600"));
    plane.destroy();
    await until("the fate of the first", () => text.includes("OUTCOME_UNKNOWN"));
    input.end();
    await over;
    server.close();
    assert.equal(text.split("\n").filter((line) => line.includes('"id":7')).length, 2, text);
  });

  test("over HTTP, in one session, with the id as a number and as a text", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    await using serving = await startServe(config, directory.file("data"));
    const post = async (body: object, session?: string) =>
      fetch(`${serving.url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(session === undefined ? {} : { "mcp-session-id": session }),
        },
        body: JSON.stringify(body),
      });
    const session = (await post(initialize)).headers.get("mcp-session-id") ?? assert.fail();
    const ask = async (message: string, id: unknown) =>
      (await post({ ...call(message), id }, session)).json();
    const asked = [ask("one", 7), ask("two", 7), ask("three", "7")] as Promise<Message>[];
    const answers = await Promise.all(asked);
    assert.deepEqual(
      answers.map(({ id }) => id),
      [7, 7, "7"],
    );
    assert.ok(fair(answers.map(said)), JSON.stringify(answers));
    assert.equal(said(answers[2] ?? {}), "three");
  });
});
