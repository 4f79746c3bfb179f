import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { createPlane, type HookCall, principalOf } from "../../src/index.ts";
import { patientSeconds } from "../fixtures/patience.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { hookCommand } from "../samples/hooks.ts";
import { getJson, postCall } from "./requests.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  isRunning,
  runCli,
  startServe,
  textsOf,
  writeConfig,
} from "./support.ts";

const note = { key: "k", text: "hi" };
/** A slow machine needs longer than the usual limit to start a program. */
const hook = (name: string, command: string[], more: object = {}) => ({
  name,
  command,
  timeout_ms: 60_000,
  ...more,
});

/** An echo server with these hooks, in a file and with a log. */
async function configured(directory: TemporaryDirectory, hooks: object, more: object = {}) {
  const log = directory.file("log");
  const servers = { echo: fixture("echo", ["--log", log]) };
  const config = await writeConfig(directory, servers, { hooks, ...more });
  return { log, config, dataDirectory: directory.file("data") };
}

suite("hooks", { concurrency: 4 }, () => {
  test("on the command line a hook refuses with exit code 3, its reason and no secret, and '--yes' is no help", async () => {
    await using directory = await temporaryDirectory();
    const { config, dataDirectory, log } = await configured(directory, {
      PreToolUse: [
        hook("calendar", hookCommand("deny.sh"), { matcher: "write_note$" }),
        hook("ledger", hookCommand("block.sh"), { matcher: "^echo\\.put_" }),
      ],
    });
    const common = ["--config", config, "--data-dir", dataDirectory];
    const [denied, blocked, free] = await Promise.all([
      runCli(["call", "echo.write_note", "text=x", "--yes", ...common]),
      runCli(["call", "echo.put_note", "key=k", "text=x", "--json", ...common]),
      runCli(["call", "echo.echo", "message=free", ...common]),
    ]);
    assert.equal(denied.code, 3);
    assert.match(
      denied.stderr,
      /'echo\.write_note' was not run: hook 'calendar' \(PreToolUse\) says: no notes on/,
    );
    const { code, message, data } = errorOf(blocked.json());
    assert.deepEqual([blocked.code, code, data.origin], [3, "APPROVAL_DENIED", "hook:ledger"]);
    assert.match(message, /the ledger is closed, password=\[redacted\]/);
    assert.deepEqual([free.code, free.stdout], [0, "free\n"]);
    assert.deepEqual(
      callsAt(log).map(({ name }) => name),
      ["echo"],
    );
  });

  test("over HTTP a hook that fails, whatever the way, refuses the call, and its record says which did what", async () => {
    await using directory = await temporaryDirectory();
    const pids = directory.file("pids");
    const scripts = {
      echo: hookCommand("crash.sh"),
      echo_all: hookCommand("flood.sh"),
      write_note: hookCommand("invalid-json.sh"),
      put_note: hookCommand("hang.sh", pids),
      do_it_now: ["/no/such/program"],
    };
    // Enough for it to start and to say who runs.
    const seconds = patientSeconds(1);
    const { config, dataDirectory, log } = await configured(directory, {
      PreToolUse: Object.entries(scripts).map(([tool, command]) =>
        hook(tool, command, {
          matcher: `\\.${tool}$`,
          timeout_ms: tool === "put_note" ? seconds * 1_000 : 60_000,
        }),
      ),
    });
    await using serving = await startServe(config, dataDirectory);
    const reasons: Record<keyof typeof scripts, RegExp> = {
      echo: /hook 'echo' \(PreToolUse\) failed: it ended with exit code 7/,
      echo_all: /it wrote more than 1 MiB/,
      write_note: /what it printed is not JSON/,
      put_note: new RegExp(`it took longer than ${seconds} s, its 'timeout_ms'`),
      do_it_now: /it could not be started/,
    };
    const args = { message: "m", ...note };
    for (const [tool, reason] of Object.entries(reasons)) {
      const { status, body } = await postCall(serving.url, `echo.${tool}`, { arguments: args });
      assert.deepEqual([status, body.code], [403, "APPROVAL_DENIED"], tool);
      assert.match(String(body.detail), reason);
      const { body: record } = await getJson(`${serving.url}/calls/${callIdOf(body)}`);
      const [run] = record.hooks as { name: string; decision: string; failed: boolean }[];
      assert.deepEqual([run?.name, run?.decision, run?.failed], [tool, "deny", true]);
    }
    assert.deepEqual(callsAt(log), []);
    const ended = readFileSync(pids, "utf8").trim().split(" ").map(Number);
    await until("the end of the hook and of what it started", () => !ended.some(isRunning));
  });

  test("a hook that fails and says 'allow' lets the call through", async () => {
    await using directory = await temporaryDirectory();
    const { config } = await configured(directory, {
      PreToolUse: [hook("crash", hookCommand("crash.sh"), { on_error: "allow" })],
      PostToolUse: [hook("flood", hookCommand("flood.sh"))],
    });
    await using plane = await createPlane({ config });
    const outcome = await plane.call("echo.echo", { message: "through" });
    assert.deepEqual(textsOf(outcome), ["through"]);
    const { hooks = [] } = await plane.calls.get(outcome.call.id);
    assert.deepEqual(
      hooks.map(({ decision, failed }) => [decision, failed]),
      [
        ["continue", true],
        ["continue", true],
      ],
    );
  });

  test("only those who manage the plane read what a broken hook wrote", async () => {
    await using directory = await temporaryDirectory();
    const { config } = await configured(directory, {
      PreToolUse: [hook("crash", hookCommand("crash.sh"))],
    });
    await using plane = await createPlane({ config });
    const shown = errorOf(await plane.call("echo.echo", { message: "m" }));
    assert.match(shown.message, /exit code 7: cannot open \/srv\/private\/rules\.db/);
    const bob = principalOf({ user: "bob" });
    const hidden = await plane.call("echo.echo", { message: "m" }, { principal: bob });
    assert.doesNotMatch(
      JSON.stringify([hidden, await plane.calls.list({}, { principal: bob })]),
      /srv/,
    );
  });

  test("a hook gets the call and a small environment, where its file is", async () => {
    await using directory = await temporaryDirectory();
    const told = directory.file("told");
    const remember = hook("remember", hookCommand("remember.mjs", told), { timeout_ms: 20_000 });
    const { config, dataDirectory } = await configured(directory, {
      PermissionRequest: [remember],
      PostToolUse: [remember],
    });
    const common = ["--config", config, "--data-dir", dataDirectory, "--user", "ann"];
    const env = { SECRET_OF_THE_PLANE: "s", LANG: "C" };
    const { code } = await runCli(["call", "echo.echo", "message=m", ...common], { env });
    assert.equal(code, 0);
    const [before, after] = readFileSync(told, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Told);
    const { session_id, payload, ...envelope } =
      before?.told ?? assert.fail("nothing was reported");
    assert.deepEqual(envelope, {
      hook_event_name: "PermissionRequest",
      user_email: "ann",
      compliance_level: null,
    });
    assert.equal(session_id, payload.tool_call_id);
    assert.deepEqual(
      [payload.tool_name, payload.server, payload.verdict],
      ["echo.echo", "echo", "allow"],
    );
    assert.deepEqual(payload.arguments, { message: "m" });
    assert.equal(before?.directory, directory.path);
    const { TOOLPLANE_CONFIG, TOOLPLANE_PROJECT_DIR, ...variables } = before?.variables ?? {};
    assert.deepEqual([TOOLPLANE_CONFIG, TOOLPLANE_PROJECT_DIR], [config, process.cwd()]);
    const allowed = ["PATH", "HOME", "LANG", "SYSTEMROOT", "USER"];
    assert.deepEqual(
      Object.keys(variables).filter((name) => !allowed.includes(name)),
      [],
    );
    assert.equal(variables.LANG, "C");
    const { success, content, is_error } = after?.told.payload ?? {};
    assert.deepEqual([success, content, is_error], [true, [{ type: "text", text: "m" }], false]);
  });

  test("what only the system sets is set again after a hook, and no hook sees or forges it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const told = directory.file("told");
    const planner = fixture("planner", ["--log", log], { inject: ["_mcp_data", "username"] });
    const limit = { timeout_ms: 20_000 };
    const hooks = {
      PreToolUse: [
        hook("forge", hookCommand("forge.mjs"), limit),
        hook("remember", hookCommand("remember.mjs", told), limit),
      ],
    };
    const config = await writeConfig(directory, { planner }, { hooks });
    await using plane = await createPlane({ config, principal: { user: "olga" } });
    const outcome = await plane.call("planner.plan_as", { task: "t" });
    assert.equal(outcome.ok, true, outcome.error?.message);
    const [received] = callsAt(log).map(({ arguments: args }) => args as Record<string, unknown>);
    assert.deepEqual([received?.task, received?.username], ["changed", "olga"]);
    assert.doesNotMatch(JSON.stringify(received), /forged|root/);
    const seen = JSON.parse(readFileSync(told, "utf8")) as Told;
    assert.equal(seen.told.payload.tool_name, "planner.plan_as", "facts stay facts");
    assert.doesNotMatch(JSON.stringify(seen.told.payload), /olga|server_name/);
  });

  test("a hook may answer the profile's question, and neither a rule's nor from the wrong event", async () => {
    await using directory = await temporaryDirectory();
    const rules = [{ tool: "echo.put_note", verdict: "ask", reason: "puts are looked at" }];
    const { config, dataDirectory } = await configured(
      directory,
      {
        PermissionRequest: [hook("knows", hookCommand("approve.sh"), { matcher: "note$" })],
        PreToolUse: [hook("tries", hookCommand("approve.sh"), { matcher: "do_it_now" })],
      },
      { policy: { profile: "guarded", rules } },
    );
    await using serving = await startServe(config, dataDirectory);
    const call = async (tool: string) =>
      (await postCall(serving.url, tool, { arguments: note })).status;
    assert.deepEqual(
      [await call("echo.write_note"), await call("echo.put_note"), await call("echo.do_it_now")],
      [200, 202, 202],
    );
  });

  test("a person is shown what a hook wrote, and that is what runs, once rewritten", async () => {
    await using directory = await temporaryDirectory();
    const rules = [{ tool: "echo.put_note", verdict: "ask" }];
    const { config, log, dataDirectory } = await configured(
      directory,
      { PreToolUse: [hook("adds", hookCommand("set-text.mjs", "+!"), { timeout_ms: 20_000 })] },
      { policy: { rules } },
    );
    await using plane = await createPlane({ config, dataDirectory });
    const consented = await plane.call("echo.put_note", note, { consent: true });
    assertFailed(consented, "APPROVAL_REQUIRED", "waiting");
    const [held] = await plane.approvals.list();
    assert.deepEqual([held?.arguments, held?.before], [{ key: "k", text: "hi!" }, note]);
    const { outcome } = await plane.approvals.answer(held?.id ?? "", { decision: "approve" });
    assert.equal(outcome?.ok, true, outcome?.error?.message);
    assert.deepEqual(
      callsAt(log).map(({ arguments: args }) => args),
      [{ key: "k", text: "hi!" }],
    );
    await plane.call("echo.put_note", note);
    const [next] = await plane.approvals.list({ status: "pending" });
    const edited = { decision: "approve", arguments: { key: "k", text: "mine" } } as const;
    const changed = await plane.approvals.answer(next?.id ?? "", edited);
    assert.equal(
      changed.outcome?.error?.code,
      "APPROVAL_DENIED",
      "no one saw what the hook makes of it",
    );
    assert.equal(callsAt(log).length, 1);
  });

  test("a yes is void when a hook writes something else the second time", async () => {
    await using directory = await temporaryDirectory();
    const { config, log } = await configured(
      directory,
      {},
      { policy: { rules: [{ verdict: "ask" }] } },
    );
    let times = 0;
    const PreToolUse = [
      () =>
        ({
          decision: "modify",
          payload: { arguments: { key: "k", text: `time ${++times}` } },
        }) as const,
    ];
    await using plane = await createPlane({ config, hooks: { PreToolUse } });
    await plane.call("echo.put_note", note);
    const [held] = await plane.approvals.list();
    const { approval, outcome } = await plane.approvals.answer(held?.id ?? "", {
      decision: "approve",
    });
    assert.deepEqual([approval.status, outcome?.error?.code], ["void", "APPROVAL_DENIED"]);
    assert.match(outcome?.error?.message ?? "", /what becomes of the arguments has changed since/);
    assert.deepEqual(callsAt(log), []);
  });

  test("a hook may have a person asked, and a yes given beforehand counts", async () => {
    await using directory = await temporaryDirectory();
    const { config, dataDirectory } = await configured(directory, {
      PreToolUse: [hook("asks", hookCommand("ask.sh"))],
    });
    const common = ["--json", "--config", config, "--data-dir", dataDirectory];
    const [asked, agreed] = await Promise.all([
      runCli(["call", "echo.echo", "message=m", ...common]),
      runCli(["call", "echo.echo", "message=m", "--yes", ...common]),
    ]);
    assert.deepEqual([asked.code, errorOf(asked.json()).code], [3, "APPROVAL_REQUIRED"]);
    assert.match(
      errorOf(asked.json()).message,
      /hook 'asks' \(PreToolUse\) says: look at it first/,
    );
    assert.equal(agreed.code, 0);
  });

  test("a result is replaced on every face, and its record tells both", async () => {
    await using directory = await temporaryDirectory();
    const { config, dataDirectory } = await configured(directory, {
      PostToolUse: [
        hook("redact", hookCommand("redact.mjs"), { timeout_ms: 20_000, on_error: "deny" }),
        hook("deny", hookCommand("deny.sh"), { matcher: "write_note" }),
      ],
    });
    await using serving = await startServe(config, dataDirectory);
    const { status, body } = await postCall(serving.url, "echo.echo", {
      arguments: { message: "a secret" },
    });
    assert.equal(status, 200);
    assert.deepEqual(textsOf(body), ["a ******"]);
    const { body: record } = await getJson(`${serving.url}/calls/${callIdOf(body)}`);
    assert.ok(typeof record.changedHash === "string" && record.changedHash !== record.resultHash);
    const { code, stderr } = await runCli([
      "call",
      "echo.write_note",
      "text=x",
      "--config",
      config,
      "--data-dir",
      dataDirectory,
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /'echo\.write_note' ran, but its result was withheld: hook 'deny'/);
    const { body: tool } = await getJson(`${serving.url}/tools/echo.write_note`);
    assert.equal((tool.health as { success_rate: number }).success_rate, 1);
  });

  test("a caller that gives up ends the hook, and the tool is not run", async () => {
    await using directory = await temporaryDirectory();
    const pids = directory.file("pids");
    const { config, log } = await configured(directory, {
      PreToolUse: [
        hook("hang", hookCommand("hang.sh", pids), { timeout_ms: 600_000, on_error: "allow" }),
      ],
    });
    await using plane = await createPlane({ config });
    const controller = new AbortController();
    const calling = plane.call("echo.echo", { message: "m" }, { signal: controller.signal });
    await until("the hook's start", () => pidsOf(pids).length === 2);
    controller.abort();
    assertFailed(await calling, "CANCELLED", "cancelled");
    await until("its end", () => !pidsOf(pids).some(isRunning));
    assert.deepEqual(callsAt(log), []);
  });

  test("hooks that a file gains while the plane runs are asked from then on, and a broken one changes nothing", async () => {
    await using directory = await temporaryDirectory();
    const { config } = await configured(directory, {});
    await using plane = await createPlane({ config });
    const call = () => plane.call("echo.echo", { message: "m" });
    assert.equal((await call()).ok, true);
    await configured(directory, { PreToolUse: [hook("deny", hookCommand("deny.sh"))] });
    await plane.reload();
    assertFailed(await call(), "APPROVAL_DENIED", "refused");
    await configured(directory, { PreToolUse: [{ name: "deny" }] });
    await assert.rejects(plane.reload(), { code: "CONFIG_INVALID" });
    assertFailed(await call(), "APPROVAL_DENIED", "refused");
  });

  test("a hook that cannot be read keeps the plane from starting, with file and place", async () => {
    await using directory = await temporaryDirectory();
    const { config } = await configured(directory, {
      PreToolUse: [hook("h", ["true"], { matcher: "(" })],
    });
    const { code, stderr } = await runCli(["call", "echo.echo", "message=m", "--config", config]);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /toolplane\.json:1: hooks\.PreToolUse\[0\]\.matcher: '\(' is not a valid pattern/,
    );
  });
});

type Told = { told: HookCall; directory: string; variables: Record<string, string> };

function pidsOf(file: string): number[] {
  try {
    return readFileSync(file, "utf8").trim().split(" ").map(Number);
  } catch {
    return [];
  }
}

function callIdOf(body: Record<string, unknown>): string {
  return (body.call as { id: string }).id;
}
