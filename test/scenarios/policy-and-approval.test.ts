import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane, type Principal } from "../../src/index.ts";
import { principalOf } from "../../src/model/principal.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { postCall } from "./requests.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  type Printed,
  planeOf,
  runCli,
  startServe,
  textsOf,
  writeConfig,
} from "./support.ts";

const rules = [
  { tool: "echo.write_note", verdict: "deny", reason: "nothing is written on Fridays" },
  { tool: "echo.put_*", groups: ["ops"], verdict: "allow" },
  { tool: "echo.put_*", verdict: "ask", reason: "puts are looked at first" },
];
const ann: Principal = principalOf({ user: "ann", groups: ["ops"] });
const bob: Principal = principalOf({ user: "bob" });
const note = { key: "k", text: "secret words" };

suite("policy and approval", { concurrency: 4 }, () => {
  test("the first rule that fits decides, whatever the spelling, before the server hears of it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf(
      { echo: fixture("echo", ["--log", log]) },
      { policy: { rules } },
    );
    for (const spelling of ["echo.write_note", "mcp__echo__write_note", "write_note"]) {
      const denied = await plane.call(spelling, { text: "x" }, { consent: true });
      assertFailed(denied, "APPROVAL_DENIED", "refused");
      assert.match(errorOf(denied).message, /'echo\.write_note'.*nothing is written on Fridays/);
    }
    const asked = await plane.call("echo.put_note", note, { principal: bob });
    assertFailed(asked, "APPROVAL_REQUIRED", "waiting");
    assert.match(errorOf(asked).message, /puts are looked at first/);
    assert.deepEqual(callsAt(log), []);
    const allowed = await plane.call("echo.put_note", note, { principal: ann });
    assert.deepEqual(textsOf(allowed), ["stored k"]);
    const agreed = await plane.call("echo.put_note", note, { principal: bob, consent: true });
    assert.deepEqual(textsOf(agreed), ["stored k"]);
    const records = await plane.calls.list({ tool: "echo.put_note" });
    assert.deepEqual(
      records.map(({ status, approval }) => [status, approval?.verdict, approval?.origin]),
      [
        ["succeeded", "allow", "user"],
        ["succeeded", "allow", "rule"],
        ["waiting", undefined, undefined],
      ],
    );
  });

  test("over HTTP a tool that requires consent waits for it: 202, stored, not run", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      held: fixture("planner", ["--log", log], { requires_consent: true }),
      free: fixture("echo"),
    });
    const data = directory.file("data");
    const serving = await startServe(config, data);
    const forged = { task: "t", _mcp_data: { available_servers: ["forged"] } };
    const { status, body } = await postCall(serving.url, "held.plan", { arguments: forged });
    const free = await postCall(serving.url, "free.do_it_now", {});
    await serving.stop();
    assert.deepEqual([status, free.status], [202, 200]);
    const { ok, call, error } = body as Printed;
    assert.deepEqual([ok, call?.status, error?.code], [false, "waiting", "APPROVAL_REQUIRED"]);
    assert.deepEqual(callsAt(log), []);
    const { store } = await openStore({ address: { kind: "sqlite" }, directory: data });
    const [approval, ...others] = await store.heldCalls({ status: "pending" });
    await store.close();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [approval?.callId, approval?.tool, approval?.face],
      [call?.id, "held.plan", "http"],
    );
    assert.deepEqual(approval?.arguments, { task: "t" }, "what the system sets is not shown");
    assert.equal(
      (body.approval as { id: string } | undefined)?.id,
      approval?.id,
      "the answer names it",
    );
  });

  test("on the command line --yes is the consent, and no one to ask means exit code 3", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const servers = { echo: fixture("echo", ["--log", log]) };
    const config = await writeConfig(directory, servers, { policy: { rules } });
    const common = ["--config", config, "--data-dir", directory.path];
    const put = ["call", "echo.put_note", "key=k", "text=secret words", ...common];
    const [asked, agreed, denied, tried, free] = await Promise.all([
      runCli([...put, "--json"]),
      runCli([...put, "--yes"]),
      runCli(["call", "echo.write_note", "text=x", "--yes", ...common]),
      runCli([...put, "--yes", "--dry-run"]),
      runCli(["call", "echo.echo", "message=free", ...common]),
    ]);
    assert.deepEqual([asked.code, asked.json().error?.code], [3, "APPROVAL_REQUIRED"]);
    assert.deepEqual([agreed.code, agreed.stdout], [0, "stored k\n"]);
    assert.deepEqual([denied.code, denied.stdout], [3, ""]);
    assert.match(denied.stderr, /nothing is written on Fridays/);
    assert.equal(tried.code, 0);
    assert.deepEqual([free.code, free.stdout], [0, "free\n"]);
    assert.deepEqual(
      callsAt(log)
        .map(({ name }) => name)
        .sort(),
      ["echo", "put_note"],
    );
  });

  test("a person who types is the consent that a personal plane needs, and a pipe is no person", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {
      held: fixture("echo", [], { requires_consent: true }),
      free: fixture("echo"),
    });
    const common = ["--config", config, "--data-dir", directory.path];
    const call = ["call", "held.do_it_now", ...common];
    const batch = directory.file("calls.jsonl");
    await writeFile(batch, `${JSON.stringify({ tool: "held.do_it_now", arguments: {} })}\n`);
    const typed = await runCli(call, { isTyped: true });
    assert.deepEqual([typed.code, typed.stdout], [0, "done\n"]);
    const piped = await runCli(call);
    assert.deepEqual([piped.code, piped.stdout], [3, ""]);
    assert.match(piped.stderr, /toolplane approvals approve/);
    const agreed = await runCli([...call, "--yes"]);
    assert.deepEqual([agreed.code, agreed.stdout], [0, "done\n"]);
    const unasked = await runCli(["call", "free.do_it_now", ...common]);
    assert.deepEqual([unasked.code, unasked.stdout], [0, "done\n"]);
    const many = await runCli(["batch", batch, "--json", ...common]);
    const [{ status }] = (many.json().results as { call: { status: string } }[]).map(
      (result) => result.call,
    ) as [{ status: string }];
    assert.deepEqual([many.code, status], [1, "waiting"]);
    const typedBatch = await runCli(["batch", batch, "--json", ...common], { isTyped: true });
    assert.equal(typedBatch.code, 0);
  });

  test("a guarded plane asks about everything that is not known to only read", async () => {
    const policy = { profile: "guarded" };
    await using plane = await planeOf(
      {
        reader: fixture("echo", [], { trusted: true, requires_consent: false }),
        stranger: fixture("echo"),
      },
      { policy },
    );
    assert.equal((await plane.call("reader.echo", { message: "hi" })).ok, true);
    assertFailed(await plane.call("reader.put_note", note), "APPROVAL_REQUIRED", "waiting");
    assertFailed(
      await plane.call("stranger.echo", { message: "hi" }),
      "APPROVAL_REQUIRED",
      "waiting",
    );
  });

  test("a server for a group is neither listed nor callable nor suggested for others", async () => {
    await using plane = await planeOf({
      a: fixture("echo", [], { groups: ["ops"] }),
      a_b: fixture("echo", ["--name", "open"]),
    });
    const listed = async (principal: Principal) =>
      new Set((await plane.tools.list({ principal })).map(({ id }) => id.server));
    assert.deepEqual([...(await listed(ann))].sort(), ["a", "a_b"]);
    assert.deepEqual([...(await listed(bob))], ["a_b"]);
    assertFailed(
      await plane.call("a.whoami_server", {}, { principal: bob }),
      "TOOL_NOT_FOUND",
      "refused",
    );
    await assert.rejects(plane.tools.get("a.whoami_server", { principal: bob }), {
      code: "TOOL_NOT_FOUND",
    });
    assert.deepEqual(textsOf(await plane.call("a_b.whoami_server", {}, { principal: bob })), [
      "open",
    ]);
    assert.equal((await plane.call("a.whoami_server", {}, { principal: ann })).ok, true);
    const lost = await plane.call("a.whoami_servr", {}, { principal: bob });
    assertFailed(lost, "TOOL_NOT_FOUND", "refused");
    assert.doesNotMatch(JSON.stringify(errorOf(lost).data.nearest), /"a\./);
  });

  test("what the operator says of one tool comes before the hint of its trusted server", async () => {
    await using directory = await temporaryDirectory();
    const tools = [
      { name: "peek", annotations: { readOnlyHint: true }, inputSchema: { type: "object" } },
    ];
    await writeFile(directory.file("tools.json"), JSON.stringify([tools]));
    const notes = fixture("scripted-list", ["--tools", directory.file("tools.json")], {
      trusted: true,
    });
    const config = {
      mcpServers: { notes },
      overlays: { "notes.peek": { side_effects: "write" } },
    };
    await using plane = await createPlane({
      config: config as never,
      dataDirectory: directory.file("data"),
    });
    const queued = await plane.call("notes.peek", {}, { mode: "plan" });
    assert.ok(queued.plan, JSON.stringify(queued));
    const { effect } = await plane.policy.test("notes.peek");
    assert.equal(effect.effect, "write");
  });
});
