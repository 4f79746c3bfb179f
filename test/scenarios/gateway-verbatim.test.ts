import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Era, EraClient } from "../fixtures/era-client.ts";
import { long, numbers } from "../fixtures/servers/verbatim.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture } from "./support.ts";
import { openVerbatim } from "./verbatim-client.ts";

const eras: readonly Era[] = ["legacy", "modern"];
const server = { raw: fixture("verbatim") };
const odd =
  '{"a":9007199254740993,"b":-0,"9":1.0,"c":1e300,"1":"\\u0041","d":[{"e":0.12345678901234567890}]}';

for (const era of eras) {
  test(`a ${era} client gets every number that a server wrote, whatever had to be looked at on the way`, async () => {
    await using gateway = await startGateway(server);
    const ask = await openVerbatim(gateway.url, era);
    for (const tool of ["numbers", "marked", "promised", "only_data"]) {
      const text = await ask("tools/call", `"name":"raw__${tool}","arguments":{}`);
      assert.ok(
        text.replace('"structuredContent" : ', '"structuredContent":').includes(numbers),
        text,
      );
    }
    const wrapped = await ask("tools/call", '"name":"raw__listing","arguments":{}');
    assert.match(
      wrapped,
      era === "legacy" ? /\{"result":\[9007199254740993,-0\]\}/ : /:\[9007199254740993,-0\]/,
    );
    const refused = await ask("tools/call", '"name":"raw__refusing","arguments":{}');
    assert.ok(refused.includes(`"data":${numbers}`), refused);
  });

  test(`a ${era} client gets a long result byte by byte, and nothing else with it`, async () => {
    const config = { mcpServers: server, results: { maxInlineBytes: 0 } };
    await using gateway = await startGateway(server, { plane: { config } });
    const ask = await openVerbatim(gateway.url, era);
    const text = await ask("tools/call", '"name":"raw__long","arguments":{}');
    const given = era === "legacy" ? long : long.slice(0, -1);
    assert.ok(text.startsWith(`{"jsonrpc":"2.0","id":7,"result":${given}`), text.slice(0, 200));
    const { result } = JSON.parse(text) as { result: { resultType?: string } };
    assert.equal(result.resultType, era === "legacy" ? undefined : "complete");
  });

  test(`a ${era} client gets prompts, resources and completions as they were written`, async () => {
    await using gateway = await startGateway(server);
    const ask = await openVerbatim(gateway.url, era);
    assert.ok((await ask("prompts/get", '"name":"raw__greet"')).includes(`"far":${numbers}`));
    assert.ok((await ask("resources/read", '"uri":"raw://one"')).includes(`"far":${numbers}`));
    const completed = await ask(
      "completion/complete",
      '"ref":{"type":"ref/prompt","name":"raw__greet"},"argument":{"name":"a","value":"b"}',
    );
    assert.match(completed, /"total":9007199254740993/);
  });

  test(`a server gets the arguments of a ${era} client as they were written`, async () => {
    await using gateway = await startGateway(server);
    const ask = await openVerbatim(gateway.url, era);
    const members = `"name":"raw__line","arguments":${odd}`;
    const text = await ask("tools/call", members, "7", '"far/away":9007199254740993');
    const [{ text: line }] = (JSON.parse(text) as { result: { content: [{ text: string }] } })
      .result.content;
    assert.ok(line.includes(`"arguments":${odd}`), line);
    assert.ok(line.includes('"far/away":9007199254740993'), line);
  });

  test(`a ${era} client finds its answer under exactly the id it sent`, async () => {
    await using gateway = await startGateway(server);
    const ask = await openVerbatim(gateway.url, era);
    for (const id of ["9007199254740993", "-9007199254740993", '"9007199254740993"'])
      assert.ok((await ask("tools/list", "", id)).includes(`"id":${id},`));
  });
}

test("what our own words are put into keeps everything else it says", async () => {
  await using gateway = await startGateway(server);
  const modern = JSON.parse(
    await (await openVerbatim(gateway.url, "modern"))(
      "tools/call",
      '"name":"raw__marked","arguments":{}',
    ),
  ) as { result: { resultType: string; _meta: object } };
  assert.equal(modern.result.resultType, "complete");
  assert.deepEqual(Object.keys(modern.result._meta), [
    "far/away",
    "io.modelcontextprotocol/serverInfo",
  ]);
  const legacy = await (await openVerbatim(gateway.url, "legacy"))(
    "tools/call",
    '"name":"raw__marked","arguments":{}',
  );
  assert.match(legacy, /"_meta":\{ "far\/away" : 9007199254740993 \}/);
  assert.doesNotMatch(legacy, /resultType|serverInfo/);
});

test("a person is never asked about another number than the one that would be sent", async () => {
  const policy = { rules: [{ tool: "raw.line", verdict: "ask" as const }] };
  await using gateway = await startGateway(
    {},
    { plane: { config: { mcpServers: server, policy, approvals: { holdMs: 1 } } } },
  );
  const ask = await openVerbatim(gateway.url, "legacy");
  const refused = await ask(
    "tools/call",
    '"name":"raw__line","arguments":{"a":{"b":9007199254740993}}',
  );
  assert.match(refused, /'a\.b' of 'raw\.line' is 9007199254740993, which is another number/);
  assert.match(refused, /INVALID_ARGUMENTS/);
  assert.doesNotMatch(refused, /APPROVAL_REQUIRED/);
  const held = await ask(
    "tools/call",
    '"name":"raw__line","arguments":{"a":0.12345678901234567890}',
  );
  assert.match(held, /APPROVAL_REQUIRED/);
});

test("a tool has the title that its server gives it, and where the server gives it", async () => {
  const inputSchema = { type: "object" };
  const tools = [
    { name: "own", description: "One.", title: "Own", inputSchema },
    { name: "annotated", description: "Two.", inputSchema, annotations: { title: "Annotated" } },
    {
      name: "twice",
      description: "Three.",
      title: "Same",
      inputSchema,
      annotations: { title: "Same" },
    },
    { name: "plain", description: "Four.", inputSchema },
  ];
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("tools"), JSON.stringify([tools]));
  const scripted = fixture("scripted-list", ["--tools", directory.file("tools")]);
  await using gateway = await startGateway({ scripted }, { names: "bare" });
  const client = await EraClient.open(gateway.url, "legacy");
  const listed = (await client.request("tools/list")).tools as typeof tools;
  for (const tool of tools)
    assert.deepEqual(
      listed.find(({ name }) => name === tool.name),
      tool,
    );
});
