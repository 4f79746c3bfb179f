import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ToolListing } from "../../../src/index.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson, postCall } from "../requests.ts";
import {
  planeOf,
  runCli,
  startServe,
  startServeProcess,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { listChanges, startMcp } from "./mcp-client.ts";
import { residentMegabytes } from "./probes.ts";
import { eventually, oracle, received, rogue, statusOf } from "./rogue.ts";

/** Asks again while the server is not done: an answer does not wait for one for longer than a second. */
async function countListed(url: string, server: string): Promise<unknown> {
  let count: unknown;
  await until(`a list of '${server}'`, async () => {
    const { status, body } = await getJson(`${url}/tools?server=${server}`);
    count = body.count;
    return status === 200;
  });
  return count;
}

suite("rogue: listing and registry", { concurrency: 2 }, () => {
  test("two thousand list_changed cause a handful of listings and tell the client nothing", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      storm: rogue("listchanged-storm", ["--log", log]),
    });
    await using client = await startMcp(config, directory.file("data"));
    await eventually("its tools", async () => (await client.toolNames()).includes("storm__lists"));
    const atFirst = listChanges(client);
    await until("the end of the storm", () => oracle(log, "storm-end").length === 1);
    await delay(2_000);
    const listings = oracle(log, "tools/list").length;
    assert.ok(listings <= 10, `${listings} listings`);
    assert.ok(listChanges(client) <= 3, `${listChanges(client)} notifications`);
    assert.equal(listChanges(client) - atFirst, 0, "nothing had changed");
  });

  test("five thousand tools are listed whole, in bounded memory, and the last is called", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const many = rogue("many-tools", ["--log", log], { autoConnect: false });
    const config = await writeConfig(directory, { many, neighbour: rogue("echo") });
    await using serving = await startServeProcess(config, directory.file("data"));
    await eventually("a call", async () => {
      return (await postCall(serving.url, "neighbour.echo", {})).status === 200;
    });
    const before = residentMegabytes(serving.process.pid);
    assert.equal(await countListed(serving.url, "many"), 5_000);
    assert.equal(oracle(log, "tools/list").length, 20);
    const { body } = await postCall(serving.url, "many.tool_04999", { arguments: { id: "x" } });
    assert.match(JSON.stringify(body.result), /tool_04999/);
    await eventually("memory within 100 MB", async () => {
      return residentMegabytes(serving.process.pid) <= before + 100;
    });
  });

  // How long a search takes is measured by bench/search.
  test("many searches in five thousand tools find what is meant", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { many: rogue("many-tools") });
    await using serving = await startServe(config, directory.file("data"));
    assert.equal(await countListed(serving.url, "many"), 5_000);
    for (let tenant = 0; tenant < 97; tenant++) {
      const { status, body } = await getJson(
        `${serving.url}/search?q=export+invoice+tenant+${tenant}`,
      );
      assert.equal(status, 200);
      const [best] = body.tools as { summary: string }[];
      assert.ok(best?.summary.startsWith(`export a invoice in tenant ${tenant}.`), best?.summary);
    }
  });

  test("a schema is repaired, or costs only its own tool, which is named with the reason", async () => {
    await using plane = await planeOf({
      invalid: rogue("invalid-schema"),
      neighbour: rogue("echo"),
    });
    const names = (await plane.tools.list({ server: "invalid" })).map(({ id }) => id.tool);
    const bad = ["props_array", "pattern_broken", "dialect_unknown"];
    const repaired = [
      ...["schema_null", "schema_missing", "schema_string_type", "schema_array", "required_string"],
      "type_unknown",
    ];
    const { rejected, state } = await statusOf(plane, "invalid");
    assert.equal(state, "connected");
    for (const tool of bad) {
      const found = rejected.find((entry) => entry.tool === tool);
      assert.ok(found && found.reason.length > 5, `'${tool}' is not quarantined`);
      assert.ok(!names.includes(tool), `'${tool}' is listed`);
    }
    for (const tool of repaired) assert.equal(names.includes(tool), true, tool);
    // Without a name, with a number as name, null and a text.
    const nameless = rejected.filter(({ tool }) => !bad.includes(tool));
    assert.ok(nameless.length >= 4, JSON.stringify(nameless));
    assert.deepEqual(textsOf(await plane.call("invalid.good", { a: 1 })), ["called good"]);
    assert.ok(names.includes("root_oneof"), "a oneOf at the root is legal");
    assert.deepEqual(textsOf(await plane.call("invalid.root_oneof", { a: 1 })), [
      "called root_oneof",
    ]);
    assert.equal((await plane.call("neighbour.echo")).ok, true);
  });

  test("a result that breaks its own schema is reported with the path", async () => {
    await using plane = await planeOf({ invalid: rogue("invalid-schema") });
    const { error, call } = await plane.call("invalid.breaks_output");
    assert.match(`${error?.message} ${call.warnings.join()}`, /\/n\b/);
  });

  test("names are unique and stable, and a call reaches the server it names", async () => {
    const a = rogue("duplicate-names", ["--name", "a"]);
    const b = rogue("duplicate-names", ["--name", "b"]);
    await using plane = await planeOf({ a, b });
    await using reversed = await planeOf({ b, a });
    const spell = (tools: readonly ToolListing[]) =>
      tools.flatMap(({ name, modelName }) => [name, modelName]);
    const tools = await plane.tools.list();
    const names = tools.map(({ name }) => name);
    const modelNames = tools.map(({ modelName }) => modelName);
    assert.equal(new Set(names).size, names.length);
    assert.equal(new Set(modelNames).size, modelNames.length);
    assert.deepEqual(
      spell(await reversed.tools.list()).sort(),
      spell(tools).sort(),
      "the order of servers is no name",
    );
    for (const { id, name, modelName } of tools) {
      for (const spelling of [name, modelName]) {
        const [text] = textsOf(await plane.call(spelling));
        assert.deepEqual(JSON.parse(String(text)), id, spelling);
      }
    }
    for (const server of ["a", "b"]) {
      assert.equal(
        tools.filter(({ id }) => id.server === server).length,
        4,
        "dup, Dup, DUP and plain",
      );
      const { rejected } = await statusOf(plane, server);
      assert.deepEqual(
        rejected.map(({ tool }) => tool),
        ["dup"],
      );
    }
  });

  test("a tool that is not there is refused with near names and reaches no server", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      neighbour: rogue("echo", ["--log", log]),
      off: rogue("echo", ["--log", log], { enabled: false }),
    });
    await using client = await startMcp(config, directory.file("data"));
    for (const [name, near] of [
      ["neighbour__ecko", /neighbour__echo/],
      ["neighbour__Echo", /neighbour__echo/],
      ["off__echo", /off/],
    ] as const) {
      const { error } = await client.call(name);
      assert.equal(error?.code, -32602, name);
      assert.match(error.message, /Unknown tool/);
      assert.match(error.message, near);
    }
    assert.deepEqual(received(log, "tools/call"), []);
  });

  test("the command line answers an unknown tool with 2, and no server counts it as a failure", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      neighbour: rogue("echo", ["--log", log]),
      off: rogue("echo", ["--log", log], { enabled: false }),
    });
    const common = ["--config", config, "--data-dir", directory.file("data")];
    const asked = ["neighbour.ecko", "neighbour.ECHO", "off.echo"];
    const codes = await Promise.all(
      asked.map(async (name) => (await runCli(["call", name, ...common])).code),
    );
    assert.deepEqual(codes, [2, 2, 2]);
    await using serving = await startServe(config, directory.file("data"));
    for (const name of asked) assert.equal((await postCall(serving.url, name, {})).status, 404);
    const { state, error } = await statusOf(serving.url, "neighbour");
    assert.equal(error, null);
    assert.match(state, /^(connected|disconnected)$/, "a server that is not needed may be stopped");
    assert.deepEqual(received(log, "tools/call"), []);
    const { status } = await within("a call", postCall(serving.url, "neighbour.echo", {}));
    assert.equal(status, 200);
  });

  test("a server whose list is not taken whole says so in its status", async () => {
    await using plane = await planeOf({ endless: rogue("stdio-odd", ["--mode", "endless"]) });
    await plane.servers.connect("endless");
    const [status] = await plane.servers.list();
    assert.match(status?.incomplete?.reason ?? "", /more than 1000 pages/);
  });
});
