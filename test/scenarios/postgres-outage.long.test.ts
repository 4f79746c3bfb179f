import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { createPlane, type Outcome, type Plane } from "../../src/index.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { askAsStarter, eventually } from "./approving.ts";
import { errorOf, fixture, startServe } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

/** Nothing but the record of a call needs the store: who calls is known, and no one is asked. */
function planeOn(schema: string, directory?: TemporaryDirectory): Promise<Plane> {
  return createPlane({
    config: { mcpServers: { echo: fixture("echo") }, policy: { profile: "personal" } },
    store: server.address(schema),
    ...(directory ? { dataDirectory: directory.path } : {}),
  });
}

const say = (plane: Plane, message: string): Promise<Outcome> =>
  plane.call("echo.echo", { message });

/** Resolves when the plane has said so. */
const until = (plane: Plane, type: "store.lost" | "store.back") =>
  new Promise<void>((resolve) => {
    const leave = plane.on(type, () => {
      leave();
      resolve();
    });
  });

test("the database goes away and comes back in the middle of calls: none is lost, and each is recorded once", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await planeOn("outage", directory);
  assert.deepEqual((await say(plane, "first")).call.warnings, []);
  let isOver = false;
  const outcomes: Outcome[] = [];
  const lane = async (name: string) => {
    for (let at = 0; !isOver; at += 1) outcomes.push(await say(plane, `${name} ${at}`));
  };
  const lanes = ["a", "b", "c"].map(lane);
  for (let round = 0; round < 2; round += 1) {
    const lost = until(plane, "store.lost");
    const back = until(plane, "store.back");
    await server.stop();
    await lost;
    assert.equal((await plane.readiness()).ready, false);
    assert.equal((await say(plane, "while it is unreachable")).ok, true);
    await assert.rejects(plane.calls.list(), {
      code: "STORE_FAILED",
      message: /cannot be reached right now/,
    });
    await server.start();
    await back;
    assert.deepEqual(await plane.readiness(), { ready: true });
  }
  isOver = true;
  await Promise.all(lanes);
  assert.deepEqual([...new Set(outcomes.map(({ ok }) => ok))], [true]);
  const expected = outcomes.length + 3;
  const calls = await eventually("every record", async () => {
    const found = await plane.calls.list();
    return found.length >= expected ? found : undefined;
  });
  assert.deepEqual([calls.length, new Set(calls.map(({ id }) => id)).size], [expected, expected]);
  assert.equal((await plane.calls.verify()).ok, true);
});

test("a call that ended while the database was unreachable is recorded by the plane that comes after", async () => {
  await using directory = await temporaryDirectory();
  {
    await using plane = await planeOn("left", directory);
    assert.deepEqual((await say(plane, "first")).call.warnings, []);
    const lost = until(plane, "store.lost");
    await server.stop();
    await lost;
    const { ok, call, error } = await say(plane, "left behind");
    assert.deepEqual([ok, error, call.warnings], [true, undefined, []]);
  }
  assert.ok(readdirSync(directory.path).some((name) => name.includes("-waiting-")));
  await server.start();
  await using next = await planeOn("left", directory);
  assert.equal((await next.calls.list()).length, 2);
  assert.ok(!readdirSync(directory.path).some((name) => name.includes("-waiting-")));
});

test("a plane that finds no database says so as if it had lost one, and when it is there", async () => {
  await server.stop();
  await using plane = await planeOn("absent");
  const lost = until(plane, "store.lost");
  const back = until(plane, "store.back");
  assert.equal((await plane.readiness()).ready, false);
  await lost;
  await server.start();
  await back;
  assert.deepEqual((await say(plane, "first")).call.warnings, []);
});

