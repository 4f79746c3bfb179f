import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture as fixture, startCli, writeConfig } from "./support.ts";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const hello = (version: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${version}","capabilities":{}}}`;

type Line = { id: unknown; result?: object; error?: { code: number; message: string } };

/** What `toolplane mcp` answers to these lines. */
async function speak(lines: readonly string[], more: readonly string[] = []) {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { one: fixture("echo") });
  const args = ["mcp", "--config", config, "--data-dir", directory.file("data"), ...more];
  const { code, stdout, stderr } = await startCli(args, {
    input: lines.map((line) => `${line}\n`).join(""),
  }).result;
  const answers = stdout
    .split("\n")
    .flatMap((line) => (line === "" ? [] : (JSON.parse(line) as Line)));
  return { code, stderr, codes: answers.map(({ id, error }) => [id, error?.code ?? null]) };
}

test("over stdio, what is no message is refused under its own id", async () => {
  const { codes } = await speak([
    '{"jsonrpc":"2.0","id":10}',
    '{"jsonrpc":"2.0","method":5,"id":11}',
    '{"jsonrpc":"2.0","method":"ping","id":{"a":1}}',
    "7",
    "[]",
    '{"jsonrpc":"2.0","id":9007199254740993,"method":5}',
  ]);
  assert.deepEqual(codes, [
    [10, -32600],
    [11, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [9007199254740992, -32600],
  ]);
});

test("over stdio, several messages in one are refused by revisions that do not have them", async () => {
  const batch =
    '[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]';
  const answered = async (version: string) =>
    (await speak([hello(version), batch])).codes.filter(([id]) => id !== 1);
  assert.deepEqual(await answered("2025-06-18"), [[null, -32600]]);
  assert.deepEqual(await answered("2025-03-26"), [
    [2, null],
    [3, null],
  ]);
});

test("over stdio, a server or toolset that is not there is reported before anything is served", async () => {
  for (const [option, words] of [
    ["--server", /No server 'nope' is configured/],
    ["--toolset", /No toolset 'nope' is configured/],
  ] as const) {
    const { code, stderr } = await speak([], [option, "nope"]);
    assert.equal(code, 2);
    assert.match(stderr, words);
  }
});

test("over HTTP, what is no message is refused with 400 also where a session begins", async () => {
  await using gateway = await startGateway({});
  for (const body of [
    '{"jsonrpc":"2.0","id":{"a":1},"method":"initialize","params":{}}',
    '{"jsonrpc":"2.0","id":null,"method":"initialize","params":{}}',
    '{"jsonrpc":"2.0","id":1e400,"method":"initialize","params":{}}',
    '{"jsonrpc":"2.0","id":10}',
    '{"jsonrpc":"2.0","id":11,"method":5}',
  ]) {
    const response = await fetch(gateway.url, { method: "POST", headers: json, body });
    assert.equal(response.status, 400, body);
    assert.equal(((await response.json()) as Line).error?.code, -32600);
  }
});

test("an address with the name of nothing is refused with 400, and any name is a persona", async () => {
  await using gateway = await startGateway({ one: fixture("echo") });
  for (const [view, status] of [
    ["toolset=nope", 400],
    ["server=nope", 400],
    ["names=nope", 400],
    ["nope=1", 400],
    ["server=one", 200],
    ["persona=zz", 200],
  ] as const) {
    const url = `${gateway.url}?${view}`;
    const response = await fetch(url, { method: "POST", headers: json, body: hello("2025-11-25") });
    assert.equal(response.status, status, view);
    await response.text();
  }
});

test("a request for nothing, or for what is not there, is refused in words that make sense", async () => {
  await using gateway = await startGateway({ raw: fixture("verbatim") });
  const client = await EraClient.open(gateway.url, "legacy");
  const messageOf = async (method: string, params: Record<string, string>) =>
    (await client.exchange(method, params)).reply.error?.message ?? "";
  assert.match(
    await messageOf("tools/call", { name: "raw__nope" }),
    /^Unknown tool: 'raw__nope'\. /,
  );
  assert.match(
    await messageOf("tools/call", { name: "raw__nothing" }),
    /^Server 'raw' failed on 'nothing': invalid tools\/call result/,
  );
  assert.match(await messageOf("prompts/get", {}), /'name' must be a string/);
  assert.match(await messageOf("prompts/get", { name: "nope" }), /No prompt 'nope'/);
  assert.match(await messageOf("resources/read", {}), /'uri' must be a string/);
  assert.match(
    await messageOf("resources/read", { uri: "nope://x" }),
    /Resource not found: nope:\/\/x/,
  );
});

test("a resource of a kind that no server lists is asked of none of them", async () => {
  await using gateway = await startGateway({ raw: fixture("verbatim") });
  const client = await EraClient.open(gateway.url, "legacy");
  // This server answers whatever is read.
  await assert.rejects(client.request("resources/read", { uri: "nope://x" }), /Resource not found/);
  const { contents } = await client.request("resources/read", { uri: "raw://another" });
  assert.ok(contents);
});

test("words for a model name no command of a shell", async () => {
  const policy = { rules: [{ tool: "raw.line", verdict: "ask" as const }] };
  await using gateway = await startGateway(
    {},
    {
      plane: {
        config: {
          mcpServers: { raw: fixture("verbatim"), off: { ...fixture("echo"), enabled: false } },
          policy,
          approvals: { holdMs: 1 },
        },
      },
    },
  );
  const client = await EraClient.open(gateway.url, "legacy");
  for (const name of ["raw__line", "raw__nope", "off__echo", "nope__nope"]) {
    const { reply } = await client.exchange("tools/call", { name, arguments: {} });
    assert.doesNotMatch(JSON.stringify(reply), /toolplane [a-z]+ /, name);
  }
});

const spellings = [
  "modern__region",
  "modern.region",
  "modern_region",
  "mcp_modern_region",
  "mcp__modern__region",
  "mcp.modern.region",
  "region",
];

test("arguments that a tool wants in headers are compared for every spelling of its name", async () => {
  await using gateway = await startGateway({ modern: fixture("modern") });
  const bare = await EraClient.open(gateway.url, "modern");
  const wrong = await EraClient.open(gateway.url, "modern", {
    headers: { "Mcp-Param-Region": "south" },
  });
  const right = await EraClient.open(gateway.url, "modern", {
    headers: { "Mcp-Param-Region": "north" },
  });
  for (const name of spellings) {
    const params = { name, arguments: { region: "north" } };
    for (const client of [bare, wrong]) {
      const { status, reply } = await client.exchange("tools/call", params);
      assert.equal(status, 400, name);
      assert.equal((reply.error as { code: number }).code, -32020, name);
    }
    const { content } = await right.request("tools/call", params);
    assert.match(JSON.stringify(content), /north/, name);
  }
});
