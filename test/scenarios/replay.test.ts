import assert from "node:assert/strict";
import { once } from "node:events";
import {
  appendFileSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { suite, test } from "node:test";
import {
  createPlane,
  type Outcome,
  type Plane,
  type PlaneOptions,
  type ToolFunction,
} from "../../src/index.ts";
import { sourceTextOf } from "../../src/lib/json/json-text.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { startGateway } from "./gateway-client.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  planeOf,
  runCli,
  type ServerEntry,
  startServe,
  textsOf,
  writeConfig,
} from "./support.ts";

type Line = Record<string, unknown> & { type: string; arguments?: unknown; occurrence?: number };

const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
const callsIn = (file: string) => linesOf(file).filter(({ type }) => type === "call");
const plain = ({ ok, result, error }: Outcome) => ({
  ok,
  result,
  code: error?.code,
  message: error?.message,
});

/** Cannot be started, so that whatever answers is not the server. */
const gone: ServerEntry = { command: "no-such-command-anywhere" };

async function world() {
  const directory = await temporaryDirectory();
  const log = directory.file("log");
  return {
    ...directory,
    log,
    file: directory.file,
    recording: directory.file("calls.jsonl"),
    echo: fixture("echo", ["--log", log]),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const register = (plane: Plane, name: string, run: ToolFunction) =>
  plane.tools.register({
    manifest: { name, description: `Runs ${name}.`, side_effects: "none" },
    run,
  });

const replaying = (replay: string, more: Partial<PlaneOptions> = {}) =>
  createPlane({ config: { mcpServers: {} }, replay, ...more });

suite("record and replay", { concurrency: 4 }, () => {
  test("what was recorded is answered again, in order, with the same tools and without a server", async () => {
    await using at = await world();
    const asked = [
      ["echo.echo", { message: "one" }],
      ["echo.echo", { message: "two" }],
      ["echo.echo", { message: "one" }],
      ["echo.fail", { reason: "no" }],
      ["echo.throw", {}],
    ] as const;
    const before: Outcome[] = [];
    let tools: string[];
    {
      await using plane = await planeOf({ echo: at.echo }, { record: at.recording });
      tools = (await plane.tools.list()).map(({ name }) => name);
      for (const [tool, args] of asked) before.push(await plane.call(tool, args));
    }
    const [head, second] = linesOf(at.recording);
    assert.deepEqual([head?.type, second?.type], ["recording", "server"]);
    assert.deepEqual(
      callsIn(at.recording).map(({ server, tool, occurrence }) => [server, tool, occurrence]),
      [1, 1, 2, 1, 1].map((occurrence, place) => [
        ...(asked[place]?.[0].split(".") ?? []),
        occurrence,
      ]),
    );
    for (const servers of [{}, { echo: gone }] as Record<string, ServerEntry>[]) {
      await using plane = await planeOf(servers, { replay: at.recording });
      assert.deepEqual(
        (await plane.tools.list()).map(({ name }) => name),
        tools,
      );
      const after: Outcome[] = [];
      for (const [tool, args] of asked) after.push(await plane.call(tool, args));
      assert.deepEqual(after.map(plain), before.map(plain));
      assert.equal(after[0]?.call.replayed, true);
      assert.equal((await plane.calls.get(after[0]?.call.id ?? "")).replayed, true);
    }
    assert.equal(callsAt(at.log).length, asked.length, "the server was asked while recording only");
  });

  test("a call that was not recorded fails and names the nearest; with live it is made", async () => {
    await using at = await world();
    {
      await using plane = await planeOf({ echo: at.echo }, { record: at.recording });
      await plane.call("echo.echo", { message: "one" });
    }
    await using plane = await replaying(at.recording);
    const other = await plane.call("echo.echo", { message: "two" });
    assertFailed(other, "NOT_RECORDED", "refused");
    assert.match(
      errorOf(other).message,
      /no call of 'echo\.echo' with these arguments.*\{"message":"one"\}.*--replay-miss live/,
    );
    assert.deepEqual(errorOf(other).data.nearest, { message: "one" });
    assert.equal((await plane.call("echo.echo", { message: "one" })).ok, true);
    assert.match(
      errorOf(await plane.call("echo.echo", { message: "one" })).message,
      /has one call .* this is one more/,
    );
    assert.match(
      errorOf(await plane.call("echo.fail", { reason: "x" })).message,
      /no call of 'echo\.fail'\. It has calls of echo\.echo\./,
    );
    await using live = await planeOf(
      { echo: at.echo },
      { replay: at.recording, replayMiss: "live" },
    );
    assert.equal((await live.call("echo.echo", { message: "one" })).call.replayed, true);
    const made = await live.call("echo.echo", { message: "two" });
    assert.deepEqual([textsOf(made), made.call.replayed], [["two"], undefined]);
  });

  test("injected values are not in the file, secrets are masked, and the call is found all the same", async () => {
    await using at = await world();
    const config = (server: ServerEntry) => ({
      mcpServers: { echo: server },
      results: { redact: { patterns: ["CANARY-[0-9]+"] } },
    });
    const args = { message: "sk-abcdefghijklmnop and CANARY-42", password: "hunter2" };
    process.env.REPLAY_SECRET = "a-very-secret-value";
    const inject = [{ parameter: "tenant", from: "constant", value: "known-to-the-system" }];
    const echo = {
      ...at.echo,
      inject,
      env: { ...(at.echo.env as object), TOKEN: "${REPLAY_SECRET}" },
    };
    const injecting = {
      overlays: {
        "echo.echo": {
          arguments: [
            { name: "who", fixed: "only-we-know" },
            { name: "password", type: "string" },
          ],
        },
      },
    };
    {
      await using plane = await createPlane({
        config: { ...config(echo), ...injecting } as never,
        record: at.recording,
      });
      assert.equal((await plane.call("echo.echo", args)).ok, true);
      assert.equal(
        (await plane.call("echo.echo", { ...args, message: "a-very-secret-value" })).ok,
        true,
      );
    }
    delete process.env.REPLAY_SECRET;
    const text = readFileSync(at.recording, "utf8");
    for (const secret of [
      "sk-abcdef",
      "CANARY-42",
      "hunter2",
      "only-we-know",
      "known-to-the-system",
      "a-very-secret-value",
    ])
      assert.ok(!text.includes(secret), `${secret} is in the file`);
    await using plane = await createPlane({
      config: { ...config(gone), ...injecting } as never,
      replay: at.recording,
    });
    const replayed = await plane.call("echo.echo", args);
    assert.equal(replayed.ok, true, replayed.error?.message);
    assert.match(String(textsOf(replayed)[0]), /\[redacted\]/);
  });

  test("numbers that no double holds come back as they were written", async () => {
    await using at = await world();
    {
      await using plane = await planeOf({ exact: fixture("verbatim") }, { record: at.recording });
      await plane.call("exact.numbers", {});
    }
    assert.match(readFileSync(at.recording, "utf8"), /"id":9007199254740993,"neg":-0,"huge":1e400/);
    await using plane = await replaying(at.recording);
    const { result } = await plane.call("exact.numbers", {});
    assert.match(sourceTextOf(result ?? {}) ?? "", /"id":9007199254740993,"neg":-0,"huge":1e400/);
  });

  test("a function of the program is answered for, and not run", async () => {
    await using at = await world();
    {
      await using plane = await planeOf({}, { record: at.recording });
      register(plane, "roll", () => "4");
      await plane.call("roll", {});
    }
    await using plane = await replaying(at.recording);
    register(plane, "roll", () => assert.fail("it ran"));
    assert.deepEqual(textsOf(await plane.call("roll", {})), ["4"]);
  });

  test("equal calls that overlap are answered in the order in which they were made", async () => {
    await using at = await world();
    {
      await using plane = await planeOf({}, { record: at.recording });
      const waiting: (() => void)[] = [];
      let made = 0;
      register(plane, "turn", () => {
        const mine = ++made;
        return new Promise((resolve) =>
          waiting.push(() => resolve({ content: [{ type: "text", text: `${mine}` }] })),
        );
      });
      const calls = [plane.call("turn", {}), plane.call("turn", {})];
      while (waiting.length < 2) await new Promise(setImmediate);
      waiting[1]?.();
      await calls[1];
      waiting[0]?.();
      await calls[0];
    }
    assert.deepEqual(
      callsIn(at.recording).map(({ occurrence }) => occurrence),
      [2, 1],
    );
    await using plane = await replaying(at.recording);
    register(plane, "turn", () => assert.fail("it ran"));
    assert.deepEqual(textsOf(await plane.call("turn", {})), ["1"]);
    assert.deepEqual(textsOf(await plane.call("turn", {})), ["2"]);
  });

  test("several recorders write into one file, and each line stays whole", async () => {
    await using at = await world();
    const servers = ["a", "b", "c"];
    const planes = await Promise.all(
      servers.map(() => planeOf({ echo: at.echo }, { record: at.recording })),
    );
    const message = "x".repeat(10_000);
    await Promise.all(
      planes.flatMap((plane, n) =>
        [1, 2, 3, 4].map((m) => plane.call("echo.echo", { message: `${n}${m}${message}` })),
      ),
    );
    for (const plane of planes) await plane.stop();
    assert.equal(callsIn(at.recording).length, 12);
    await using plane = await replaying(at.recording);
    for (const n of [0, 1, 2])
      assert.equal((await plane.call("echo.echo", { message: `${n}1${message}` })).ok, true);
  });

  test("a file that cannot be written or read is refused before anything runs", async () => {
    await using at = await world();
    const config = await writeConfig(at, { echo: at.echo });
    const call = [
      "call",
      "echo.echo",
      "message=hi",
      "--config",
      config,
      "--data-dir",
      at.file("data"),
    ];
    mkdirSync(at.file("folder"));
    for (const [flag, file, said] of [
      ["--record", at.file("none/x.jsonl"), /cannot be written: .*no such file/],
      ["--record", at.file("folder"), /cannot be written/],
      ["--replay", at.file("missing.jsonl"), /cannot be read: .*no such file/],
      ["--replay", at.file("folder"), /cannot be read: it is no file/],
    ] as const) {
      const { code, stderr } = await runCli([...call, flag, file]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, said);
    }
    const same = await runCli([...call, "--record", at.recording, "--replay", at.recording]);
    assert.match(same.stderr, /cannot be replayed and recorded at once/);
    const { stderr, code } = await runCli([...call, "--replay-miss", "live"]);
    assert.deepEqual([code, /Add --replay FILE/.test(stderr)], [2, true], stderr);
    assert.equal(existsSync(at.log), false, "no server was started");
  });

  test("broken lines are named; a last line that was cut off is left out, and more can be recorded behind it", async () => {
    await using at = await world();
    const record = async (message: string) => {
      await using plane = await planeOf({ echo: at.echo }, { record: at.recording });
      await plane.call("echo.echo", { message });
    };
    await record("one");
    const whole = readFileSync(at.recording);
    appendFileSync(at.recording, '{"type":"call","server":"ec');
    {
      await using plane = await replaying(at.recording);
      assert.equal((await plane.call("echo.echo", { message: "one" })).ok, true);
      assert.match(JSON.stringify(plane.config().problems), /calls\.jsonl","line":4.*cut off/);
    }
    await record("two");
    {
      await using plane = await replaying(at.recording);
      assert.equal((await plane.call("echo.echo", { message: "two" })).ok, true);
    }
    writeFileSync(at.recording, `${whole}no json\n${whole}{"type":"call"}\n{"type":"__proto__"}\n`);
    await assert.rejects(replaying(at.recording), (thrown: Error & { code?: string }) => {
      assert.equal(thrown.code, "CONFIG_INVALID");
      assert.match(thrown.message, /calls\.jsonl:4: is no JSON/);
      assert.match(thrown.message, /calls\.jsonl:8: is no line of a recording/);
      assert.match(thrown.message, /calls\.jsonl:9: is no line of a recording/);
      return true;
    });
    writeFileSync(at.recording, "");
    await assert.rejects(replaying(at.recording), /is empty/);
  });

  test("a large file is replayed", async () => {
    await using at = await world();
    {
      await using plane = await planeOf({ echo: at.echo }, { record: at.recording });
      await plane.call("echo.echo", { message: "one" });
    }
    const [line] = callsIn(at.recording);
    const out = createWriteStream(at.recording, { flags: "a" });
    const text = "x".repeat(100_000);
    for (let i = 0; i < 300; i++) {
      const more = {
        ...line,
        arguments: { message: `${i}` },
        result: { content: [{ type: "text", text: `${i} ${text}` }] },
      };
      if (!out.write(`${JSON.stringify(more)}\n`)) await once(out, "drain");
    }
    out.end();
    await once(out, "close");
    assert.ok(statSync(at.recording).size > 28 * 1024 * 1024);
    await using plane = await replaying(at.recording);
    const answered = await plane.call("echo.echo", { message: "299" }, { maxResultBytes: 0 });
    assert.ok(String(textsOf(answered)[0]).startsWith("299 x"));
    assertFailed(await plane.call("echo.echo", { message: "none" }), "NOT_RECORDED", "refused");
  });

  test("the command line records and replays alone, also where a plane serves", async () => {
    await using at = await world();
    const config = await writeConfig(at, { echo: at.echo });
    const data = at.file("data");
    await using serving = await startServe(config, data);
    void serving;
    const options = ["--config", config, "--data-dir", data, "--json"];
    const made = (
      await runCli(["call", "echo.echo", "message=hi", "--record", at.recording, ...options])
    ).json();
    assert.equal(made.ok, true);
    assert.equal(callsIn(at.recording).length, 1);
    const elsewhere = { cwd: at.file(".") };
    const again = await runCli(
      ["call", "echo.echo", "message=hi", "--replay", at.recording, "--json"],
      elsewhere,
    );
    assert.equal(again.json().call?.replayed, true, again.stderr);
    writeFileSync(at.file("in.jsonl"), '{"tool":"echo.echo","arguments":{"message":"hi"}}\n');
    const batch = await runCli(
      ["batch", at.file("in.jsonl"), "--replay", at.recording, "--json"],
      elsewhere,
    );
    assert.equal(batch.code, 0, batch.stderr);
    const program = [
      "code",
      "run",
      "-e",
      'return await tools.echo.echo({ message: "hi" })',
      "--replay",
      at.recording,
    ];
    const run = await runCli([...program, "--json"], elsewhere);
    assert.equal(run.code, 0, run.stderr + run.stdout);
    assert.equal(callsAt(at.log).length, 1);
  });

  test("a project that is trusted is trusted while its calls are replayed", async () => {
    await using at = await world();
    writeFileSync(at.file(".mcp.json"), JSON.stringify({ mcpServers: { echo: at.echo } }));
    const here = { cwd: at.file(".") };
    const data = ["--data-dir", at.file("data")];
    await runCli(["trust", "--yes", ...data], here);
    const call = ["call", "echo.echo", "message=hi", ...data];
    assert.equal((await runCli([...call, "--record", at.recording], here)).code, 0);
    const { code, stderr } = await runCli([...call, "--replay", at.recording], here);
    assert.deepEqual([code, stderr], [0, ""]);
  });

  test("an agent's run replays to the same trace", async () => {
    await using at = await world();
    const run = async (servers: Record<string, ServerEntry>, tape: Partial<PlaneOptions>) => {
      const calls = [
        { name: "echo", arguments: { message: "one" } },
        { name: "fail", arguments: { reason: "no" } },
      ];
      await using model = await startScriptedModel({
        responses: [
          { kind: "tools", calls },
          { kind: "text", text: "Done." },
        ],
      });
      const models = { default: { baseURL: model.url, model: "scripted" } };
      await using plane = await createPlane({ config: { mcpServers: servers, models }, ...tape });
      const { run: text } = await plane.agent
        .run("Go.", { toolset: { providers: ["echo"] } })
        .then(async (result) => ({
          run: JSON.stringify({
            answer: result.answer,
            steps: result.steps,
            history: result.history,
          }),
        }));
      return JSON.parse(text, (name, value) =>
        /Ms$|^id$|^at$|^record$|[Ii]d$|Tokens$/.test(name) ? undefined : value,
      ) as object;
    };
    const before = await run({ echo: at.echo }, { record: at.recording });
    const after = await run({ echo: gone }, { replay: at.recording });
    assert.deepEqual(after, before);
    assert.match(JSON.stringify(before), /"one"/);
    assert.equal(callsAt(at.log).length, 2);
  });

  test("the gateway lists and answers from a recording", async () => {
    await using at = await world();
    {
      await using plane = await planeOf({ echo: at.echo }, { record: at.recording });
      await plane.call("echo.echo", { message: "hi" });
    }
    const place = ["--replay", at.recording, "--mode", "full"];
    await using client = await startGateway(place, {}, () => undefined, { cwd: at.file(".") });
    const { result } = await client.begin("tools/list", {}).answer;
    const names = ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
    const echo =
      names.find((name) => /echo.*echo/.test(name)) ?? assert.fail(`no echo in ${names}`);
    assert.deepEqual(await client.call(echo, { message: "hi" }), { text: "hi", isError: false });
    const missing = await client.call(echo, { message: "other" });
    assert.match(missing.text, /The nearest has \{"message":"hi"\}/);
  });
});
