import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  errorOf,
  fixture,
  namedServer,
  planeOf,
  runCli,
  textsOf,
  writeConfig,
} from "./support.ts";

const longServer = "server_".padEnd(40, "x");
const longTool = "tool_".padEnd(50, "y");

suite("names of tools", { concurrency: 4 }, () => {
  test("every spelling of a tool calls it, whatever underscores its names hold", async () => {
    await using plane = await planeOf({
      my_srv: fixture("echo"),
      my: namedServer("my", ["other"]),
    });
    const spellings = [
      "my_srv.do_it_now",
      "my_srv_do_it_now",
      "mcp.my_srv.do_it_now",
      "mcp_my_srv_do_it_now",
      "mcp__my_srv__do_it_now",
      "do_it_now",
    ];
    for (const spelling of spellings) {
      const outcome = await plane.call(spelling);
      assert.deepEqual(textsOf(outcome), ["done"], spelling);
      assert.equal(outcome.call.tool, "my_srv.do_it_now");
    }
    assert.deepEqual(textsOf(await plane.call({ server: "my_srv", tool: "do_it_now" })), ["done"]);
  });

  test("long names are cut to what model APIs take, the same in every run, and stay callable", async () => {
    const servers = {
      [longServer]: namedServer("long", [longTool, `${longTool}z`]),
      short: fixture("echo"),
    };
    const names: string[][] = [];
    for (const _ of [1, 2]) {
      await using plane = await planeOf(servers);
      const tools = await plane.tools.list();
      const modelNames = tools.map(({ modelName }) => modelName);
      for (const name of modelNames) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
      assert.equal(new Set(modelNames).size, tools.length);
      names.push(modelNames);
      for (const { id, modelName, name } of tools.filter(({ id }) => id.server === longServer)) {
        assert.deepEqual(textsOf(await plane.call(modelName)), [`long:${id.tool}`]);
        assert.deepEqual(textsOf(await plane.call(name)), [`long:${id.tool}`]);
      }
    }
    assert.deepEqual(names[0], names[1]);
  });

  test("names that no model API takes get one that it takes", async () => {
    await using plane = await planeOf({
      "my server": namedServer("odd", ["näme/one", "näme.one", "x"]),
    });
    const tools = await plane.tools.list();
    assert.equal(new Set(tools.map(({ modelName }) => modelName)).size, 3);
    for (const { id, name, modelName } of tools) {
      assert.match(modelName, /^[A-Za-z0-9_-]{1,64}$/);
      assert.deepEqual(textsOf(await plane.call(modelName)), [`odd:${id.tool}`]);
      assert.deepEqual(textsOf(await plane.call(name)), [`odd:${id.tool}`]);
    }
  });

  test("two tools that share a spelling both stay callable and the shared one is refused", async () => {
    const servers = { a: namedServer("a", ["b_c"]), a_b: namedServer("a_b", ["c"]) };
    await using plane = await planeOf(servers);
    const shared = await plane.call("a_b_c");
    assertFailed(shared, "TOOL_AMBIGUOUS", "refused");
    assert.match(errorOf(shared).message, /'a\.b_c' or 'a_b\.c'|'a_b\.c' or 'a\.b_c'/);
    assert.deepEqual(textsOf(await plane.call("a.b_c")), ["a:b_c"]);
    assert.deepEqual(textsOf(await plane.call("a_b.c")), ["a_b:c"]);
    const tools = await plane.tools.list();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ["a.b_c", "a_b.c"]);
    for (const { id, modelName } of tools) {
      assert.deepEqual(textsOf(await plane.call(modelName)), [`${id.server}:${id.tool}`]);
    }
  });

  test("a shared spelling is refused no matter which server was started first", async () => {
    await using plane = await planeOf({
      a: namedServer("a", ["b_c"]),
      a_b: namedServer("a_b", ["c"]),
    });
    assert.deepEqual(textsOf(await plane.call("a.b_c")), ["a:b_c"]);
    assertFailed(await plane.call("a_b_c"), "TOOL_AMBIGUOUS", "refused");
  });

  test("a bare name works while it is unique and lists the candidates when it is not", async () => {
    await using plane = await planeOf({
      one: namedServer("one", ["same", "only_here"]),
      two: namedServer("two", ["same"]),
    });
    assert.deepEqual(textsOf(await plane.call("only_here")), ["one:only_here"]);
    const ambiguous = await plane.call("same");
    assertFailed(ambiguous, "TOOL_AMBIGUOUS", "refused");
    assert.deepEqual(errorOf(ambiguous).data.candidates, ["one.same", "two.same"]);
  });

  test("the command line names the candidates and exits with 2", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      a: namedServer("a", ["b_c"]),
      a_b: namedServer("a_b", ["c"]),
    });
    const common = ["--config", config, "--data-dir", directory.path];
    const [shared, own, shown] = await Promise.all([
      runCli(["call", "a_b_c", ...common]),
      runCli(["call", "mcp__a_b__c", ...common]),
      runCli(["tools", "show", "a_b_c", "--json", ...common]),
    ]);
    assert.equal(shared.code, 2);
    assert.match(shared.stderr, /'a\.b_c'.*'a_b\.c'.*Use one of these names/);
    assert.deepEqual([own.code, own.stdout], [0, "a_b:c\n"]);
    assert.deepEqual([shown.code, shown.json().error?.code], [2, "TOOL_AMBIGUOUS"]);
  });
});
