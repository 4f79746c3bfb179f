import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { readLog, receivedMessages, temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson, postCall } from "../scenarios/requests.ts";
import { fixture, runCli, startServe, writeConfig } from "../scenarios/support.ts";

suite("the rest of the rows", { concurrency: 2 }, () => {
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

  test("a file is named on the command line and over HTTP, and a declared file_url has its address", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const inject = [{ parameter: "filename", from: "files" }];
    const config = await writeConfig(directory, { insider: fixture("insider", ["--log", log], { inject }) });
    const address = "https://files.example.org/a?token=tk-1";
    const sent = () =>
      receivedMessages(readLog(log))
        .filter(({ method }) => method === "tools/call")
        .map(({ params }) => (params as { arguments: object }).arguments);
    const expected = { filename: address, original_filename: "a.pdf", file_url: address };
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const words = ["call", "insider.files", "filename=a.pdf"];
    const called = await runCli([...words, "--file", `a.pdf=${address}`, ...place]);
    assert.equal(called.code, 0, called.stderr);
    assert.deepEqual(sent(), [expected]);
    const wrong = await runCli([...words, "--file", "a.pdf", ...place]);
    assert.deepEqual([wrong.code, wrong.stderr.includes("NAME=ADDRESS")], [2, true]);
    await using serving = await startServe(config, directory.file("data"));
    const post = async (files: unknown) =>
      await postCall(serving.url, "insider.files", { arguments: { filename: "a.pdf" }, files });
    const answer = await post({ "a.pdf": address });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(sent().at(-1), expected);
    assert.equal((await post(["a.pdf"])).status, 400);
    const records = await getJson(`${serving.url}/calls`);
    assert.ok(!JSON.stringify(records.body).includes("tk-1"));
    const attached = await runCli([...words, "--file", `a.pdf=${address}`, ...place]);
    assert.equal(attached.code, 0, attached.stderr);
    assert.deepEqual(sent().at(-1), expected, "through the socket of the plane that serves, too");
  });

  test("one answer has files, counts, failed attempts, waits and the next try", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      good: fixture("offering"),
      gone: { command: process.execPath, args: ["-e", "process.exit(3)"], backoffMs: 5_000, maxBackoffMs: 7_000 },
    });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    type Status = Record<string, unknown> & { name: string };
    const facts = (servers: Status[]) => {
      const { attempts, reconnect, nextRetryAt } = servers.find(({ name }) => name === "gone") as Status;
      assert.deepEqual([Number(attempts) > 0, reconnect], [true, { backoffMs: 5_000, maxBackoffMs: 7_000 }]);
      assert.equal(typeof nextRetryAt, "string");
      const { offers } = servers.find(({ name }) => name === "good") as Status & { offers: { prompts: unknown } };
      assert.ok("prompts" in offers);
    };
    const listed = (await runCli(["servers", "list", "--json", ...place])).json();
    assert.deepEqual(listed.files, [config]);
    facts(listed.servers as Status[]);
    const shown = await runCli(["servers", "show", "gone", ...place]);
    assert.match(shown.stdout, /failed tries +\d[\s\S]*waits +5000 to 7000 ms/);
    await using serving = await startServe(config, directory.file("data"));
    await getJson(`${serving.url}/tools`);
    const { body } = await getJson(`${serving.url}/servers`);
    assert.deepEqual(body.files, ["toolplane.json"]);
    facts(body.servers as Status[]);
  });
});
