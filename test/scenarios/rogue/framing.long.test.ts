import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { postCall } from "../requests.ts";
import {
  assertFailed,
  errorOf,
  planeOf,
  runCli,
  startServe,
  startServeProcess,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { startMcp } from "./mcp-client.ts";
import { filesWith, residentMegabytes, watchHealth } from "./probes.ts";
import { received, rogue, statusOf } from "./rogue.ts";

const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const keptCharacters = 64 * 1024;

suite("rogue: framing and protocol", { concurrency: 2 }, () => {
  test("garbage on standard output loses no answer and stays off ours", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { garbage: rogue("garbage-stdout") });
    await using client = await startMcp(config, directory.file("data"));
    const answers = await within(
      "forty calls",
      Promise.all(times(40, (at) => client.call(at % 2 === 0 ? "garbage__noisy" : "garbage__ok"))),
    );
    for (const { result } of answers) {
      assert.deepEqual(result?.content, [{ type: "text", text: "answer survived" }]);
    }
    assert.ok(!client.output().includes("\u001b"), "no escape sequence on our standard output");
    assert.doesNotMatch(client.output(), /debug line|listening/);
    for (const line of client.output().split("\n").filter(Boolean)) {
      assert.equal(JSON.parse(line).jsonrpc, "2.0", line);
    }
  });

  test("garbage is counted, and what is shown of it is clean and short", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { garbage: rogue("garbage-stdout") });
    await using serving = await startServe(config, directory.file("data"));
    for (const tool of times(20, (at) => (at % 2 === 0 ? "noisy" : "ok"))) {
      const { status } = await postCall(serving.url, `garbage.${tool}`, {});
      assert.equal(status, 200);
    }
    const { noise = 0, ...rest } = await statusOf(serving.url, "garbage");
    assert.ok(noise >= 2_000, `ten noisy answers have 200 lines of garbage each; counted ${noise}`);
    const shown = JSON.stringify(rest);
    assert.ok(shown.length < 16 * 1024, `${shown.length} characters of status`);
    assert.doesNotMatch(shown, /\\u001b|\\u0007|\\u0000/);
    assert.equal(rest.state, "connected");
  });

  test("a flood on standard error blocks nothing and forges nothing", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { flood: rogue("stderr-flood") });
    await using serving = await startServeProcess(config, directory.file("data"));
    let said = "";
    for (const stream of [serving.process.stdout, serving.process.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    for (let call = 0; call < 20; call++) {
      const { status } = await within("a call", postCall(serving.url, "flood.ok", {}));
      assert.equal(status, 200);
    }
    assert.ok(!said.includes("ghp_ROGUE"), "no token in what we print");
    assert.ok(!said.split(/\r?\n/).includes('{"level":"fatal","msg":"forged record"}'), said);
    assert.deepEqual(filesWith(directory.file("data"), "ghp_ROGUE"), []);
  });

  test("the kept tail of standard error is bounded, clean and without the token", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { flood: rogue("stderr-flood") });
    const common = ["--config", config, "--data-dir", directory.file("data")];
    const { code, stdout, stderr } = await runCli([
      "servers",
      "logs",
      "flood",
      "--json",
      ...common,
    ]);
    assert.equal(code, 0, stderr);
    const { lines } = JSON.parse(stdout) as { lines: (string | { text: string })[] };
    const kept = lines.map((line) => (typeof line === "string" ? line : line.text));
    assert.ok(kept.length > 0, "something is kept");
    assert.match(kept.join("\n"), /noisy line/);
    const size = kept.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    assert.ok(size <= keptCharacters, `${size} bytes are kept`);
    assert.ok(!stdout.includes("ghp_ROGUE"), "the token is hidden");
    for (const line of kept) assert.doesNotMatch(line, controlCharacters);
    assert.deepEqual(filesWith(directory.file("data"), "ghp_ROGUE"), []);
  });

  test("a message above the limit fails its call alone and stalls no other", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      huge: rogue("huge-message"),
      neighbour: rogue("echo"),
    });
    await using serving = await startServeProcess(config, directory.file("data"));
    const { url } = serving;
    await postCall(url, "huge.ok", {});
    await postCall(url, "neighbour.echo", {});
    const { pid } = await statusOf(url, "huge");
    await using health = watchHealth(url);
    const calling = postCall(url, "huge.huge", { arguments: { mb: 50 } });
    const beside = await Promise.all(times(5, () => postCall(url, "neighbour.echo", {})));
    const { body } = await within("a call with a result of 50 MB", calling);
    health.assertAwake(500);
    assert.deepEqual(new Set(beside.map(({ status }) => status)), new Set([200]));
    assert.equal(body.ok, false);
    assert.match(
      String(body.detail),
      /50(\.\d+)? ?Mi?B|52[.,]\d+ ?MB|52[,.]?4\d\d[,.]?\d{3}/,
      "the size",
    );
    assert.match(String(body.detail), /\b10 ?MiB|10[,.]?485[,.]?760/, "the limit");
    const after = await postCall(url, "huge.ok", {});
    assert.equal(after.status, 200);
    assert.equal((await statusOf(url, "huge")).pid, pid, "the same process goes on");
  });

  test("with a small heap, each of sixteen huge results at once gets an answer that says what is wrong", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      huge: rogue("huge-message"),
      neighbour: rogue("echo"),
    });
    const heap = "export NODE_OPTIONS=--max-old-space-size=64";
    await using serving = await startServeProcess(config, directory.file("data"), "0", [], heap);
    // The server writes them into each other.
    const calls = times(16, () => postCall(serving.url, "huge.huge", { arguments: { mb: 50 } }));
    const answers = await within("sixteen answers", Promise.all(calls));
    const codes = new Set(answers.map(({ body }) => String(body.type).split(":").at(-1)));
    for (const code of codes)
      assert.ok(["PROVIDER_FAILED", "OUTCOME_UNKNOWN", "TIMEOUT"].includes(code ?? ""), code);
    assert.equal((await postCall(serving.url, "neighbour.echo", {})).status, 200);
  });

  test("messages above the limit take memory once, not each", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { huge: rogue("huge-message") });
    await using serving = await startServeProcess(config, directory.file("data"));
    const huge = () => postCall(serving.url, "huge.huge", { arguments: { mb: 50 } });
    // What a process takes to get going is not what a message costs.
    for (let call = 0; call < 300; call++) await postCall(serving.url, "huge.ok", {});
    await huge();
    const before = residentMegabytes(serving.process.pid);
    for (let call = 0; call < 8; call++) await huge();
    const after = residentMegabytes(serving.process.pid);
    assert.ok(after < before + 150, `${before} MB after one, ${after} MB after nine of 50 MB`);
  });

  test("a message below the limit arrives whole, and the limit can be set per server", async () => {
    await using plane = await planeOf({
      large: rogue("huge-message"),
      strict: rogue("huge-message", [], { maxMessageBytes: 1024 * 1024 }),
    });
    const [text] = textsOf(await plane.call("large.huge", { mb: 5 }));
    assert.equal(String(text).length, 5 * 1024 * 1024);
    const outcome = await plane.call("strict.huge", { mb: 2 });
    assert.match(errorOf(outcome).message, /\b1 ?MiB|1[,.]?048[,.]?576/);
    assert.deepEqual(textsOf(await plane.call("strict.ok")), ["ok"]);
  });

  test("answers without a request are dropped and counted, and reach no other caller", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      wrong: rogue("wrong-id", ["--log", log], { timeoutMs: 1_500 }),
    });
    await plane.tools.list();
    const lost = ["wrong_id", "null_id", "no_id"].map((tool) => plane.call(`wrong.${tool}`));
    const right = await Promise.all(
      times(20, () => plane.call("wrong.right", {}, { timeoutMs: 60_000 })),
    );
    const expected = received(log, "tools/call", "right").map(
      ({ id }) => `meant for ${JSON.stringify(id)}`,
    );
    assert.deepEqual(right.flatMap(textsOf).sort(), expected.sort());
    for (const outcome of await Promise.all(lost)) {
      assertFailed(outcome, "TIMEOUT", "failed");
      assert.match(errorOf(outcome).message, /'wrong\.\w+_id'.*1\.5 s/);
    }
    assert.equal((await plane.call("wrong.right", {}, { timeoutMs: 60_000 })).ok, true);
    const { noise = 0, state } = await statusOf(plane, "wrong");
    assert.equal(state, "connected");
    assert.ok(noise >= 3, `three strays, counted ${noise}`);
  });
});

