import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { instructionsFor } from "../../src/faces/gateway/instructions.ts";
import { createPlane } from "../../src/index.ts";
import { codeTools } from "../../src/model/catalogue/meta-tools.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { agentWorld, sentTo, toldOf } from "./agent-world.ts";
import { serveEcho } from "./approving.ts";
import { fixture, namedServer, runCli, writeConfig } from "./support.ts";

const servers = {
  "my-notes": fixture("echo"),
  files: namedServer("files", ["list-all", "get.one"]),
};
const program =
  'const said = await tools.my_notes.echo({ message: "hi" }); return { said, files: await tools.files.list_all({}) }';

async function open(url: string, era: "legacy" | "modern", options = {}) {
  const client = await EraClient.open(url, era, options);
  return {
    client,
    async call(name: string, args: JsonObject) {
      const { content, isError } = (await client.request("tools/call", {
        name,
        arguments: args,
      })) as JsonObject;
      return {
        text: (content as { text: string }[]).map(({ text }) => text).join("\n"),
        isError: isError === true,
      };
    },
  };
}

suite("code mode", { concurrency: 3 }, () => {
  for (const era of ["legacy", "modern"] as const)
    test(`a ${era} client gets the progress and the log messages of the calls that a program makes`, async () => {
      await using gateway = await startGateway({
        far: fixture("conformance", [], { protocol: "legacy" }),
      });
      const client = await EraClient.open(`${gateway.url}?mode=code`, era, { logLevel: "debug" });
      const call = "await tools.far.test_tool_with_progress({})";
      const code = `${call}; ${call}; return await tools.far.test_tool_with_logging({})`;
      const params = { name: "run_code", arguments: { code }, _meta: { progressToken: "mine" } };
      const { notifications, reply } = await client.exchange("tools/call", params);
      assert.ok(reply.result, JSON.stringify(reply));
      const told = (method: string) =>
        notifications.filter((one) => one.method === `notifications/${method}`);
      const steps = told("progress").map(({ params: said }) => Number(said?.progress));
      assert.ok(steps.length >= 4, String(steps));
      assert.deepEqual(
        steps,
        steps.map((_, at) => at + 1),
      );
      assert.equal(told("message").length, 3);
    });

  for (const era of ["legacy", "modern"] as const)
    test(`a ${era} client has two tools, finds declarations and runs programs`, async () => {
      await using gateway = await startGateway({}, { plane: { config: { mcpServers: servers } } });
      const { client, call } = await open(`${gateway.url}?mode=code`, era);
      const { tools } = (await client.request("tools/list")) as { tools: { name: string }[] };
      assert.deepEqual(
        tools.map(({ name }) => name),
        ["search_tools", "run_code"],
      );
      const found = await call("search_tools", { query: "echo a message" });
      assert.match(
        found.text,
        /declare const tools: \{\n {2}my_notes: \{\n {4}\/\*\* .+ \*\/\n {4}echo\(args: \{ message: string/,
      );
      const ran = await call("run_code", { code: program });
      assert.deepEqual(
        [ran.isError, JSON.parse(ran.text)],
        [false, { said: "hi", files: "files:list-all" }],
      );
      const wrong = await call("run_code", {
        code: "const a = 1;\nreturn tools.my_notes.ehco({ a })",
      });
      assert.ok(wrong.isError);
      assert.match(wrong.text, /Did you mean tools\.my_notes\.echo\?.*\(line 2: return tools/);
      assert.match(
        (await call("run_code", { source: "return 1" })).text,
        /'source' is not an argument of run_code/,
      );
      assert.match((await call("search_tools", {})).text, /query/);
      const recorded = await gateway.plane.calls.list({ limit: 50 });
      assert.ok(recorded.some(({ tool, face }) => tool === "search_tools" && face === "mcp"));
      assert.ok(
        recorded.some(({ tool, run }) => tool === "my-notes.echo" && run?.startsWith("code-")),
      );
    });

  test("a long value is shortened with a handle, which a program can read", async () => {
    await using gateway = await startGateway(
      {},
      { plane: { config: { mcpServers: {}, lazy: { mode: "code" } } } },
    );
    const { call } = await open(gateway.url, "legacy");
    const { text } = await call("run_code", {
      code: "return Array.from({ length: 5000 }, (_, at) => ({ at, name: 'n' + at }))",
    });
    const id = /\br_[0-9a-f]{20}\b/.exec(text)?.[0];
    assert.ok(id !== undefined && text.length < 12_000, text.slice(0, 200));
    const page = await call("run_code", {
      code: `return await tools.read_result({ id: "${id}", limit: 40 })`,
    });
    assert.match(page.text, /"at": 0/);
  });

  test("a client that can be asked is asked, and the program waits for the answer", async () => {
    const config = {
      mcpServers: { echo: fixture("echo") },
      policy: { rules: [{ tool: "echo.put_note", verdict: "ask" }] },
    };
    await using gateway = await startGateway({}, { plane: { config: config as never } });
    const asked: string[] = [];
    const answer = (method: string) => {
      asked.push(method);
      return { action: "accept", content: { decision: "approve" } };
    };
    const options = { capabilities: { elicitation: {} }, answer, headers: gateway.proof };
    const { call } = await open(`${gateway.url}?mode=code`, "legacy", options);
    const { text } = await call("run_code", {
      code: 'return tools.echo.put_note({ key: "k", text: "t" })',
    });
    assert.deepEqual([text, asked], ["stored k", ["elicitation/create"]]);
    const { call: mute } = await open(`${gateway.url}?mode=code`, "legacy");
    const waits = await mute("run_code", {
      code: 'return tools.echo.put_note({ key: "l", text: "t" })',
    });
    const [, approval = "", run = ""] = /to '([^']+)' .* resume '([^']+)'/.exec(waits.text) ?? [];
    await gateway.plane.approvals.answer(approval, { decision: "approve" });
    assert.equal((await mute("run_code", { resume: run })).text, "stored l");
  });

  test("a toolset and 'lazy.callable' narrow what programs call", async () => {
    const toolsets = { few: { providers: ["files"], allow_tools: ["list-all"] } };
    const config = { mcpServers: servers, toolsets };
    await using gateway = await startGateway({}, { plane: { config: config as never } });
    const { call } = await open(`${gateway.url}?mode=code&toolset=few`, "legacy");
    assert.equal(
      (await call("run_code", { code: "return tools.files.list_all({})" })).text,
      "files:list-all",
    );
    for (const code of [
      'tools.files["get.one"]({})',
      "tools.my_notes.echo({ message: 1 })",
      'tools["files__get_one"]({})',
    ])
      assert.ok((await call("run_code", { code: `return ${code}` })).isError, code);
    await using strict = await startGateway(
      {},
      { plane: { config: { mcpServers: servers, lazy: { mode: "code", callable: "found" } } } },
    );
    const { call: ask } = await open(strict.url, "legacy");
    assert.match((await ask("run_code", { code: program })).text, /was not shown in this session/);
    await ask("search_tools", { query: "echo a message" });
    const shown = await ask("run_code", { code: 'return tools.my_notes.echo({ message: "hi" })' });
    assert.equal(shown.text, "hi");
  });

  test("tools and instructions take 450 tokens for any number of servers", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `server-number-${at}-with-a-long-name`,
        { command: "none", autoConnect: false },
      ]),
    );
    await using plane = await createPlane({ config: { mcpServers: many } });
    const surface = { principal: plane.identity.usualCaller(), view: { mode: "code" } };
    const instructions = await instructionsFor(
      plane,
      surface as never,
      { isCode: () => true } as never,
    );
    const counts = await plane.tools.countTokens([JSON.stringify(codeTools), instructions]);
    const total = counts.reduce((sum, one) => sum + one, 0);
    assert.ok(total <= 450, `${total} tokens: ${counts.join(" + ")}`);
  });

  test("the command line, HTTP and the socket run programs", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, {
      policy: { rules: [{ tool: "echo.put_note", verdict: "ask" }] },
    });
    const source = 'console.log("on the way"); return (await tools.echo.add({ a: 1, b: 2 }))';
    const { status, body } = await plane.ask("POST /code/run", { source });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.ok, body.logs, (body.calls as unknown[]).length, body.error],
      [true, ["on the way"], 1, null],
    );
    const waits = await plane.ask("POST /code/run", {
      source: 'return tools.echo.put_note({ key: "k", text: "t" })',
    });
    assert.equal(waits.status, 202);
    const [held] = waits.body.waiting as { id: string }[];
    await plane.ask(`POST /approvals/${held?.id}`, { decision: "approve" });
    const resumed = await plane.ask("POST /code/run", { resume: waits.body.run });
    assert.deepEqual([resumed.status, resumed.body.value], [200, "stored k"]);
    assert.equal((await plane.ask("POST /code/run", {})).status, 400);
    assert.equal((await plane.ask("POST /code/run", { resume: "code-none" })).status, 404);
    const failed = await plane.ask("POST /code/run", { source: "null.x" });
    assert.deepEqual(
      [failed.status, (failed.body.error as { code: string }).code],
      [200, "PROGRAM_FAILED"],
    );
    const found = await plane.ask("GET /code/search?query=add+numbers");
    assert.match(String(found.body.declarations), /add\(args/);
    // The command line asks the serving plane.
    const here = await plane.cli("code", "run", "-e", source, "--json");
    assert.deepEqual([here.code, here.json().ok, here.json().logs], [0, true, ["on the way"]]);
    assert.equal((await plane.cli("code", "run", "-e", "null.x")).code, 1);
    assert.equal(
      (await plane.cli("code", "run", "-e", "await sleep(9000)", "--timeout", "0.1")).code,
      4,
    );
    assert.equal((await plane.cli("code", "run")).code, 2);
    const file = directory.file("program.ts");
    const { writeFile } = await import("node:fs/promises");
    await writeFile(file, "const n: number = 41;\nreturn n + 1;\n");
    assert.equal((await plane.cli("code", "run", file)).stdout.trim(), "42");
    assert.match((await plane.cli("code", "search", "add numbers")).stdout, /declare const tools/);
  });

  test("declarations are exported for other frameworks", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { "my-notes": fixture("echo") });
    const place = ["--config", config, "--data-dir", directory.file("data"), "--standalone"];
    const { code, stdout } = await runCli(["tools", "export", "--format", "code", ...place]);
    assert.equal(code, 0);
    assert.match(stdout, /^declare const tools: \{\n {2}my_notes: \{/);
    assert.match(stdout, /echo\(args: \{\n/);
  });

  test("an agent in the style 'code' has two tools and answers from what its program returned", async () => {
    const calls = (name: string, args: JsonObject) => ({
      kind: "tools" as const,
      calls: [{ name, arguments: args }],
    });
    await using world = await agentWorld(
      [
        calls("search_tools", { query: "echo a message" }),
        calls("run_code", {
          code: 'return (await Promise.all(["a", "b"].map((message) => tools.echo.echo({ message })))).join("+")',
        }),
        { kind: "text", text: "It is a+b." },
      ],
      { echo: fixture("echo") },
    );
    const { answer, steps } = await world.plane.agent.run("Echo a and b.", { style: "code" });
    assert.equal(answer, "It is a+b.");
    assert.deepEqual(toldOf(world.model, 0), ["search_tools", "run_code"]);
    assert.match(JSON.stringify(sentTo(world.model, 1).messages.at(-1)), /declare const tools/);
    assert.match(JSON.stringify(sentTo(world.model, 2).messages.at(-1)), /a\+b/);
    assert.deepEqual(
      steps.flatMap(({ calls: made }) => made.map(({ tool, status }) => [tool, status])),
      [
        ["search_tools", "succeeded"],
        ["run_code", "succeeded"],
      ],
    );
  });
});
