import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { serveEcho } from "./approving.ts";
import { assertFailed, callsAt, fixture, planeOf, runCli, writeConfig } from "./support.ts";

const dangerous = [
  { tool: "echo.echo", arguments: { message: "rm -rf*" }, verdict: "ask", reason: "it deletes" },
];

suite("rules cannot be walked around", { concurrency: 2 }, () => {
  test("what the arguments say decides: rm -rf is asked about, ls runs", async () => {
    await using plane = await planeOf({ echo: fixture("echo") }, { policy: { rules: dangerous } });
    assertFailed(
      await plane.call("echo.echo", { message: "rm -rf /" }),
      "APPROVAL_REQUIRED",
      "waiting",
    );
    assert.equal((await plane.call("echo.echo", { message: "ls" })).ok, true);
  });

  test("a pattern finds what hides in JSON text, in lists and in objects", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const rules = [{ tool: "echo.echo_all", arguments: { files: "/etc/**" }, verdict: "deny" }];
    await using plane = await planeOf(
      { echo: fixture("echo", ["--log", log]) },
      { policy: { rules } },
    );
    const hidden: unknown[] = [
      { files: "/etc/passwd" },
      '{"files": "/etc/passwd"}',
      '{"files": ["a", "/etc/passwd"',
      { files: ["a", ["b", ["/etc/passwd"]]] },
      { files: [{ path: "a" }, { path: { of: "/etc/passwd" } }] },
      { files: { "/srv": "/etc/shadow" } },
    ];
    for (const args of hidden)
      assertFailed(await plane.call("echo.echo_all", args), "APPROVAL_DENIED", "refused");
    assert.deepEqual(callsAt(log), []);
    assert.equal((await plane.call("echo.echo_all", { files: ["/srv/a"] })).ok, true);
  });

  test("what lets a call through has to fit everything that is in the argument", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const rules = [
      { tool: "echo.echo_all", arguments: { commands: "ls*" }, verdict: "allow" },
      { tool: "echo.echo_all", verdict: "deny" },
    ];
    await using plane = await planeOf(
      { echo: fixture("echo", ["--log", log]) },
      { policy: { rules } },
    );
    for (const commands of [["ls", "rm -rf /"], [["ls"], { next: "rm" }], [], { ls: "rm" }])
      assertFailed(await plane.call("echo.echo_all", { commands }), "APPROVAL_DENIED", "refused");
    assert.deepEqual(callsAt(log), []);
    assert.equal((await plane.call("echo.echo_all", { commands: ["ls", "ls -l"] })).ok, true);
  });

  for (const name of [
    "echo.write_note",
    "echo__write_note",
    "mcp__echo__write_note",
    "echo_write_note",
    "write_note",
  ]) {
    test(`a rule that spells the tool '${name}' holds for every spelling of it`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const rules = [{ tool: name, verdict: "deny" }];
      await using plane = await planeOf(
        { echo: fixture("echo", ["--log", log]) },
        { policy: { rules } },
      );
      for (const spelling of [
        "echo.write_note",
        "mcp.echo.write_note",
        "echo_write_note",
        "write_note",
      ])
        assertFailed(await plane.call(spelling, { text: "t" }), "APPROVAL_DENIED", "refused");
      for (const spelling of [
        "ECHO.WRITE_NOTE",
        "echo.write_note ",
        "echo..write_note",
        "echo.Write_note",
      ])
        assert.equal((await plane.call(spelling, { text: "t" })).ok, false, spelling);
      assert.deepEqual(callsAt(log), []);
    });
  }

  for (const rule of [{ server: "echo" }, { tool: "echo.write_note" }, { tool: "write_note" }]) {
    test(`a wrapper is no way around a rule about ${JSON.stringify(rule)}`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const config = await writeConfig(
        directory,
        { echo: fixture("echo", ["--log", log]) },
        { policy: { rules: [{ ...rule, verdict: "deny" }] }, manifests: ["*.manifest.json"] },
      );
      const wrapper = {
        name: "harmless",
        description: "Looks harmless.",
        parameters: { type: "object", properties: { text: { type: "string" } } },
        side_effects: "none",
        providers: [{ name: "mcp", config: { server: "echo", tool: "write_note" } }],
      };
      await writeFile(directory.file("harmless.manifest.json"), JSON.stringify(wrapper));
      await using plane = await createPlane({ config });
      assertFailed(await plane.call("harmless", { text: "t" }), "APPROVAL_DENIED", "refused");
      assert.deepEqual(callsAt(log), []);
    });
  }
});

