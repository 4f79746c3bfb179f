import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { mock, suite, test } from "node:test";
import type { Plane } from "../../src/index.ts";
import { createPlane } from "../../src/index.ts";
import type { DeadLetterPage } from "../../src/model/work/dead-letter.ts";
import type { DeadLetter } from "../../src/model/work/dead-letter-schema.ts";
import { freePort } from "../fixtures/free-port.ts";
import { readLog, type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { writeSchema } from "../fixtures/writing/endings.ts";
import { startWritingServer } from "../fixtures/writing/server.ts";
import {
  assertFailed,
  callsAt,
  processFixture as fixture,
  pidsIn,
  planeOf,
  runCli,
  startCli,
  startServe,
  startServeProcess,
  within,
  writeConfig,
} from "./support.ts";

const broken = () => fixture("fault", ["--exit-at-start", "3"]);

async function onlyLetter(plane: Plane): Promise<DeadLetter> {
  const { deadLetters } = await plane.deadLetters.page();
  assert.equal(deadLetters.length, 1, JSON.stringify(deadLetters));
  return deadLetters[0] as DeadLetter;
}

/** A call of `echo.slow` that could not be sent, because its server did not start. */
async function leaveUnsent(directory: TemporaryDirectory, args: object): Promise<string> {
  await using plane = await planeOf({ echo: broken() }, { dataDirectory: directory.file("data") });
  assertFailed(await plane.call("echo.slow", args), "SERVER_UNAVAILABLE", "failed");
  return (await onlyLetter(plane)).id;
}

/** Later, as every clock says. */
function skipTime(ms: number): Disposable {
  mock.timers.enable({ apis: ["Date"], now: Date.now() + ms });
  return { [Symbol.dispose]: () => mock.timers.reset() };
}

suite("calls that failed permanently", () => {
  test("from the command line: list, show, retry until it succeeds, and the end is the end", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    const config = await writeConfig(directory, { fault: fixture("fault", ["--ledger", ledger]) });
    const flags = ["--config", config, "--data-dir", directory.file("data")];
    const run = (...words: string[]) => runCli([...words, ...flags, "--json"]);
    assert.equal((await run("call", "fault.drop_after_receipt", "times:=2")).code, 4);

    const page = (await run("dead-letters", "list")).json() as unknown as DeadLetterPage;
    assert.deepEqual([page.total, page.byStatus.pending, page.nextCursor], [1, 1, null]);
    const [letter] = page.deadLetters;
    assert.deepEqual(
      [letter?.tool, letter?.arguments, letter?.error.code, letter?.hold, letter?.nextRetryAt],
      ["fault.drop_after_receipt", { times: 2 }, "OUTCOME_UNKNOWN", "may_have_run", null],
    );
    const prefix = String(letter?.id).slice(0, 6);
    const table = await runCli(["dead-letters", "list", ...flags]);
    assert.match(
      table.stdout,
      /fault\.drop_after_receipt {2}OUTCOME_UNKNOWN {2}1\/3 .*it may have run: check/,
    );

    const again = await run("dead-letters", "retry", prefix);
    assert.deepEqual([again.code, again.json().error?.code], [4, "OUTCOME_UNKNOWN"]);
    const shown = (await run("dead-letters", "show", prefix)).json() as unknown as DeadLetter;
    assert.deepEqual([shown.status, shown.attempts], ["pending", 2]);
    assert.equal(
      (await run("dead-letters", "list")).json().total,
      1,
      "a failed retry leaves no second one",
    );

    const last = await run("dead-letters", "retry", prefix);
    assert.deepEqual([last.code, last.json().ok, readLog(ledger).length], [0, true, 3]);
    const done = (await run("dead-letters", "show", prefix)).json() as unknown as DeadLetter;
    assert.deepEqual([done.status, done.resolvedCallId], ["resolved", last.json().call?.id]);
    const over = await run("dead-letters", "retry", prefix);
    assert.deepEqual([over.code, over.json().error?.code], [1, "CONFLICT"]);
    assert.deepEqual((await run("dead-letters", "delete", prefix)).json(), {
      id: done.id,
      deleted: true,
    });
    const gone = await run("dead-letters", "show", prefix);
    assert.deepEqual([gone.code, gone.json().error?.code], [1, "NOT_FOUND"]);
  });

  test("from the command line beside a plane that serves: all of them, and what people decide", async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    const servers = { fault: fixture("fault", ["--ledger", ledger]), gone: broken() };
    const config = await writeConfig(directory, servers);
    const data = directory.file("data");
    await using serving = await startServe(config, data);
    const run = (...words: string[]) =>
      runCli([...words, "--config", config, "--data-dir", data, "--json"]);
    await Promise.all([
      run("call", "gone.echo", "message=one"),
      run("call", "gone.echo", "message=two"),
      run("call", "fault.drop_after_receipt", "times:=9"),
    ]);
    const all = (await run("dead-letters", "retry", "--all")).json();
    assert.deepEqual([all.retried, all.succeeded, all.failed, all.skipped], [0, 0, 0, 3]);
    assert.equal(readLog(ledger).length, 1, "what may have run is not retried");
    const listed = await runCli(["dead-letters", "list", "--config", config, "--data-dir", data]);
    assert.match(listed.stdout, /gone\.echo .* its caller was refused and may have called again/);

    const { deadLetters } = (
      await run("dead-letters", "list", "--server", "gone")
    ).json() as unknown as DeadLetterPage;
    const [first, second] = deadLetters.map(({ id }) => id) as [string, string];
    const resolved = (await run("dead-letters", "resolve", first, "--note", "by hand")).json();
    assert.equal((resolved as unknown as DeadLetter).history.at(-1)?.note, "by hand");
    assert.equal((await run("dead-letters", "abandon", second)).json().status, "abandoned");
    assert.equal((await run("dead-letters", "abandon", second)).json().error?.code, "CONFLICT");
    const counts = (await run("dead-letters", "list")).json().byStatus;
    assert.deepEqual(counts, { pending: 1, retrying: 0, resolved: 1, abandoned: 1 });
    for (const words of [
      ["retry"],
      ["retry", first, "--all"],
      ["show", "ab"],
      ["list", "--limit", "0"],
    ]) {
      const refused = await run("dead-letters", ...words);
      assert.deepEqual([refused.code, refused.json().error?.code], [2, "USAGE"], words.join(" "));
    }
    await serving.stop();
  });

  test("a plane that serves makes a call that may run twice again when its time comes, and no other", async () => {
    await using directory = await temporaryDirectory();
    const port = await freePort();
    const put = (more: object) => ({
      description: "Writes.",
      side_effects: "write" as const,
      parameters: writeSchema,
      providers: [
        { name: "http", config: { method: "POST", url: `http://127.0.0.1:${port}/rest` } },
      ],
      ...more,
    });
    const tools = { once: put({}), often: put({ idempotency_key: true }) };
    await using plane = await createPlane({
      config: { tools, retry: { attempts: 1 } },
      dataDirectory: directory.file("data"),
    });
    const ids: string[] = [];
    for (const tool of ["once", "often"]) {
      const outcome = await plane.call(tool, { id: tool, ending: { is: "ok" } });
      assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
      ids.push(outcome.call.id);
    }
    await using server = await startWritingServer(port);
    using _later = skipTime(70_000);
    const resolved = new Promise((resolve) => plane.on("dead_letter.resolved", resolve));
    plane.start();
    await within("the retry", resolved);
    assert.deepEqual([...server.writes], [["often", [ids[1]]]]);
    const { deadLetters } = await plane.deadLetters.page();
    const stateOf = (id: string) => {
      const letter = deadLetters.find(({ callId }) => callId === id);
      return [letter?.status, letter?.waitsFor, letter?.hold];
    };
    assert.deepEqual(ids.map(stateOf), [
      ["pending", "caller", "refused"],
      ["resolved", null, null],
    ]);
  });

  test("what a killed plane was retrying comes back, and is not made again where it may have run", async () => {
    await using directory = await temporaryDirectory();
    const id = await leaveUnsent(directory, { ms: 600_000 });
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    const data = directory.file("data");
    {
      await using serving = await startServeProcess(config, data);
      const retry = startCli(["dead-letters", "retry", id, "--config", config, "--data-dir", data]);
      await until("the retry", () => callsAt(log).length === 1);
      await serving.stop("SIGKILL");
      await retry.result;
    }
    await using plane = await createPlane({ config, dataDirectory: data });
    assert.equal(
      (await plane.deadLetters.get(id)).status,
      "retrying",
      "another plane may still be at it",
    );
    await assert.rejects(plane.deadLetters.retry(id), { code: "CONFLICT" });
    using _later = skipTime(61_000);
    const back = await plane.deadLetters.get(id);
    assert.deepEqual(
      [back.status, back.attempts, back.hold, back.nextRetryAt],
      ["pending", 2, "may_have_run", null],
    );
    plane.start();
    assert.deepEqual((await plane.deadLetters.page()).byStatus.pending, 1);
    assert.equal(callsAt(log).length, 1);
  });

  test("no injected value is in an entry, an event or the file", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const data = directory.file("data");
    await using plane = await planeOf(
      {
        planner: fixture("planner", ["--log", log], {
          inject: ["_mcp_data"],
          description: "Makes plans",
        }),
      },
      { dataDirectory: data },
    );
    await plane.tools.list();
    const [pid = 0] = pidsIn(log);
    assert.equal((await plane.call("planner.plan", { task: "first" })).ok, true);
    process.kill(pid, "SIGSTOP");
    const outcome = await plane.call(
      "planner.plan",
      { task: "kept", _mcp_data: "forged" },
      { timeoutMs: 300 },
    );
    process.kill(pid, "SIGCONT");
    assertFailed(outcome, "TIMEOUT", "failed");
    const letter = await onlyLetter(plane);
    assert.deepEqual(
      letter.arguments,
      { task: "kept", _mcp_data: "forged" },
      "as the caller gave them",
    );
    assert.doesNotMatch(JSON.stringify(letter), /available_servers|Makes plans/);
    assert.doesNotMatch(JSON.stringify(await plane.events.list()), /kept/);
    await plane.stop();
    const file = await readFile(`${data}/toolplane.db`, "latin1");
    assert.ok(file.includes(letter.id));
    assert.doesNotMatch(file, /"task":"kept"|available_servers/, "it is sealed");
  });

  test("what was refused, cancelled, answered or only rehearsed leaves nothing", async () => {
    await using plane = await planeOf(
      { echo: fixture("echo"), gone: broken() },
      {
        policy: {
          rules: [{ tool: "echo.pid", verdict: "deny" }],
        },
      },
    );
    const controller = new AbortController();
    const cancelled = plane.call("echo.slow", { ms: 60_000 }, { signal: controller.signal });
    for (const [tool, args, options] of [
      ["echo.nothing", {}, {}],
      ["echo.echo", { message: 7 }, {}],
      ["echo.pid", {}, {}],
      ["echo.fail", {}, {}],
      ["gone.echo", {}, { dryRun: true }],
      ["echo.echo", { message: "hi" }, {}],
    ] as const)
      await plane.call(tool, args, options);
    controller.abort();
    await cancelled;
    assert.equal((await plane.deadLetters.page()).total, 0);
  });

  test("a store that cannot keep it costs a warning and not the answer", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await planeOf({ gone: broken() }, { dataDirectory: directory.path });
    await plane.calls.list();
    const database = new DatabaseSync(directory.file("toolplane.db"));
    database.exec("DROP TABLE dead_letters");
    database.close();
    const outcome = await plane.call("gone.echo", { message: "hi" });
    assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
    assert.match(outcome.call.warnings.join(), /No dead letter could be kept/);
  });

  test("a dead letter keeps what the server said, marked as the server's; the record of the call does not", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    const { call } = await plane.call("echo.throw", {});
    const [letter] = (await plane.deadLetters.page()).deadLetters;
    assert.match(letter?.error.message ?? "", /Server 'echo' said: “the server failed”$/);
    assert.deepEqual(letter?.error.data.said, { by: "echo", text: "the server failed" });
    const record = await plane.calls.get(call.id);
    assert.doesNotMatch(JSON.stringify(record), /the server failed/);
  });

  test("each call that was under way when its server was killed may have run: its dead letter says so and waits for a person", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const slow = { ...fixture("echo", ["--log", log]), maxConcurrency: 25 };
    await using plane = await createPlane({ config: { mcpServers: { slow } } });
    const { pid } = await plane.servers.connect("slow").then(() => plane.servers.get("slow"));
    const calls = Array.from({ length: 25 }, () => plane.call("slow.slow", { ms: 60_000 }));
    await until(
      "all calls are under way",
      () => readFileSync(log, "utf8").split('"tools/call"').length > 25,
    );
    process.kill(pid as number, "SIGKILL");
    const codes = (await Promise.all(calls)).map(({ error }) => error?.code);
    assert.deepEqual(new Set(codes), new Set(["OUTCOME_UNKNOWN"]));
    const { deadLetters } = await plane.deadLetters.page({ limit: 100 });
    assert.equal(deadLetters.length, 25);
    for (const { hold, waitsFor, nextRetryAt } of deadLetters)
      assert.deepEqual([hold, waitsFor, nextRetryAt], ["may_have_run", "person", null]);
  });
});
