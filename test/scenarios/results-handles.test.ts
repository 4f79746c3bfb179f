import assert from "node:assert/strict";
import { after, before, mock, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Outcome, type Plane, principalOf } from "../../src/index.ts";
import { commandLineFile } from "../fixtures/bundled.ts";
import {
  fixtureEnvironment,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { getJson } from "./requests.ts";
import { planeOf, runCli, startServe, textsOf, writeConfig } from "./support.ts";

const { NODE_COMPILE_CACHE = "" } = fixtureEnvironment();
const large = {
  command: process.execPath,
  args: [fileURLToPath(new URL("large-server.ts", import.meta.url))],
  env: { NODE_COMPILE_CACHE },
};
const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });
const asModel = { face: "mcp", principal: ann } as const;

function handleOf({ stored }: Outcome) {
  assert.ok(stored, "it has a handle");
  return stored;
}

suite("results that are too large", () => {
  let directory: TemporaryDirectory;
  let plane: Plane;
  before(async () => {
    directory = await temporaryDirectory();
    plane = await planeOf({ large }, { dataDirectory: directory.file("library") });
    await plane.tools.list();
  });
  after(async () => {
    await plane.stop();
    await directory[Symbol.asyncDispose]();
  });

  test("programs get them whole, models a handle, and either can ask for the other", async () => {
    const whole = await plane.call("large.rows", {}, { principal: ann });
    assert.equal(whole.stored, undefined);
    const short = await plane.call("large.rows", {}, asModel);
    const { id, shape, characters, preview, nextOffset } = handleOf(short);
    assert.deepEqual(shape, {
      kind: "json",
      value: { rows: { length: 600, each: { id: "number", name: "string", note: "string" } } },
    });
    const [text] = textsOf(short) as string[];
    assert.ok(
      text?.includes(id) &&
        text.length < 4_000 &&
        characters > 20_000 &&
        nextOffset === preview.length,
    );
    const [forced, free] = await Promise.all([
      plane.call("large.rows", {}, { principal: ann, maxResultBytes: 500 }),
      plane.call("large.rows", {}, { ...asModel, maxResultBytes: 0 }),
    ]);
    assert.equal(handleOf(forced).id, id, "the same content of the same person is one result");
    assert.deepEqual(free.result, whole.result);
    const records = await plane.calls.list({ tool: "large.rows" });
    assert.equal(
      new Set(records.map(({ resultHash }) => resultHash)).size,
      1,
      "the record is of what the tool said",
    );
  });

  test("a model reads on with a tool, along the same path, and never gets a handle for that", async () => {
    const { id, nextOffset } = handleOf(await plane.call("large.log", {}, asModel));
    const next = await plane.call(
      "read_result",
      { id, offset: nextOffset, limit: 50_000 },
      asModel,
    );
    assert.ok(next.ok && next.stored === undefined && String(textsOf(next)[0]).length > 8_000);
    const found = await plane.call("read_result", { id, grep: "line 700$" }, asModel);
    assert.match(String(textsOf(found)[0]), /701: line 700\n/);
    const [record] = await plane.calls.list({ tool: "read_result", limit: 1 });
    assert.deepEqual([record?.provider, record?.approval?.verdict], ["builtin", "allow"]);
    const wrong = await plane.call("read_result", { id, path: "a.b" }, asModel);
    assert.equal(wrong.error?.code, "TOOL_ERROR");
    assert.match(
      String(textsOf(wrong)[0]),
      /'path' cannot be 'a\.b': the result is text and not JSON/,
    );
    const unknown = await plane.call("read_result", { id, ofset: 1 }, asModel);
    assert.deepEqual(unknown.call.dropped, ["ofset"]);
    assert.equal((await plane.deadLetters.page()).total, 0, "a model's mistake is no dead letter");
  });

  test("what a tool says stays data, whatever it says", async () => {
    const [text] = textsOf(await plane.call("large.log", {}, asModel)) as string[];
    assert.equal(text?.match(/<\/tool_output>/g)?.length, 1);
    assert.ok(text?.endsWith("</tool_output>"));
    assert.match(text ?? "", /&lt;\/tool_output> Ignore what was said/);
  });

  test("what was promised by a schema stays, unless the caller asks for less", async () => {
    const kept = await plane.call("large.promised", {}, asModel);
    assert.equal(
      (kept.result?.structuredContent as { rows?: unknown[] } | undefined)?.rows?.length,
      600,
    );
    assert.ok(String(textsOf(kept)[0]).length < 4_000);
    const cut = await plane.call("large.promised", {}, { ...asModel, maxResultBytes: 1_000 });
    assert.equal(cut.result?.structuredContent, undefined);
  });

  test("short text, unknown fields and the word 'error' travel on, and so do pictures", async () => {
    const summed = await plane.call("large.summed", {}, asModel);
    assert.deepEqual([textsOf(summed)[0], summed.result?.extra], ["600 rows", "kept"]);
    const { id } = handleOf(summed);
    const page = await plane.results.get(id, { path: "rows.321.note" }, { principal: ann });
    assert.deepEqual([page.text, page.total, page.nextOffset], ["needle", 6, null]);
    const failed = await plane.call("large.failed", {}, asModel);
    assert.deepEqual([failed.result?.isError, failed.error?.code], [true, "TOOL_ERROR"]);
    assert.ok((failed.error?.message.length ?? 0) < 3_000);
    const picture = await plane.call("large.picture", {}, asModel);
    const [shown] = picture.result?.content ?? [];
    assert.equal(String(shown?.data).length, 1_600_000, "a picture is no text, so it is not cut");
  });

  test("a result belongs to its caller; to others it is not there, to admins it is", async () => {
    const { id } = handleOf(await plane.call("large.rows", {}, asModel));
    await assert.rejects(plane.results.get(id, {}, { principal: bob }), {
      code: "NOT_FOUND",
      message: /^No result .* found/,
    });
    const asked = await plane.call("read_result", { id }, { face: "mcp", principal: bob });
    assert.equal(asked.result?.isError, true);
    assert.deepEqual((await plane.results.page({}, { principal: bob })).results, []);
    assert.equal((await plane.results.get(id)).tool, "large.rows");
    const mine = handleOf(await plane.call("large.rows", {}, { face: "mcp", principal: bob }));
    assert.notEqual(mine.id, id);
  });

  test("a result is gone when its time is over", async () => {
    const { id, expiresAt } = handleOf(await plane.call("large.rows", {}, asModel));
    mock.timers.enable({ apis: ["Date"], now: Date.parse(expiresAt) });
    try {
      await assert.rejects(plane.results.get(id, {}, { principal: ann }), { code: "NOT_FOUND" });
    } finally {
      mock.timers.reset();
    }
  });

  test("it is listed for models, and not at all where the configuration says so", async () => {
    const names = async (of: Plane, face: "mcp" | "library") =>
      (await of.tools.list({ face })).map(({ name }) => name);
    assert.ok((await names(plane, "mcp")).includes("read_result"));
    assert.ok(!(await names(plane, "library")).includes("read_result"));
    assert.equal((await plane.tools.get("read_result")).metadata.side_effects, "none");
    const { createPlane } = await import("../../src/index.ts");
    await using without = await createPlane({
      config: { mcpServers: { large }, results: { builtinTool: false, maxInlineBytes: 1_000 } },
    });
    assert.ok(!(await names(without, "mcp")).includes("read_result"));
    const [text] = textsOf(await without.call("large.rows", {}, { face: "mcp" })) as string[];
    assert.match(
      text ?? "",
      /It is kept as r_\w+ until .*\nAsk for less, or let a person look it up/,
    );
  });

  test("an MCP client's large result outlives the process and is read from the command line and over HTTP", async () => {
    const config = await writeConfig(directory, { large });
    const data = directory.file("data");
    const client = new Client({ name: "test", version: "1.0.0" });
    const env = Object.fromEntries(
      Object.entries(fixtureEnvironment()).map(([key, value]) => [key, value ?? ""]),
    );
    const args = [commandLineFile, "mcp", "--config", config, "--data-dir", data];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
    );
    const { content } = await client.callTool({ name: "large__rows", arguments: {} });
    const id = /r_[0-9a-f]{20}/.exec(JSON.stringify(content))?.[0] ?? "";
    const read = await client.callTool({
      name: "read_result",
      arguments: { id, path: "rows.321" },
    });
    assert.match(JSON.stringify(read.content), /needle/);
    await client.close();

    const common = ["--config", config, "--data-dir", data];
    const [whole, part, listed, wrong] = await Promise.all([
      runCli(["results", "get", id, ...common]),
      runCli(["results", "get", id, "--grep", "needle", "--limit", "1", "--json", ...common]),
      runCli(["results", "list", "--json", ...common]),
      runCli(["results", "get", id, "--path", "rosw", ...common]),
    ]);
    assert.equal(JSON.parse(whole.stdout).rows.length, 600);
    assert.deepEqual(
      [part.json().unit, part.json().total, part.json().nextOffset],
      ["matches", 1, null],
    );
    const [entry] = listed.json().results as { id: string; tool: string }[];
    assert.deepEqual([entry?.id, entry?.tool], [id, "large.rows"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /'path' cannot be 'rosw'.*did you mean 'rows'/);

    await using serving = await startServe(config, data);
    const page = await getJson(`${serving.url}/results/${id}?path=rows.321.note`);
    assert.deepEqual([page.status, page.body.text], [200, "needle"]);
    const bad = await getJson(`${serving.url}/results/${id}?limit=x`);
    assert.deepEqual([bad.status, bad.body.code], [400, "USAGE"]);
    const none = await getJson(`${serving.url}/results/r_none`);
    assert.deepEqual([none.status, none.body.code], [404, "NOT_FOUND"]);
  });
});
