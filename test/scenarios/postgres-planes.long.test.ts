import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { StoredEvent } from "../../src/model/events.ts";
import { postgresPassword, type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import {
  approvalsIn,
  askAsStarter,
  eventually,
  outcomeIn,
  planIn,
  put,
  putRoute,
} from "./approving.ts";
import {
  errorOf,
  processFixture as fixture,
  runCli,
  type ServerEntry,
  startServeProcess,
  writeConfig,
} from "./support.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

/** Two planes in two processes with nothing in common but the database. */
async function twoPlanes(
  directory: { file(name: string): string },
  more: object = {},
  servers: Record<string, ServerEntry> = {},
) {
  const store = server.address();
  const config = await writeConfig(
    directory,
    { echo: fixture("echo"), ...servers },
    { ...more, store },
  );
  const [left, right] = await Promise.all(
    ["left", "right"].map((side) => startServeProcess(config, directory.file(side))),
  );
  assert.ok(left && right);
  return {
    left,
    right,
    config,
    store,
    ask: { left: askAsStarter(left), right: askAsStarter(right) },
  };
}

/** What a plane streams, until `enough` is so. */
async function streamed(url: string, enough: (events: string[]) => boolean): Promise<string[]> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/events`, {
    headers: { accept: "text/event-stream" },
    signal: leaving.signal,
  });
  const types: string[] = [];
  const reader = response.body?.pipeThrough(new TextDecoderStream());
  for await (const chunk of reader ?? []) {
    types.push(...[...chunk.matchAll(/^event: (.+)$/gm)].map(([, type]) => type as string));
    if (enough(types)) break;
  }
  leaving.abort();
  return types;
}

test("what one plane is asked, sets, learns and does, the other knows", async () => {
  await using directory = await temporaryDirectory();
  const rules = [{ tool: "echo.put_note", verdict: "ask" }];
  const { left, right, ask, config, store } = await twoPlanes(directory, { policy: { rules } });
  await using _left = left;
  await using _right = right;

  const waiting = ask.left(putRoute, put("asked on the left"), { prefer: "wait=60" });
  const held = await eventually("the question", async () => {
    const [first] = approvalsIn(await ask.right("GET /approvals?status=pending"));
    return first;
  });
  const hearing = streamed(right.url, (types) => types.includes("tool.result"));
  const answered = await ask.right(`POST /approvals/${held.id}`, { decision: "approve" });
  assert.equal(answered.status, 200);
  const outcome = await waiting;
  assert.deepEqual(
    [outcome.status, (outcome.body.ok ?? outcomeIn(outcome)?.ok) === true],
    [200, true],
  );
  assert.ok((await hearing).includes("tool.result"));

  const [there, here] = await Promise.all([ask.left("GET /calls"), ask.right("GET /calls")]);
  assert.deepEqual(there.body.calls, here.body.calls);

  const provider = { name: "mcp", config: { server: "echo", tool: "echo" } };
  const manifest = { description: "Says it aloud", side_effects: "none", providers: [provider] };
  const set = await ask.left("PUT /tools/shout", manifest);
  assert.ok(set.status < 300, JSON.stringify(set.body));
  await eventually("the tool on the other side", async () =>
    (await ask.right("GET /tools/shout")).status === 200 ? true : undefined,
  );

  const health = await eventually("what the other side measured", async () => {
    const { total } = (await ask.right("GET /tools/echo.put_note")).body.health as {
      total: number;
    };
    return total || undefined;
  });
  assert.equal(health, 1);
  const verified = await runCli([
    "calls",
    "verify",
    "--json",
    "--config",
    config,
    "--store",
    store,
  ]);
  assert.equal(verified.json().ok, true, verified.stderr);
});

async function verify(config: string, directory: TemporaryDirectory) {
  const place = ["--config", config, "--data-dir", directory.file("left")];
  return (await runCli(["calls", "verify", "--json", ...place])).json();
}

test("what a conversation keeps on one plane is there on the other, sealed with their key", async () => {
  await using directory = await temporaryDirectory();
  const vaultKey = "ab".repeat(32);
  const { left, right, ask, store } = await twoPlanes(directory, { vaultKey });
  await using _left = left;
  await using _right = right;
  const run = (side: "left" | "right", source: string) =>
    ask[side]("POST /code/run", { source, conversation: "shared" });
  const add =
    "store.set('words', [...(store.get('words') ?? []), 'sesame']); return store.get('words')";
  for (const [index, side] of (["left", "right", "left", "right"] as const).entries()) {
    const { body } = await run(side, add);
    assert.deepEqual(
      body.value,
      Array.from({ length: index + 1 }, () => "sesame"),
    );
  }
  const schema = new URL(store).searchParams.get("schema");
  const rows = await server.run(
    `SELECT value FROM ${schema}.shared_values WHERE key LIKE 'conversation:%'`,
  );
  assert.equal(rows.length, 1);
  assert.doesNotMatch(JSON.stringify(rows), /sesame/);
});

test("planes that write at once leave one record in one chain", async () => {
  await using directory = await temporaryDirectory();
  const { left, right, ask, config } = await twoPlanes(directory);
  await using _left = left;
  await using _right = right;
  const many = 150;
  const lane = (side: "left" | "right") =>
    Array.from({ length: many }, (_, at) =>
      ask[side]("POST /tools/echo.echo/call", { arguments: { message: `${side} ${at}` } }),
    );
  const answers = await Promise.all([...lane("left"), ...lane("right")]);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(refused.slice(0, 1), [], `${refused.length} were refused`);
  // What the other plane has answered just now is safe with it, and in the store a moment later.
  const verified = await eventually("that all calls are stored", async () => {
    const found = await verify(config, directory);
    return found.calls === 2 * many ? found : undefined;
  });
  assert.equal(verified.ok, true);
  const events = (await ask.right("GET /events?limit=5000")).body.events as
    | StoredEvent[]
    | undefined;
  if (events) assert.ok(events.length >= 2 * many);
});

test("a call is shown by another plane as soon as it is answered", async () => {
  await using directory = await temporaryDirectory();
  const { left, right, ask } = await twoPlanes(directory);
  await using _left = left;
  await using _right = right;
  for (let time = 0; time < 5; time += 1) {
    const { body } = await ask.left("POST /tools/echo.echo/call", { arguments: { message: "hi" } });
    const { id } = (body as { call: { id: string } }).call;
    const shown = await ask.right(`GET /calls/${id}`);
    assert.deepEqual([shown.status, (shown.body as { id?: string }).id], [200, id]);
  }
  assert.equal((await ask.right("GET /calls/0mw-none")).status, 404);
});

test("what planes may do together is not more than what one may do", async () => {
  await using directory = await temporaryDirectory();
  const lookup = {
    name: "lookup",
    description: "Looks something up.",
    side_effects: "none",
    parameters: { type: "object", properties: { message: { type: "string" } } },
    cost_per_call: 0.25,
    cost_unit: "USD",
    providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
  };
  const { left, right, ask } = await twoPlanes(
    directory,
    { tools: { lookup }, budgets: { maxCost: { USD: 0.5 } } },
    { rare: fixture("echo", [], { rateLimitPerMinute: 1 }) },
  );
  await using _left = left;
  await using _right = right;
  const told = ({ status, body }: Awaited<ReturnType<typeof ask.left>>) =>
    status === 200 ? 200 : [status, body.code ?? errorOf(body).code];

  const hello = { arguments: { message: "hi" } };
  const rare = "POST /tools/rare.echo/call";
  assert.deepEqual(told(await ask.left(rare, hello)), 200);
  assert.deepEqual(told(await ask.right(rare, hello)), [429, "RATE_LIMITED"]);

  const paid = { ...hello, conversation: "c" };
  const price = "POST /tools/lookup/call";
  assert.deepEqual(told(await ask.left(price, paid)), 200);
  assert.deepEqual(told(await ask.right(price, paid)), 200);
  for (const side of ["left", "right"] as const)
    assert.deepEqual(told(await ask[side](price, paid)), [429, "BUDGET_EXCEEDED"]);

  // A plan that was begun on one and went on with the other is one plan, and approved anywhere.
  const queued = [await ask.left(putRoute, put("a", { mode: "plan" }))];
  queued.push(await ask.right(putRoute, put("b", { mode: "plan" })));
  const [plan, ...others] = new Set(queued.map(({ headers }) => headers.get("location")));
  assert.deepEqual([typeof plan, others], ["string", []]);
  assert.equal((await ask.left(`POST ${plan}/approve`)).status, 200);
  const changes = planIn(await ask.right(`GET ${plan}`)).changes.map(({ status }) => status);
  assert.deepEqual(changes, ["done", "done"]);
});

test("the password of the store is shown nowhere", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(
    directory,
    { echo: fixture("echo") },
    { store: server.address() },
  );
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const wrong = server.address().replace("keeper:", "stranger:");
  const runs = await Promise.all([
    runCli(["config", "show", ...place]),
    runCli(["config", "show", "--json", ...place]),
    runCli(["config", "validate", ...place]),
    runCli(["call", "echo.echo", "message=hi", "--json", ...place]),
    runCli(["calls", "list", "--json", ...place, "--store", wrong]),
    runCli(["calls", "list", ...place, "--store", wrong.replace("postgres:", "mysql:")]),
    runCli(["calls", "list", ...place, "--store", wrong.replace("%40", "@").replace("%2F", "/")]),
  ]);
  const said = runs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
  for (const secret of [postgresPassword, encodeURIComponent(postgresPassword), "swordfish"])
    assert.ok(!said.includes(secret), said);
  assert.match(runs[4]?.stdout ?? "", /does not know this user or password/);
  assert.match(runs[5]?.stderr ?? "", /not a known kind of store/);
  assert.deepEqual(
    runs.slice(4).map(({ code }) => code),
    [4, 2, 2],
  );
});
