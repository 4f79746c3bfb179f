import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { createPlane, type Plane, principalOf } from "../../src/index.ts";
import { bindKey } from "../../src/model/calls/idempotency-key.ts";
import type { QueueView } from "../../src/model/work/dead-letter.ts";
import { freePort } from "../fixtures/free-port.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { startWritingServer } from "../fixtures/writing/server.ts";
import { getJson, postCall } from "./requests.ts";
import { assertFailed, runCli, startServe, within, writeConfig } from "./support.ts";

const ok = { is: "ok" } as const;
const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });

/** A plane that knows the tools of a server that is down. */
async function planeBeforeItsServer(directory: TemporaryDirectory) {
  const port = await freePort();
  const notes = { url: `http://127.0.0.1:${port}/modern`, circuit: { failures: 0 } };
  const config = { mcpServers: { notes }, retry: { attempts: 1 } };
  const options = { config, dataDirectory: directory.file("data") };
  {
    await using _server = await startWritingServer(port);
    await using plane = await createPlane(options);
    assert.equal((await plane.tools.list()).length, 2);
  }
  return { port, plane: await createPlane(options), notes };
}

function nextEvent(plane: Plane, type: "dead_letter.resolved" | "dead_letter.retrying") {
  return within(type, new Promise((resolve) => plane.on(type, resolve)));
}

