import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { HeldView, Plan } from "../../src/model/calls/held-schema.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { askAsStarter, planIn, put, putRoute, serveEcho } from "./approving.ts";
import { startGateway } from "./gateway-client.ts";
import {
  callsAt,
  fixture,
  namedServer,
  type Printed,
  planeOf,
  startServe,
  textsOf,
} from "./support.ts";

const planned = { policy: { mode: "plan", effects: { "echo.read_note": "read" } } };
const statuses = (plan: Plan) => plan.changes.map(({ status }) => status);
const keysAt = (log: string) =>
  callsAt(log).map((call) => (call.arguments as { key?: string }).key);

suite("plan mode", { concurrency: 3 }, () => {
  test("writes are queued in order with a reason, reads run, and the caller learns it", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, planned);
    const queued = [await plane.ask(putRoute, put("a")), await plane.ask(putRoute, put("b"))];
    const read = await plane.ask("POST /tools/echo.read_note/call", {});
    const { plan, error } = (queued[0]?.body ?? {}) as Printed;
    assert.deepEqual([queued[0]?.status, read.status, error?.code], [202, 200, "PLAN_QUEUED"]);
    assert.equal(queued[0]?.headers.get("location"), `/plans/${plan?.id}`);
    assert.match(error?.message ?? "", /^\[PLAN MODE\] 'echo\.put_note' was not run but queued/);
    assert.deepEqual(keysAt(plane.log), [undefined]);
    const shown = planIn(await plane.ask(`GET /plans/${plan?.id}`));
    assert.deepEqual(
      shown.changes.map(({ arguments: { key }, status, verdict }) => [
        key,
        status,
        verdict.verdict,
      ]),
      [
        ["a", "pending", "queue"],
        ["b", "pending", "queue"],
      ],
    );
  });

  test("the first few, some by id or all are run in order; the rest goes on waiting", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, planned);
    for (const key of ["a", "b", "c", "d"]) await plane.ask(putRoute, put(key));
    const [plan] = (await plane.ask("GET /plans")).body.plans as Plan[];
    const route = `POST /plans/${plan?.id}`;
    const first = await plane.ask(`${route}/approve`, { first: 1 });
    assert.deepEqual(statuses(planIn(first)), ["done", "pending", "pending", "pending"]);
    const third = plan?.changes[2]?.id;
    const edited = { ids: [third], arguments: { [String(third)]: { key: "C", text: "t" } } };
    const outcomes = (await plane.ask(`${route}/approve`, edited)).body.outcomes as {
      outcome: Printed;
    }[];
    assert.match(String(textsOf(outcomes[0]?.outcome ?? {})[0]), /ran with:\n.*\n {2}"key": "C"/);
    const rejected = await plane.ask(`${route}/reject`, {
      ids: [plan?.changes[1]?.id],
      reason: "not b",
    });
    assert.deepEqual(statuses(planIn(rejected)), ["done", "rejected", "done", "pending"]);
    const all = await plane.ask(`${route}/approve`);
    assert.deepEqual([planIn(all).status, statuses(planIn(all)).at(-1)], ["done", "done"]);
    assert.deepEqual(keysAt(plane.log), ["a", "C", "d"]);
    const wrong: [body: object, status: number][] = [
      [{ first: 0 }, 400],
      [{ ids: [] }, 400],
      [{ all: true }, 400],
      [{ ids: ["none"] }, 404],
      [{ arguments: { none: {} } }, 400],
    ];
    for (const [body, status] of wrong)
      assert.equal(
        (await plane.ask(`${route}/approve`, body)).status,
        status,
        JSON.stringify(body),
      );
  });

  test("what fails ends it, unless it is to go on", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, {
      policy: { mode: "plan", effects: { "echo.fail": "write" } },
    });
    const fail = () => plane.ask("POST /tools/echo.fail/call", { arguments: {} });
    for (const queue of [
      fail,
      () => plane.ask(putRoute, put("a")),
      fail,
      () => plane.ask(putRoute, put("b")),
    ])
      await queue();
    const [plan] = (await plane.ask("GET /plans")).body.plans as Plan[];
    const stopped = planIn(await plane.ask(`POST /plans/${plan?.id}/approve`));
    assert.deepEqual(statuses(stopped), ["failed", "pending", "pending", "pending"]);
    const ended = planIn(
      await plane.ask(`POST /plans/${plan?.id}/approve`, { continueOnFailure: true }),
    );
    assert.deepEqual(statuses(ended), ["failed", "done", "failed", "done"]);
    assert.deepEqual(keysAt(plane.log), [undefined, "a", undefined, "b"]);
  });

  test("a plan is there after a restart, and what it needs is started when it is approved", async () => {
    await using directory = await temporaryDirectory();
    const first = await serveEcho(directory, {
      ...planned,
      server: { lazy: true, autoConnect: false },
    });
    await first.ask(putRoute, put("a"));
    await first.ask(putRoute, put("b"));
    await first.stop();
    await using second = await startServe(first.config, first.data);
    const ask = askAsStarter(second);
    const { servers } = (await ask("GET /servers")).body as { servers: { state: string }[] };
    assert.equal(servers[0]?.state, "disconnected");
    const [plan] = (await ask("GET /plans")).body.plans as Plan[];
    assert.deepEqual(statuses(plan as Plan), ["pending", "pending"]);
    const done = planIn(await ask(`POST /plans/${plan?.id}/approve`));
    assert.deepEqual(
      [statuses(done), keysAt(first.log)],
      [
        ["done", "done"],
        ["a", "b"],
      ],
    );
  });

  test("a caller narrows the mode and never widens it", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, planned);
    assert.equal((await plane.ask(putRoute, put("a", { mode: "build" }))).status, 202);
    assert.equal((await plane.ask(putRoute, put("a", { mode: "review" }))).status, 403);
    assert.equal((await plane.ask(putRoute, put("a", { mode: "free" }))).status, 400);
    assert.deepEqual(keysAt(plane.log), []);
  });

  test("the command line shows a plan that can be compared, and runs or rejects it", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory);
    const call = (...words: string[]) => plane.cli("call", "echo.put_note", ...words, "--plan");
    const queued = await call("text=second line", "key=a");
    await call("key=b", "text=t");
    assert.deepEqual([queued.code, queued.stderr], [0, ""]);
    assert.match(
      queued.stdout,
      /^Queued as change 1 of plan \w{8}\. See it: toolplane plan show \w{8}\n$/,
    );
    const shown = await plane.cli("plan", "show");
    assert.match(
      shown.stdout,
      /^1\. \+ echo\.put_note \w{8}\n {5}key: a\n {5}text: second line\n/m,
    );
    assert.equal((await plane.cli("plan", "show")).stdout, shown.stdout);
    const ran = await plane.cli("plan", "approve", "--first", "1");
    assert.deepEqual([ran.code, ran.stdout], [0, "stored a\n"]);
    assert.match(ran.stderr, /1 of 2 changes still wait/);
    const edited = await plane.cli(
      "plan",
      "approve",
      "--change",
      "2",
      "--args",
      '2={"key":"B","text":"t"}',
      "--json",
    );
    const { outcomes } = edited.json() as { outcomes: { outcome: Printed }[] };
    assert.deepEqual([edited.code, outcomes[0]?.outcome.ok], [0, true]);
    assert.deepEqual(keysAt(plane.log), ["a", "B"]);
    const over = await plane.cli("plan", "approve");
    assert.deepEqual([over.code, over.stdout], [1, ""]);
    assert.match(over.stderr, /No plan waits/);
    await call("key=c", "text=t");
    const rejected = await plane.cli("plan", "reject", "--reason", "enough", "--json");
    assert.deepEqual([rejected.code, rejected.json().status], [0, "rejected"]);
    const { plans } = (await plane.cli("plan", "list", "--json")).json() as { plans: Plan[] };
    assert.deepEqual(
      plans.map(({ status }) => status),
      ["rejected", "done"],
    );
  });

  test("through an MCP client the model reads that its change is queued", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, planned);
    await using client = await startGateway(plane.place, { elicitation: {} }, () => undefined);
    const { text } = await client.call("echo__put_note", { key: "k", text: "t" });
    assert.match(text, /^\[PLAN MODE\].*Go on with what can be done without it.*\[PLAN_QUEUED\]$/);
    assert.deepEqual(client.asked, []);
    const { approvals } = (await plane.cli("approvals", "list", "--json")).json() as {
      approvals: HeldView[];
    };
    assert.deepEqual(approvals, [], "what belongs to a plan is answered there");
  });
});

