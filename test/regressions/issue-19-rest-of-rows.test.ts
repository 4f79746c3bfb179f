import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, writeConfig } from "../scenarios/support.ts";

suite("the rest of the rows", { concurrency: 2 }, () => {
  test("row 126: rules of require_approval shift no number, and config explain knows both", async () => {
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
    type Values = { key: string; value: { tool: string; verdict: string }; origin: { path: string } }[];
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
    const text = await runCli(["policy", "test", "echo.add", "a=1", "b=2", "--config", config]);
    assert.match(text.stdout, /origin +mcpServers\.echo\.require_approval\[0\]/);
  });
});
