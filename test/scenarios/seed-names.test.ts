import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, namedServer, runCli, writeConfig } from "./support.ts";

describe("names and variables of the systems that were united here", () => {
  test("mcp.TOOL is a tool of the default server, also where another has one of the name", async () => {
    const servers = {
      one: namedServer("one", ["both", "alone"]),
      two: namedServer("two", ["both"]),
    };
    const config = { tools: { mcp: { enabled: true, default_server: "two", servers } } };
    await using plane = await createPlane({ config: config as never });
    const called = async (name: string) => (await plane.call(name, {})).call.tool;
    assert.equal(await called("mcp.both"), "two.both");
    assert.equal(await called("mcp.one.both"), "one.both");
    assert.equal((await plane.call("both", {})).error?.code, "TOOL_AMBIGUOUS");
    assert.equal((await plane.call("mcp.nothing", {})).error?.code, "TOOL_NOT_FOUND");
  });

  test("the name of a server is that of its only tool", async () => {
    const servers = { bal: namedServer("bal", ["balance"]), two: namedServer("two", ["a", "b"]) };
    await using plane = await createPlane({ config: { mcpServers: servers as never } });
    assert.equal((await plane.call("bal", {})).call.tool, "bal.balance");
    assert.equal((await plane.call("two", {})).error?.code, "TOOL_NOT_FOUND");
  });

  test("FORCE_TOOL_APPROVAL_GLOBALLY makes every call wait, and lets nothing pass that a rule denies", async () => {
    await using directory = await temporaryDirectory();
    const rules = [{ tool: "*.fail", verdict: "deny" }, { verdict: "allow" }];
    const config = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { policy: { rules, askAlways: false } },
    );
    const place = ["--config", config, "--data-dir", directory.file("data"), "--json"];
    const call = async (value: string, ...words: string[]) =>
      (
        await runCli(["call", ...words, ...place], { env: { FORCE_TOOL_APPROVAL_GLOBALLY: value } })
      ).json();
    assert.equal((await call("true", "echo.echo", "message=a")).error?.code, "APPROVAL_REQUIRED");
    assert.equal((await call("true", "echo.fail", "reason=a")).error?.code, "APPROVAL_DENIED");
    assert.equal((await call("false", "echo.echo", "message=a")).ok, true);
  });

  test("the demo shows what is injected: the catalogue, and the caller where that is asked for", async () => {
    await using directory = await temporaryDirectory();
    const demo = { command: "toolplane", args: ["demo"] };
    const config = await writeConfig(directory, {
      demo,
      asked: { ...demo, inject: ["username", "_mcp_data"] },
    });
    const place = ["--config", config, "--data-dir", directory.file("data"), "--user", "ann"];
    const { stdout } = await runCli(["call", "demo.whoami", ...place]);
    assert.match(stdout, /^You are ann\. Servers: .*demo/);
    const forged = await runCli(["call", "demo.whoami", "username=eve", ...place]);
    assert.match(forged.stdout, /^You are ann\./);
    assert.match(
      (await runCli(["call", "asked.whoami", ...place])).stdout,
      /^The argument 'username' is ann\. Servers: /,
    );
    assert.match(
      (await runCli(["call", "asked.whoami", "username=eve", ...place])).stdout,
      /^The argument 'username' is ann\./,
    );
    assert.doesNotMatch(
      (await runCli(["tools", "show", "asked.whoami", ...place])).stdout,
      /_mcp_data/,
    );
  });
});