suite("a call whose caller chose to have it run when its server is back", () => {
  test("is accepted with a receipt, runs once under one key, and the receipt says how it ended", async () => {
    await using directory = await temporaryDirectory();
    const { port, plane: opened } = await planeBeforeItsServer(directory);
    await using plane = opened;
    plane.start();
    const args = { id: "a", ending: ok };
    const outcome = await plane.call("notes.put", args, {
      onUnavailable: "queue",
      idempotencyKey: "order-7",
      principal: ann,
    });
    assert.equal(outcome.error?.code, "CALL_QUEUED");
    assert.deepEqual([outcome.call.status, outcome.call.sent], ["waiting", "not_sent"]);
    assert.deepEqual(outcome.queued, { id: outcome.call.id });
    assert.match(outcome.error?.message ?? "", /runs once.*Do not call it again/);
    const letter = await plane.deadLetters.get(outcome.call.id, { principal: ann });
    assert.deepEqual([letter.accepted, letter.waitsFor, letter.sent], [true, "retry", "not_sent"]);
    await assert.rejects(plane.deadLetters.get(outcome.call.id, { principal: bob }), {
      code: "NOT_FOUND",
    });

    const resolved = nextEvent(plane, "dead_letter.resolved");
    await using server = await startWritingServer(port);
    await plane.servers.connect("notes");
    await resolved;
    assert.deepEqual([...server.writes], [["a", [bindKey("order-7", ann)]]]);
    const after = await plane.deadLetters.get(outcome.call.id, { principal: ann });
    assert.deepEqual([after.status, after.waitsFor], ["resolved", null]);
    const ran = await plane.calls.get(String(after.resolvedCallId), { principal: ann });
    assert.deepEqual([ran.status, ran.principal.user], ["succeeded", "ann"]);
  });

  test("without a key of its caller it is sent with its own id", async () => {
    await using directory = await temporaryDirectory();
    const { port, plane: opened } = await planeBeforeItsServer(directory);
    await using plane = opened;
    plane.start();
    const outcome = await plane.call(
      "notes.put",
      { id: "a", ending: ok },
      { onUnavailable: "queue" },
    );
    const resolved = nextEvent(plane, "dead_letter.resolved");
    await using server = await startWritingServer(port);
    await plane.servers.connect("notes");
    await resolved;
    assert.deepEqual([...server.writes], [["a", [outcome.call.id]]]);
  });

  test("once its outcome is not known, a person decides", async () => {
    await using directory = await temporaryDirectory();
    const { port, plane: opened } = await planeBeforeItsServer(directory);
    await using plane = opened;
    plane.start();
    const args = {
      id: "a",
      ending: { is: "status", status: 429, headers: { "retry-after": "0" } },
    };
    const { call } = await plane.call("notes.put", args, { onUnavailable: "queue" });
    await using server = await startWritingServer(port);
    const ended = within(
      "the record of the try",
      new Promise((resolve) => plane.on("tool.result", resolve)),
    );
    await plane.servers.connect("notes");
    await ended;
    await plane.deadLetters.page();
    assert.equal(server.writes.get("a")?.length, 1);
    const letter = await plane.deadLetters.get(call.id);
    assert.deepEqual(
      [letter.hold, letter.waitsFor, letter.sent],
      ["may_have_run", "person", "sent"],
    );
  });

  test("a deleted one never runs, and no later start of a plane brings it back", async () => {
    await using directory = await temporaryDirectory();
    const { port, plane: opened } = await planeBeforeItsServer(directory);
    await using plane = opened;
    const { call } = await plane.call(
      "notes.put",
      { id: "a", ending: ok },
      { onUnavailable: "queue" },
    );
    assert.equal(await plane.deadLetters.delete(call.id), true);
    await using server = await startWritingServer(port);
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 3_600_000 });
    try {
      plane.start();
      await plane.servers.connect("notes");
      await plane.call("notes.put", { id: "b", ending: ok });
    } finally {
      mock.timers.reset();
    }
    assert.deepEqual([...server.writes.keys()], ["b"]);
  });

  test("it is never the default, and a call that was refused to its caller is not run later", async () => {
    await using directory = await temporaryDirectory();
    const { plane: opened } = await planeBeforeItsServer(directory);
    await using plane = opened;
    const outcome = await plane.call("notes.put", { id: "a", ending: ok });
    assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
    assert.equal(outcome.call.sent, "not_sent");
    const { deadLetters } = await plane.deadLetters.page();
    assert.deepEqual(
      deadLetters.map(({ hold, waitsFor, nextRetryAt }) => [hold, waitsFor, nextRetryAt]),
      [["refused", "caller", null]],
    );
  });

  test("what cannot be followed or kept fails, and says why it was not queued", async () => {
    await using directory = await temporaryDirectory();
    const { plane: opened } = await planeBeforeItsServer(directory);
    await using plane = opened;
    const args = { id: "a", ending: ok };
    const nameless = await plane.call("notes.put", args, {
      onUnavailable: "queue",
      principal: principalOf({}),
    });
    assert.equal(nameless.error?.code, "SERVER_UNAVAILABLE");
    assert.match(nameless.error?.message ?? "", /It was not queued: An anonymous caller/);
    const large = { id: "x".repeat(300_000), ending: ok };
    const refused = await plane.call("notes.put", large, { onUnavailable: "queue" });
    assert.match(refused.error?.message ?? "", /It was not queued: Its arguments are too large/);
    const odd = { onUnavailable: "later" } as unknown as { onUnavailable: "queue" };
    assert.equal((await plane.call("notes.put", args, odd)).error?.code, "USAGE");
  });

  test("over HTTP and from the command line the receipt can be followed and cancelled", async () => {
    await using directory = await temporaryDirectory();
    const { plane, notes } = await planeBeforeItsServer(directory);
    await plane[Symbol.asyncDispose]();
    const config = await writeConfig(directory, { notes }, { retry: { attempts: 1 } });
    const data = directory.file("data");
    await using serving = await startServe(config, data);
    const args = { id: "a", ending: ok };
    const body = { arguments: args, onUnavailable: "queue" };
    const answer = await postCall(serving.url, "notes.put", body);
    const queued = answer.body.queued as { id: string };
    assert.deepEqual([answer.status, answer.body.ok], [202, false]);
    const shown = await getJson(`${serving.url}/calls/${queued.id}`);
    assert.equal((shown.body.queued as QueueView).waitsFor, "retry");
    const wrong = await postCall(serving.url, "notes.put", { ...body, onUnavailable: "later" });
    assert.equal(wrong.status, 400);

    const run = (...words: string[]) => runCli([...words, "--config", config, "--data-dir", data]);
    const json = JSON.stringify(args);
    const called = await run("call", "notes.put", "--args", json, "--on-unavailable", "queue");
    assert.equal(called.code, 3, called.stderr);
    const [, id = ""] = /calls show (\S+)'/.exec(called.stderr) ?? assert.fail(called.stderr);
    assert.match((await run("calls", "show", id)).stdout, /queue\s+pending, next try at /);
    const listWaiting = async () => {
      const { calls } = (await run("calls", "list", "--status", "waiting", "--json")).json();
      const overHttp = await getJson(`${serving.url}/calls?status=waiting`);
      assert.deepEqual(calls, overHttp.body.calls);
      return (calls as { id: string }[]).map((call) => call.id);
    };
    assert.deepEqual(await listWaiting(), [id, queued.id]);
    assert.equal((await run("dead-letters", "delete", id)).code, 0);
    assert.deepEqual(await listWaiting(), [queued.id]);
    assert.match((await run("calls", "show", id)).stdout, /queue\s+deleted: nothing runs it/);
  });
});