suite("modes", () => {
  const servers = {
    echo: fixture("echo"),
    names: namedServer("names", ["get_it", "delete_it", "frobnicate"]),
  };
  const cases = [
    ["build", ["delete_it", "frobnicate", "get_it"], "succeeded"],
    ["plan", ["delete_it", "frobnicate", "get_it"], "waiting"],
    ["debug", ["delete_it", "frobnicate", "get_it"], "waiting"],
    ["review", ["get_it"], "refused"],
  ] as const;
  for (const [mode, listed, status] of cases) {
    test(`${mode} mode lists ${listed.length} of three tools, and a write is ${status}`, async () => {
      await using plane = await planeOf(
        { names: servers.names },
        { policy: { mode, effects: { "names.get_it": "read" } } },
      );
      const tools = (await plane.tools.list()).map(({ id }) => id.tool).sort();
      assert.deepEqual(tools, listed);
      assert.equal((await plane.call("names.delete_it")).call.status, status);
      assert.equal((await plane.call("names.get_it")).call.status, "succeeded");
    });
  }

  test("the list of a plane in review mode says so, and what reads stays", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, {
      policy: { mode: "review", effects: { "echo.read_note": "read" } },
    });
    const listed = await plane.cli("tools", "list");
    assert.match(listed.stderr, /Review mode \('policy\.mode'\): only read-only tools are listed/);
    assert.match(listed.stdout, /echo\.read_note/);
    assert.doesNotMatch(listed.stdout, /echo\.(put|write)_note/);
  });
});
