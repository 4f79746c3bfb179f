import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import {
  type ConfigInput,
  createPlane,
  type PlaneError,
  principalOf,
  type ToolListing,
  type ToolOverlayInput,
} from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

const forecast = {
  description: "The weather of the next days.",
  arguments: [
    { name: "city", type: "string", description: "Where: a city", enum: ["Bern", "Rome"] },
    { name: "days", default: 3 },
    { name: "unit", fixed: "celsius" },
  ],
  side_effects: "none",
} satisfies ToolOverlayInput;
const overlays = { "insider.forecast": forecast };

suite("what is said here about tools of servers", { concurrency: 3 }, () => {
  test("the caller sees the merged schema, and the server gets defaults and what is fixed", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await createPlane({
      config: { mcpServers: { insider: fixture("insider", ["--log", log]) }, overlays },
      dataDirectory: directory.file("data"),
    });
    const tool = await plane.tools.get("insider.forecast");
    assert.equal(tool.description, forecast.description);
    assert.equal(tool.metadata.side_effects, "none");
    assert.deepEqual(tool.parameters, {
      type: "object",
      properties: {
        city: { type: "string", description: "Where: a city", enum: ["Bern", "Rome"] },
        days: { type: "integer", default: 3 },
      },
      required: ["city"],
      additionalProperties: false,
    });
    await plane.call("insider.forecast", { city: "Bern", unit: "kelvin" });
    await plane.call("insider.forecast", { city: "Rome", days: 1 });
    assert.deepEqual(
      callsAt(log).map((call) => call.arguments),
      [
        { city: "Bern", days: 3, unit: "celsius" },
        { city: "Rome", days: 1, unit: "celsius" },
      ],
    );
    const refused = await plane.call("insider.forecast", { city: "Oslo" });
    assertFailed(refused, "INVALID_ARGUMENTS", "refused");
    const [record] = await plane.calls.list({ tool: "insider.forecast", limit: 1 });
    assert.ok(!JSON.stringify(record).includes("celsius"));
    assert.deepEqual((await plane.calls.list({ tool: "insider.forecast" })).at(-1)?.injected, [
      "unit",
    ]);
  });

  test("the entries of the example work with and without arguments, and what is optional is shown so", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { insider: fixture("insider") },
      {
        tools: [
          { type: "mcp-tool", name: "bare", description: "As it is", "mcp-tool": "insider" },
          {
            name: "told",
            description: "Told",
            side_effects: "none",
            arguments: [
              { name: "city", type: "string", description: "Bank account identifier" },
              { name: "date", type: "string", description: "A day (optional, format: YYYY-MM-DD)" },
            ],
            providers: [{ name: "mcp", config: { server: "insider", tool: "forecast" } }],
          },
        ],
      },
    );
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const { code, stdout } = await runCli(["tools", "show", "told", ...place]);
    assert.equal(code, 0);
    assert.match(stdout, /city \(string, required\): Bank account identifier/);
    assert.match(stdout, /date \(string, optional\): A day \(optional, format: YYYY-MM-DD\)/);
    assert.match(stdout, /warning +argument 'date' is unknown to the tool/);
    const bare = await runCli(["tools", "show", "bare", ...place]);
    assert.equal(bare.code, 0);
  });

  test("help names type, need, default and choices", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { insider: fixture("insider") }, { overlays });
    const { stdout } = await runCli([
      "tools",
      "show",
      "insider.forecast",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ]);
    assert.match(stdout, /city \(string, required, one of "Bern" "Rome"\): Where: a city/);
    assert.match(stdout, /days \(integer, optional, default 3\)/);
    assert.ok(!/unit|celsius/.test(stdout), stdout);
  });

  test("an overlay is set, changed and deleted while running, by HTTP and the command line, and survives", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      insider: fixture("insider", ["--log", log], { trusted: true }),
    });
    const data = directory.file("data");
    const place = ["--config", config, "--data-dir", data];
    const serving = await startServe(config, data);
    const put = async (body: object) => {
      const answer = await fetch(`${serving.url}/tools/insider.forecast`, {
        method: "PUT",
        headers: serving.proof,
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const extra = { name: "extra", type: "string", required: false };
    const set = await put({ ...forecast, arguments: [...forecast.arguments, extra] });
    assert.deepEqual([set.status, set.body.kind, set.body.change], [200, "overlay", "added"]);
    assert.match(String(set.body.warnings), /'extra' is unknown to the tool, which refuses/);
    const again = await put(forecast);
    assert.deepEqual([again.body.change, again.body.warnings], ["changed", []]);
    const taken = await put({ ...forecast, providers: [] });
    assert.deepEqual([taken.status, taken.body.code], [409, "CONFLICT"]);
    const wrong = await put({ arguments: [{ name: "city", type: 7 }], safety_level: "odd" });
    assert.equal(wrong.body.code, "ENTRY_INVALID");
    await serving.stop();

    const shown = await runCli(["tools", "show", "insider.forecast", "--json", ...place]);
    assert.ok(!shown.stdout.includes("celsius"));
    assert.match(shown.stdout, /The weather of the next days/);
    assert.equal((await runCli(["call", "insider.forecast", "city=Bern", ...place])).code, 0);
    assert.deepEqual(callsAt(log).at(-1)?.arguments, { city: "Bern", days: 3, unit: "celsius" });
    const changes = await runCli(["tools", "changes", "insider.forecast", "--json", ...place]);
    assert.ok(!changes.stdout.includes("celsius"), changes.stdout);
    const file = directory.file("overlay.json");
    await writeFile(file, JSON.stringify({ name: "insider.forecast", description: "Shorter" }));
    const replaced = await runCli([
      "tools",
      "set",
      file,
      "--reason",
      "shorter",
      "--json",
      ...place,
    ]);
    assert.deepEqual([replaced.code, replaced.json().change], [0, "changed"]);
    assert.equal((await runCli(["tools", "delete", "insider.forecast", ...place])).code, 0);
    const after = await runCli(["tools", "show", "insider.forecast", "--json", ...place]);
    assert.match(after.stdout, /Receives as 'forecast'/);
    assert.equal((await runCli(["tools", "delete", "insider.forecast", ...place])).code, 1);
  });

  test("an overlay that is edited in the file is in force without a restart of its server", async () => {
    await using directory = await temporaryDirectory();
    const servers = { insider: fixture("insider", ["--log", directory.file("log")]) };
    const config = await writeConfig(directory, servers, { overlays });
    await using plane = await createPlane({ config });
    const revisions: number[] = [];
    plane.on("registry.changed", ({ revision }) => void revisions.push(revision));
    await plane.tools.get("insider.forecast");
    await writeConfig(directory, servers, {
      overlays: { "insider.forecast": { description: "Again" } },
    });
    const { changed } = await plane.reload();
    assert.deepEqual(changed, []);
    const tool = await plane.tools.get("insider.forecast");
    assert.deepEqual(
      [tool.description, Object.keys(tool.parameters.properties ?? {})],
      ["Again", ["city", "days", "unit"]],
    );
    await until("the change is reported", () => revisions.length > 1);
  });

  test("with an overlay that is not understood a plane does not start: it might leave open what is to be hidden", async () => {
    await using directory = await temporaryDirectory();
    const servers = { insider: fixture("insider") };
    const odd = { "insider.open": { safety_level: "odd", argumnts: [] }, "insider.closed": 7 };
    const config = await writeConfig(directory, servers, { overlays: { ...overlays, ...odd } });
    await assert.rejects(createPlane({ config }), ({ code, message }: PlaneError) => {
      assert.equal(code, "CONFIG_INVALID");
      assert.match(message, /:1: overlays\.insider\.closed: an overlay must be an object/);
      assert.match(message, /overlays\.insider\.open\.safety_level: must be one of/);
      return true;
    });
    await assert.rejects(
      createPlane({
        config: {
          mcpServers: servers,
          inject: [{ parameter: "username", from: "usr" }],
        } as unknown as ConfigInput,
      }),
      { code: "CONFIG_INVALID" },
    );
    const lost = {
      config: { mcpServers: servers, overlays: { "insidr.open": { description: "x" } } },
    };
    await using plane = await createPlane(lost);
    const [problem] = plane.config().problems;
    assert.match(problem?.message ?? "", /'insidr\.open' is not a tool of a configured server/);
  });

  test("only those who manage the plane may say something about a tool", async () => {
    await using plane = await createPlane({
      config: { mcpServers: { insider: fixture("insider") } },
    });
    const caller = { principal: principalOf({ user: "bob" }) };
    const overlay = { name: "insider.forecast", ...forecast } as Parameters<
      typeof plane.tools.set
    >[0];
    await assert.rejects(plane.tools.set(overlay, {}, caller), { code: "FORBIDDEN" });
  });
});

