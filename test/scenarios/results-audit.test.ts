import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPlane, type PlaneEvent, principalOf } from "../../src/index.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { leaksOf } from "./leaks.ts";
import { errorOf, fixture, runCli, startServe, writeConfig } from "./support.ts";

const { NODE_COMPILE_CACHE } = fixtureEnvironment();

function leaky(seed: number) {
  const file = fileURLToPath(new URL("leaky-server.ts", import.meta.url));
  return { command: process.execPath, args: [file, String(seed)], env: { NODE_COMPILE_CACHE } };
}

/** Everything in the data directory, as it stands on the disk. */
async function bytesIn(directory: string): Promise<string> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const plain = files.filter((file) => file.isFile());
  const texts = plain.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

function assertKeepsSecret(where: string, text: string, seed: number): void {
  for (const { secret, text: said } of leaksOf(seed))
    assert.ok(!text.includes(secret), `${where} shows '${secret}' of: ${said}`);
}

suite("the record of calls", () => {
  for (const seed of [1, 2, 3]) {
    test(`no secret that a server or a hook says is kept or told (${seed})`, async () => {
      await using directory = await temporaryDirectory();
      const said = leaksOf(seed).map(({ text }) => text);
      const reasons = directory.file("reasons.json");
      await writeFile(reasons, JSON.stringify({ decision: "deny", reason: said.join(" ; ") }));
      const hooks = {
        PreToolUse: [
          {
            name: "guard",
            matcher: "chat_held$",
            command: ["/bin/cat", reasons],
            timeout_ms: 60_000,
          },
        ],
      };
      const tools = {
        chat_held: {
          name: "chat_held",
          description: "d",
          side_effects: "none",
          providers: [{ name: "mcp", config: { server: "leaky", tool: "chat" } }],
        },
      };
      const more = { hooks, tools };
      const config = await writeConfig(directory, { leaky: leaky(seed) }, more);
      const data = directory.file("data");
      const events: PlaneEvent[] = [];
      {
        await using plane = await createPlane({ config, dataDirectory: data });
        for (const type of [
          "tool.progress",
          "tool.result",
          "tool.retry",
          "server.error",
          "server.disconnected",
        ] as const)
          plane.on(type, (event) => void events.push(event));
        const outcomes = [];
        for (const tool of ["leaky.refuse", "leaky.chat", "chat_held", "leaky.crash"])
          outcomes.push(await plane.call(tool));
        assert.deepEqual(
          outcomes.map(({ error }) => error?.code),
          ["PROVIDER_FAILED", undefined, "APPROVAL_DENIED", "OUTCOME_UNKNOWN"],
        );
        assert.ok(events.some(({ type }) => type === "tool.progress"));
        const told = [outcomes[0], outcomes[2], events, await plane.servers.logs("leaky")];
        for (const one of told)
          assert.match(JSON.stringify(one), /\[redacted\]/, "it was said, and hidden");
        assertKeepsSecret("an outcome", JSON.stringify(outcomes), seed);
        assertKeepsSecret("an event", JSON.stringify([events, await plane.events.list()]), seed);
        assertKeepsSecret("a log", JSON.stringify(await plane.servers.logs("leaky")), seed);
        assertKeepsSecret(
          "a record",
          JSON.stringify([await plane.calls.list(), await plane.deadLetters.page()]),
          seed,
        );
        assertKeepsSecret("a server", JSON.stringify(await plane.servers.list()), seed);
        assertKeepsSecret("a list of calls", JSON.stringify(await plane.calls.activity()), seed);
      }
      assertKeepsSecret("the data directory", await bytesIn(data), seed);
      const common = ["--config", config, "--data-dir", data];
      for (const tool of ["leaky.refuse", "leaky.crash", "chat_held"]) {
        const { stdout, stderr } = await runCli(["call", tool, ...common]);
        assertKeepsSecret("the command line", stdout + stderr, seed);
      }
    });
  }

  test("the command line lists calls, shows one with where its time went, and pages", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const common = ["--config", config, "--data-dir", directory.file("data")];
    {
      await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
      const ann = { principal: principalOf({ user: "ann" }) };
      await plane.call("echo.echo", { message: "secret words" }, ann);
      await plane.call("echo.fail", {}, { principal: principalOf({ user: "bob" }) });
      await plane.call("echo.add", { a: 1, b: 2 }, ann);
    }
    const list = (...more: string[]) => runCli(["calls", "list", "--json", ...more, ...common]);
    const toolsOf = ({ json }: { json(): object }) =>
      (json() as { calls: { tool: string }[] }).calls.map(({ tool }) => tool);
    const [all, anns, failed, first, wrong] = await Promise.all([
      list(),
      list("--user", "ann"),
      list("--status", "tool_error"),
      list("--limit", "2"),
      list("--status", "fine"),
    ]);
    assert.deepEqual(toolsOf(all), ["echo.add", "echo.fail", "echo.echo"]);
    assert.deepEqual(toolsOf(anns), ["echo.add", "echo.echo"]);
    assert.deepEqual(toolsOf(failed), ["echo.fail"]);
    const rest = await list("--cursor", String(first.json().nextCursor));
    assert.deepEqual([toolsOf(rest), rest.json().nextCursor], [["echo.echo"], null]);
    assert.deepEqual([wrong.code, errorOf(wrong.json()).code], [2, "USAGE"]);

    const { id } = (all.json().calls as { id: string }[])[2] ?? { id: "" };
    const [shown, asJson, missing] = await Promise.all([
      runCli(["calls", "show", id, ...common]),
      runCli(["calls", "show", id, "--json", ...common]),
      runCli(["calls", "show", "none", ...common]),
    ]);
    assert.match(shown.stdout, /echo\.echo/);
    assert.match(shown.stdout, /called by\s+ann via library/);
    assert.match(shown.stdout, /verdict\s+allow \(profile:personal\)/);
    assert.match(shown.stdout, /execute\s+[█▏]+\s+[\d.]+ ms/);
    assert.ok(!shown.stdout.includes("secret words"));
    assert.equal((asJson.json().call as { id: string }).id, id);
    assert.equal(missing.code, 1);
  });

  test("the command line shows what is kept of calls, and says where nothing is", async () => {
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    const run = async (keepPayloads: boolean, ...words: string[]) => {
      const more = { observability: { keepPayloads } };
      const config = await writeConfig(directory, { echo: fixture("echo") }, more);
      return runCli([...words, "--config", config, "--data-dir", data]);
    };
    await run(false, "call", "echo.echo", "message=forgotten");
    const silent = await run(false, "calls", "list", "--payloads");
    assert.match(silent.stderr, /are not kept\. 'observability\.keepPayloads' keeps/);
    await run(true, "call", "echo.echo", "message=remembered");
    const listed = await run(true, "calls", "list", "--payloads");
    assert.match(listed.stdout, /arguments {2}\{"message":"remembered"\}\n {2}result/);
    assert.match(listed.stdout, /arguments and result are not kept/);
    assert.equal(listed.stderr, "");
    const { calls } = (await run(true, "calls", "list", "--payloads", "--json")).json();
    const [newest] = calls as { id: string; payload: { arguments: object } }[];
    assert.deepEqual(newest?.payload.arguments, { message: "remembered" });
    const shown = await run(true, "calls", "show", newest?.id ?? "");
    assert.match(shown.stdout, /Kept\n {2}arguments {2}\{"message":"remembered"\}/);
  });

  test("it can be verified, and each change of it is found, also through a plane that serves", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const data = directory.file("data");
    const common = ["--config", config, "--data-dir", data];
    {
      await using serving = await startServe(config, data);
      assert.ok(serving.url);
      for (const message of ["a", "b", "c"])
        await runCli(["call", "echo.echo", `message=${message}`, ...common]);
      const good = await runCli(["calls", "verify", "--json", ...common]);
      assert.deepEqual([good.code, good.json().ok, good.json().calls], [0, true, 3]);
    }
    const database = new DatabaseSync(join(data, "toolplane.db"));
    database.exec(
      "DROP TRIGGER calls_are_not_changed; UPDATE calls SET record = replace(record, 'cli', 'mcp') WHERE sequence = (SELECT sequence FROM calls ORDER BY sequence LIMIT 1 OFFSET 1)",
    );
    const { id } =
      database.prepare("SELECT id FROM calls ORDER BY sequence LIMIT 1 OFFSET 1").get() ?? {};
    database.close();
    const bad = await runCli(["calls", "verify", ...common]);
    assert.equal(bad.code, 1);
    assert.ok(bad.stdout.includes(`broken at call '${id}'`), bad.stdout);
  });
});