test("a call that waits for a person's yes goes on waiting while the database is unreachable", async () => {
  const rules = [{ tool: "echo.put_note", verdict: "ask" as const }];
  await using plane = await createPlane({
    config: { mcpServers: { echo: fixture("echo") }, policy: { profile: "personal", rules } },
    store: server.address("waiting"),
  });
  const waiting = plane.call("echo.put_note", { key: "k", text: "t" }, { approvalWaitMs: 60_000 });
  const { id } = await eventually("the question", async () => (await plane.approvals.list())[0]);
  const lost = until(plane, "store.lost");
  const back = until(plane, "store.back");
  await server.stop();
  await lost;
  await server.start();
  await back;
  await plane.approvals.answer(id, { decision: "approve" });
  const { ok, error } = await waiting;
  assert.equal(ok, true, JSON.stringify(error));
});

test("without a place of its own a plane tells that a call is not recorded yet, and records it later", async () => {
  await using plane = await planeOn("bare");
  assert.deepEqual((await say(plane, "first")).call.warnings, []);
  const lost = until(plane, "store.lost");
  const back = until(plane, "store.back");
  await server.stop();
  await lost;
  const { ok, call, error } = await say(plane, "later");
  assert.equal(ok, true, JSON.stringify(error));
  assert.equal(call.recorded, false);
  assert.match(call.warnings.join(), /not be recorded.*cannot reach its store/);
  await server.start();
  await back;
  await eventually("the record", async () =>
    (await plane.calls.list()).length === 2 ? true : undefined,
  );
});

test("a plane that serves says that it is not ready, refuses what needs the store, and recovers", async () => {
  await using directory = await temporaryDirectory();
  const store = server.address();
  await server.stop();
  const steps = [{ id: "say", tool: "echo.echo", arguments: { message: "hi" } }];
  const daily = { task_graph: [{ task: "say" }], recurrence: { frequency: "daily" } };
  const work = {
    skills: [skill("speak", { steps })],
    tasks: [task("say", ["speak"])],
    jobs: [{ name: "daily", personas: ["Atlas"], ...daily }],
  };
  const config = await workConfig(directory, { echo: fixture("echo") }, work, { store });
  await using serving = await startServe(config, directory.file("data"));
  const ask = askAsStarter(serving);
  const ready = await eventually("the trouble", async () => {
    const answer = await ask("GET /readyz");
    return answer.status === 503 ? answer : undefined;
  });
  assert.equal(ready.body.code, "STORE_FAILED");
  assert.doesNotMatch(JSON.stringify(ready.body), /127\.0\.0\.1|keeper|postgres:/);
  assert.equal((await ask("GET /healthz")).status, 200);
  // Who may call what depends on whether there are keys, and that is unknown now.
  const refused = await ask("POST /tools/echo.echo/call", { arguments: { message: "hi" } });
  assert.deepEqual(
    [refused.status, refused.body.code ?? errorOf(refused.body).code],
    [503, "STORE_FAILED"],
  );
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const elsewhere = { "mcp-session-id": "00000000-0000-4000-8000-000000000000" };
  for (const away of [
    refused,
    await ask("POST /mcp", hello),
    await ask("POST /mcp", hello, elsewhere),
  ]) {
    const text = JSON.stringify(away.body);
    assert.match(text, /STORE_FAILED/);
    assert.match(text, /cannot reach its store right now.*ask again in a moment/);
    assert.deepEqual([away.status, away.headers.get("retry-after")], [503, "5"], text);
  }
  await server.start();
  await eventually("the recovery", async () =>
    (await ask("GET /readyz")).status === 200 ? true : undefined,
  );
  const answer = await ask("POST /tools/echo.echo/call", { arguments: { message: "hi" } });
  assert.equal(answer.status, 200);
  // Jobs are begun by the clock as if the database had been there from the beginning.
  await eventually("the schedule", async () => {
    const { schedule } = (await ask("GET /jobs/daily")).body as {
      schedule: { nextAt: string | null };
    };
    return schedule.nextAt ?? undefined;
  });
  const { body } = await ask("POST /jobs/daily/run", {}, { prefer: "wait=30" });
  assert.equal(
    (body.run as { state: string } | undefined)?.state,
    "succeeded",
    JSON.stringify(body),
  );
});