suite("tools for models", () => {
  for (const format of ["openai", "anthropic", "mcp", "ai-sdk"]) {
    test(`the export for ${format} is the same every time and lacks what callers do not set`, async () => {
      await using directory = await temporaryDirectory();
      const inject = [
        "_mcp_data",
        "username",
        { parameter: "_user", from: "user" },
        { parameter: "groups", from: "groups" },
      ];
      const config = await writeConfig(
        directory,
        { insider: fixture("insider", [], { inject }) },
        { overlays },
      );
      const words = [
        "tools",
        "export",
        "--format",
        format,
        "--config",
        config,
        "--data-dir",
        directory.file("data"),
      ];
      const first = await runCli([...words, "--server", "insider"]);
      const second = await runCli([...words, "--server", "insider", "--json"]);
      assert.deepEqual([first.code, second.stdout], [0, first.stdout], first.stderr);
      const tools = Object.entries(first.json().tools as object);
      assert.ok(tools.length >= 9);
      assert.ok(!/_mcp_data|"username"|celsius/.test(first.stdout), first.stdout);
      const one = await runCli([
        ...words,
        "--tool",
        "mcp__insider__forecast",
        "--tool",
        "insider.forecast",
      ]);
      assert.equal(Object.keys(one.json().tools as object).length, 1);
      assert.match(one.stdout, /insider__forecast/);
    });
  }

  test("an unknown format is refused with those there are", async () => {
    const { code, stderr } = await runCli(["tools", "export", "--format", "toString"]);
    assert.equal(code, 2);
    assert.match(stderr, /openai, anthropic, mcp, ai-sdk/);
    assert.equal(
      errorOf((await runCli(["tools", "export", "--format", "x", "--json"])).json()).code,
      "USAGE",
    );
  });
});

test("'(optional' in a description makes an argument optional on the command line, too", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { s: fixture("structured") });
  const run = (...words: string[]) =>
    runCli([...words, "--json", "--config", config, "--data-dir", directory.file("data")]);
  const argument = "date:string:Date for balance query (optional, format: YYYY-MM-DD)";
  const words = ["--description", "Balance", "--server", "s", "--tool", "valid"];
  const set = await run(
    "tools",
    "set",
    "balance",
    ...words,
    "--argument",
    "account:string:Account",
    "--argument",
    argument,
  );
  assert.equal(set.code, 0, set.stdout + set.stderr);
  const { tools } = (await run("tools", "list")).json() as unknown as { tools: ToolListing[] };
  const balance = tools.find(({ name }) => name === "balance");
  assert.deepEqual(balance?.parameters.required, ["account"]);
});
