import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { fixture, namedServer } from "./support.ts";

const late = fixture("echo", ["--delay", "700"]);

function namesIn({ tools }: JsonObject): string[] {
  return (tools as { name: string }[]).map(({ name }) => name);
}

async function instructionsOf(url: string): Promise<string> {
  const client = await EraClient.open(url, "modern");
  return String((await client.request("server/discover")).instructions);
}

test("the first list of a client waits for the first server where there is nothing else to list", async () => {
  await using gateway = await startGateway({ slow: fixture("echo", ["--delay", "1500"]) });
  const client = await EraClient.open(gateway.url, "legacy");
  const names = namesIn(await client.request("tools/list"));
  assert.ok(names.includes("slow__echo"), names.join());
});

test("before it is known whether there is too much for one list, a client gets what holds in both cases", async () => {
  const lazy = { mode: "auto" as const, thresholdTokens: 50 };
  await using gateway = await startGateway(
    {},
    { plane: { config: { mcpServers: { late }, lazy } } },
  );
  assert.match(
    await instructionsOf(gateway.url),
    /If mcp_tool_search is listed, most tools are not/,
  );
  const client = await EraClient.open(gateway.url, "legacy");
  const found = await client.call("mcp_tool_search", { query: "echo" });
  assert.match(JSON.stringify(found.content), /late__echo/);
  assert.deepEqual(namesIn(await client.request("tools/list")).slice(0, 3), [
    "mcp_tool_search",
    "mcp_tool_list",
    "call_tool",
  ]);
});

test("a search is answered where it turns out that everything fits into one list", async () => {
  await using gateway = await startGateway({ late });
  const client = await EraClient.open(gateway.url, "legacy");
  const found = await client.call("mcp_tool_search", { query: "echo" });
  assert.match(JSON.stringify(found.content), /late__echo/);
  assert.ok(!namesIn(await client.request("tools/list")).includes("mcp_tool_search"));
  assert.doesNotMatch(await instructionsOf(gateway.url), /mcp_tool_search/);
});

test("what the only server says of itself is passed on as its words", async () => {
  const desk = namedServer("desk", ["open", "--instructions=Ask before you open anything."]);
  await using gateway = await startGateway({ desk });
  const client = await EraClient.open(gateway.url, "legacy");
  await client.request("tools/list");
  assert.match(
    await instructionsOf(gateway.url),
    /Server 'desk' says of itself, in its own words:\n<tool_output>\nAsk before you open anything\.\n<\/tool_output>/,
  );
});

test("of several servers each has a few words, and all of them together do not have many", async () => {
  const servers = Array.from({ length: 9 }, (_, at) => [
    `desk${at}`,
    namedServer(`desk${at}`, ["open", `--instructions=${"Look twice. ".repeat(100)}`]),
  ]);
  await using gateway = await startGateway(Object.fromEntries(servers));
  const client = await EraClient.open(gateway.url, "legacy");
  await client.request("tools/list");
  const text = await instructionsOf(gateway.url);
  assert.ok(text.includes("says of itself") && text.length < 3_000, String(text.length));
});

test("unknown fields of a tool reach the client", async () => {
  await using gateway = await startGateway({ raw: fixture("verbatim") });
  for (const era of ["legacy", "modern"] as const) {
    const client = await EraClient.open(gateway.url, era);
    const { tools } = await client.request("tools/list");
    const tool = (tools as JsonObject[]).find(({ name }) => name === "raw__numbers");
    assert.deepEqual(
      [tool?.futureTool, tool?.execution],
      [{ a: [1] }, { taskSupport: "forbidden" }],
    );
  }
});

test("a picture is not cut, however large it is written down", async () => {
  await using gateway = await startGateway({ raw: fixture("verbatim") });
  const client = await EraClient.open(gateway.url, "legacy");
  const { content } = await client.call("raw__picture");
  const [image, text] = content as unknown as [{ type: string; data: string }, { text: string }];
  assert.deepEqual([image.type, image.data.length, text.text], ["image", 1_440_000, "here"]);
});
