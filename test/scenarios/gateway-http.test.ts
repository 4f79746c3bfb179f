import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import type { Message } from "../fixtures/servers/support/messages.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, namedServer } from "./support.ts";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

type Raw = { status: number; headers: Record<string, unknown>; body: string };

/** With headers that fetch would not let through. */
function ask(
  url: string,
  method: string,
  headers: Record<string, string>,
  body = "",
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(url, { method, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

test("a foreign Host or Origin is refused at the MCP endpoint before anything is done", async () => {
  await using gateway = await startGateway({ one: fixture("echo") });
  for (const foreign of [
    { host: "evil.example" },
    { origin: "https://evil.example" },
    { origin: "null" },
  ]) {
    for (const method of ["POST", "GET", "DELETE"]) {
      const { status, body } = await ask(
        gateway.url,
        method,
        { ...json, ...foreign },
        method === "POST" ? ping : "",
      );
      assert.equal(status, 403, JSON.stringify({ method, foreign }));
      assert.equal((JSON.parse(body) as { code: string }).code, "ORIGIN_REFUSED");
    }
  }
});

test("without a credential, or with a wrong one, nothing is shown of what is behind the endpoint", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startGateway(
    { secret_server: fixture("echo") },
    { plane: { dataDirectory: directory.path, exposed: true } },
  );
  const none = await ask(gateway.url, "POST", json, ping);
  const wrong = await ask(gateway.url, "POST", { ...json, authorization: "Bearer tp_wrong" }, ping);
  assert.equal(none.body, wrong.body);
  for (const { status, headers, body } of [none, wrong]) {
    assert.equal(status, 401);
    assert.match(String(headers["www-authenticate"]), /^Bearer/);
    assert.doesNotMatch(body, /secret_server|echo/);
  }
});

test("what is no message is refused with the status that says why, and as JSON", async () => {
  await using gateway = await startGateway({});
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`;
  const huge = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "ping",
    params: { a: "x".repeat(5_000_000) },
  });
  const cases: [number, string, Record<string, string>, string][] = [
    [413, "POST", json, huge],
    [400, "POST", json, deep],
    [400, "POST", json, "{not json"],
    [400, "POST", json, "[]"],
    [400, "POST", json, '"text"'],
    [400, "POST", json, ping],
    [415, "POST", { ...json, "content-type": "text/plain" }, ping],
    [404, "POST", { ...json, "mcp-session-id": "unknown" }, ping],
    [405, "PUT", json, ping],
    [405, "GET", json, ""],
    [405, "DELETE", json, ""],
  ];
  for (const [expected, method, headers, body] of cases) {
    const answer = await ask(gateway.url, method, headers, body);
    assert.equal(answer.status, expected, `${method} ${body.slice(0, 40)}: ${answer.body}`);
    const { error } = JSON.parse(answer.body) as Message;
    assert.equal(typeof error?.code, "number");
    assert.doesNotMatch(answer.body, /\bat .*:\d+:\d+|node:internal|\/work\//);
    if (expected === 405) assert.match(String(answer.headers.allow), /POST/);
  }
  const alive = await EraClient.open(gateway.url, "legacy");
  assert.equal((await alive.exchange("ping")).status, 200);
});

test("the address says how the tools are shown", async () => {
  await using gateway = await startGateway(
    { one: namedServer("one", ["alone", "both"]), two: namedServer("two", ["both"]) },
    {
      plane: {
        config: {
          mcpServers: {
            one: namedServer("one", ["alone", "both"]),
            two: namedServer("two", ["both"]),
          },
          toolsets: { small: { providers: ["one"], allow_tools: ["al*"] } },
        },
      },
    },
  );
  const namesAt = async (query: string) => {
    const client = await EraClient.open(`${gateway.url}${query}`, "legacy");
    const { tools } = (await client.request("tools/list")) as { tools: { name: string }[] };
    return {
      client,
      names: tools.map(({ name }) => name).filter((name) => !name.startsWith("read_")),
    };
  };
  // A list does not wait for slow servers.
  await until("the tools of both", async () => (await gateway.plane.tools.list()).length === 3);
  assert.deepEqual((await namesAt("")).names, ["one__alone", "one__both", "two__both"]);
  const bare = await namesAt("?names=bare");
  assert.deepEqual(bare.names, ["alone", "one__both", "two__both"]);
  assert.match(JSON.stringify(await bare.client.call("alone")), /one:alone/);
  assert.deepEqual((await namesAt("?server=two")).names, ["two__both"]);
  const small = await namesAt("?toolset=small");
  assert.deepEqual(small.names, ["one__alone"]);
  await assert.rejects(small.client.call("one__both"), /not in toolset 'small'/);
  for (const [query, status] of [
    ["?name=bare", 400],
    ["?names=short", 400],
    ["?toolset=none", 400],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
    const answer = await ask(`${gateway.url}${query}`, "POST", json, body);
    assert.equal(answer.status, status, answer.body);
  }
});

test("two servers with a resource of the same address are both reached", async () => {
  await using gateway = await startGateway({
    one: fixture("resources"),
    two: fixture("resources"),
  });
  const client = await EraClient.open(gateway.url, "legacy");
  const { resources } = (await client.request("resources/list")) as {
    resources: { uri: string }[];
  };
  const uris = resources.map(({ uri }) => uri).filter((uri) => uri.endsWith("fx://readme"));
  assert.deepEqual(uris, ["fx://readme", "toolplane://two/fx://readme"]);
  for (const uri of uris) {
    const { contents } = await client.request("resources/read", { uri });
    assert.match(JSON.stringify(contents), /# Hello/);
  }
  await assert.rejects(client.request("resources/read", { uri: "fx://nothing" }), { code: -32002 });
});

test("a handle that was tampered with, used twice or taken from another request is refused", async () => {
  await using gateway = await startGateway({
    far: fixture("conformance", [], { protocol: "legacy" }),
  });
  const client = await EraClient.open(gateway.url, "modern", { capabilities: { elicitation: {} } });
  const name = "far__test_input_required_result_elicitation";
  const begin = async () => {
    const { reply } = await client.exchange("tools/call", { name, arguments: {} });
    const { inputRequests, requestState } = reply.result as {
      inputRequests: Record<string, unknown>;
      requestState: string;
    };
    const answer = { action: "accept", content: { name: "Ann" } };
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, answer]),
    );
    return { requestState, inputResponses };
  };
  const { requestState, inputResponses } = await begin();
  const retry = (state: string, tool = name) =>
    client.exchange("tools/call", {
      name: tool,
      arguments: {},
      inputResponses,
      requestState: state,
    });
  assert.equal((await retry(`${requestState}x`)).reply.error?.code, -32602);
  assert.equal((await retry(requestState, "far__test_simple_text")).reply.error?.code, -32602);
  const done = await retry(requestState);
  assert.match(JSON.stringify(done.reply.result), /Ann/);
  assert.equal((await retry(requestState)).reply.error?.code, -32602);
});

test("what runs when the plane stops is finished first", async () => {
  const gateway = await startGateway({ one: fixture("echo") });
  const client = await EraClient.open(gateway.url, "legacy");
  await client.request("tools/list");
  const call = client.call("one__slow", { ms: 400 });
  const started = new Promise<void>((resolve) => {
    gateway.plane.on("tool.call", () => resolve());
  });
  await started;
  await gateway[Symbol.asyncDispose]();
  assert.match(JSON.stringify((await call).content), /400/);
});

test("bodies that never arrive hold up no one else", async () => {
  await using gateway = await startGateway({ one: fixture("echo") });
  const { port, host } = new URL(gateway.url);
  const head = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
  const slow = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(head);
      return socket;
    }),
  );
  const client = await EraClient.open(gateway.url, "legacy");
  for (let count = 0; count < 20; count += 1)
    assert.match(
      JSON.stringify(await client.call("one__echo", { message: `call ${count}` })),
      /call/,
    );
  for (const socket of slow) socket.destroy();
});