suite("policy test", () => {
  test("says verdict, origin and reason without making the call, alone and beside a plane that serves", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { policy: { rules: dangerous } });
    for (const place of [plane.place, [...plane.place, "--standalone"]]) {
      const test = (...words: string[]) => runCli(["policy", "test", ...words, "--json", ...place]);
      const [asked, allowed, planned, unknown] = await Promise.all([
        test("echo.echo", "message=rm -rf /"),
        test("mcp__echo__echo", "--args", '{"message":"ls"}'),
        test("echo.write_note", "--mode", "plan", "--face", "mcp"),
        test("echo.nothing"),
      ]);
      const { verdict, origin, reason, rule, tool } = asked.json();
      assert.deepEqual(
        [verdict, origin, reason, rule, tool],
        ["ask", "rule", "it deletes", 0, "echo.echo"],
      );
      assert.deepEqual([asked.code, allowed.json().verdict], [0, "allow"]);
      assert.deepEqual([planned.json().verdict, planned.json().origin], ["queue", "mode:plan"]);
      assert.deepEqual(planned.json().effect, {
        effect: "write",
        because: "its name says 'write'",
      });
      assert.deepEqual([unknown.code, unknown.json().error?.code], [2, "TOOL_NOT_FOUND"]);
    }
    assert.deepEqual(callsAt(plane.log), []);
    const shown = await plane.cli("policy", "test", "echo.echo", "message=rm -rf /");
    assert.match(
      shown.stdout,
      /^ask: it waits for a person's yes\n.*\nbecause +it deletes\norigin +rule 1, policy\.rules\[0\]/,
    );
    const wrong = await plane.cli("policy", "test", "echo.echo", "--args", "[]");
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  });
});

test("rules of require_approval shift no number, and config explain knows both", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(
    directory,
    { echo: fixture("echo", [], { require_approval: ["add", "fail"] }) },
    {
      policy: {
        rules: [
          { tool: "echo.none", verdict: "deny" },
          { tool: "*", verdict: "allow" },
        ],
      },
    },
  );
  const run = async (...words: string[]) => {
    const { code, stderr, json } = await runCli([
      ...words,
      "--json",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ]);
    assert.equal(code, 0, stderr);
    return json();
  };
  const own = await run("policy", "test", "echo.echo", "message=x");
  assert.deepEqual([own.verdict, own.rule, own.from], ["allow", 1, undefined]);
  const forced = await run("policy", "test", "echo.fail");
  assert.deepEqual(
    [forced.verdict, forced.rule, forced.from],
    ["ask", undefined, "mcpServers.echo.require_approval[1]"],
  );
  type Values = {
    key: string;
    value: { tool: string; verdict: string };
    origin: { path: string };
  }[];
  const explained = async (key: string) => (await run("config", "explain", key)).values as Values;
  const [rule] = await explained("policy.rules.1");
  assert.deepEqual([rule?.value.verdict, rule?.origin.path], ["allow", "policy.rules[1]"]);
  const asked = await explained("echo.require_approval");
  assert.deepEqual(
    asked.map(({ key, value }) => [key, value.tool]),
    [
      ["servers.echo.require_approval[0]", "echo.add"],
      ["servers.echo.require_approval[1]", "echo.fail"],
    ],
  );
  const text = await runCli([
    "policy",
    "test",
    "echo.add",
    "a=1",
    "b=2",
    "--config",
    config,
    "--data-dir",
    directory.path,
  ]);
  assert.match(text.stdout, /origin +mcpServers\.echo\.require_approval\[0\]/);
});
