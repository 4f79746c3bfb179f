import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Plane } from "../../../src/index.ts";
import { startHttpFixture, temporaryDirectory } from "../../fixtures/start-server.ts";
import {
  errorOf,
  fixture,
  namedServer,
  planeOf,
  runCli,
  textsOf,
  writeConfig,
} from "../support.ts";
import { entriesOf, startsIn } from "./parts.ts";

const namesOf = async (plane: Plane) =>
  (await plane.tools.list()).map(({ id }) => id.tool).toSorted();

suite("what is let through and shown", { concurrency: 4 }, () => {
  const filters: [string, string[] | null, string[] | null, string[]][] = [
    ["null lets all through", null, null, ["get_a", "get_b", "put_a"]],
    ["an empty list lets none through", [], null, []],
    ["names", ["get_a"], null, ["get_a"]],
    ["globs", ["get_*"], null, ["get_a", "get_b"]],
    ["deny alone", null, ["put_*"], ["get_a", "get_b"]],
    ["deny wins", ["get_*"], ["get_b"], ["get_a"]],
    ["an empty deny denies nothing", ["put_a"], [], ["put_a"]],
  ];
  for (const [title, allow_tools, deny_tools, expected] of filters) {
    test(title, async () => {
      const entry = { ...namedServer("srv", ["get_a", "get_b", "put_a"]), allow_tools, deny_tools };
      await using plane = await planeOf({ srv: entry });
      assert.deepEqual(await namesOf(plane), expected);
      for (const tool of ["get_a", "get_b", "put_a"]) {
        const { ok, error } = await plane.call(`srv.${tool}`);
        assert.equal(ok, expected.includes(tool), tool);
        if (!ok) assert.equal(error?.code, "TOOL_NOT_FOUND");
      }
    });
  }

  test("filters for all and for one server both apply", async () => {
    const { createPlane } = await import("../../../src/index.ts");
    const names = ["get_a", "get_b", "put_a"];
    const servers = {
      one: { ...namedServer("one", names), allow_tools: ["get_a", "put_a"] },
      two: { ...namedServer("two", names), deny_tools: ["get_b"] },
    };
    const mcp = { enabled: true, allow_tools: ["get_a", "get_b"], servers };
    await using plane = await createPlane({ config: { tools: { mcp } } });
    assert.deepEqual((await plane.tools.list()).map(({ name }) => name).toSorted(), [
      "one.get_a",
      "two.get_a",
    ]);
  });

  test("a tool that is allowed and does not exist is a configuration error with its name and server", async () => {
    await using directory = await temporaryDirectory();
    const entry = {
      ...namedServer("srv", ["get_a"]),
      allow_tools: ["get_a", "gone_one", "gone_two"],
    };
    const config = await writeConfig(directory, { srv: entry });
    const common = ["--config", config, "--data-dir", directory.file("data")];
    const { code, stdout, stderr } = await runCli(["doctor", ...common]);
    assert.match(stdout + stderr, /gone_one/);
    assert.match(stdout + stderr, /gone_two/);
    assert.match(stdout + stderr, /srv/);
    assert.equal(code, 1);
  });

  test("a bare name of two servers is refused with both, and fine when one is filtered out", async () => {
    const servers = { one: namedServer("one", ["same", "own"]), two: namedServer("two", ["same"]) };
    await using plane = await planeOf(servers);
    const { code, message } = errorOf(await plane.call("same"));
    assert.equal(code, "TOOL_AMBIGUOUS");
    assert.match(message, /'one\.same'.*'two\.same'/);
    assert.deepEqual(textsOf(await plane.call("own")), ["one:own"]);
    await using filtered = await planeOf({
      ...servers,
      two: { ...servers.two, deny_tools: ["same"] },
    });
    assert.deepEqual(textsOf(await filtered.call("same")), ["one:same"]);
  });

  test("a tool without a name is left out with the reason, the rest is kept", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { bad: fixture("bad") });
    const common = ["--config", config, "--data-dir", directory.file("data")];
    const shown = await runCli(["servers", "show", "bad", ...common]);
    assert.match(shown.stdout, /entry 2: it has no name/);
    const listed = await runCli(["servers", "tools", "bad", ...common]);
    assert.deepEqual(
      listed.stdout
        .trim()
        .split("\n")
        .filter((name) => /^good/.test(name)),
      ["good_one", "good_two"],
    );
  });

  test("'servers tools' names the tools of one server, with its secrets resolved", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const other = directory.file("other");
    await using server = await startHttpFixture("http", ["--token", "right-token", "--log", log]);
    const reference = "$" + "{SRV_TOKEN}";
    const config = await writeConfig(directory, {
      srv: { url: server.url, auth: { type: "bearer", token: reference } },
      other: fixture("echo", ["--log", other]),
    });
    const words = [
      "servers",
      "tools",
      "srv",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ];
    const { code, stdout, stderr } = await runCli(words, { env: { SRV_TOKEN: "right-token" } });
    assert.equal(code, 0, stderr);
    assert.ok(stdout.split("\n").includes("invalidate_session"));
    assert.deepEqual([entriesOf(log, "challenged").length, startsIn(other)], [0, []]);
  });
});