/** What each tool of error-kinds has to become. */
const expected: Record<string, { code?: string; rpcCode?: number; message?: RegExp }> = {
  ok: {},
  tool_error: { code: "TOOL_ERROR", message: /the city does not exist/ },
  invalid_params: { code: "PROVIDER_FAILED", rpcCode: -32602, message: /a must be an integer/ },
  internal: { code: "PROVIDER_FAILED", rpcCode: -32603, message: /Internal error/ },
  custom: { code: "PROVIDER_FAILED", rpcCode: -32000, message: /backend on fire/ },
  modern_code: { code: "PROVIDER_FAILED", rpcCode: -32099, message: /a reserved code/ },
  both: { code: "PROVIDER_FAILED", rpcCode: -32603, message: /from error/ },
  null_result: { code: "PROVIDER_FAILED" },
  empty: { code: "PROVIDER_FAILED" },
  no_content: { code: "PROVIDER_FAILED" },
  content_null: { code: "PROVIDER_FAILED" },
  error_no_message: { code: "PROVIDER_FAILED", rpcCode: -32603 },
  error_string: { code: "PROVIDER_FAILED" },
  secret_in_error: { code: "PROVIDER_FAILED", rpcCode: -32603, message: /upstream said/ },
};

suite("rogue: kinds of errors", { concurrency: 4 }, () => {
  for (const [tool, { code, rpcCode, message }] of Object.entries(expected)) {
    test(`'${tool}' becomes ${code ?? "a result"} and is sent once`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      await using plane = await planeOf({
        kinds: rogue("error-kinds", ["--log", log], { trusted: true }),
      });
      const outcome = await plane.call(`kinds.${tool}`);
      assert.equal(outcome.error?.code, code, JSON.stringify(outcome));
      if (code === "TOOL_ERROR") assert.equal(outcome.result?.isError, true);
      if (code === "PROVIDER_FAILED")
        assert.match(errorOf(outcome).message, new RegExp(`'kinds'.*'${tool}'`));
      if (rpcCode !== undefined) assert.equal(errorOf(outcome).data.rpcCode, rpcCode);
      if (message) assert.match(errorOf(outcome).message, message);
      assert.equal(received(log, "tools/call").length, 1);
    });
  }

  test("content of an unknown kind breaks nothing", async () => {
    await using plane = await planeOf({ kinds: rogue("error-kinds") });
    const { error, result, call } = await plane.call("kinds.unknown_content");
    assert.notEqual(error?.code, "INTERNAL");
    if (error === undefined) {
      assert.deepEqual(result?.content[0], { type: "hologram", data: "x" });
      assert.ok(call.warnings.length > 0, "what is no content block is named");
    }
    assert.equal((await plane.call("kinds.ok")).ok, true);
  });

  test("a secret in an error of a server is kept in no log and no record", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { kinds: rogue("error-kinds") });
    const serving = await startServeProcess(config, directory.file("data"));
    let said = "";
    serving.process.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const { body } = await postCall(serving.url, "kinds.secret_in_error", {});
    assert.equal(body.code, "PROVIDER_FAILED");
    await serving.stop();
    for (const secret of ["sk-ROGUE", "hunter2-ROGUE"]) {
      assert.ok(!said.includes(secret), `${secret} in what we print`);
      assert.deepEqual(filesWith(directory.file("data"), secret), []);
    }
  });
});
