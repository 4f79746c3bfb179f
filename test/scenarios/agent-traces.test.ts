import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { createPlane, type Plane, type PlaneEvent, principalOf } from "../../src/index.ts";
import { type ScriptedResponse, startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { keepSpans } from "./span-keeper.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });
const trace = "all_messages" as const;

/** Asks for two calls at once, one of which fails, then answers. */
const twoCalls: ScriptedResponse[] = [
  {
    kind: "tools",
    reasoning: "I have to try both.",
    calls: [
      { name: "echo__echo", arguments: { message: "hello" }, id: "a" },
      { name: "echo__fail", arguments: { reason: "no luck" }, id: "b" },
    ],
  },
  { kind: "text", text: "It said hello.", reasoning: " One did work. " },
];

function configOf(url: string) {
  return {
    mcpServers: { echo: fixture("echo") },
    models: { default: { provider: "openai-compatible", baseURL: url, model: "scripted" } },
  };
}

const planeWith = (url: string, more: object = {}) =>
  createPlane({ config: configOf(url), ...more });

const appOf = (plane: Plane) =>
  createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal });

suite("traces of agents", () => {
  test("a run is kept with its steps, calls, usage and counters, and its calls know it", async () => {
    await using model = await startScriptedModel({ responses: twoCalls });
    await using plane = await planeWith(model.url);
    const told: PlaneEvent[] = [];
    plane.on("agent.run", (event) => void told.push(event));
    const result = await plane.agent.run("Say hello.", { principal: ann, trace });
    const run = await plane.runs.get(result.id, { principal: ann });
    assert.equal(run.outcome, "completed");
    assert.equal(run.answer, "It said hello.");
    assert.equal(run.reasoning, "One did work.");
    assert.deepEqual(run.counters, {
      totalToolCalls: 2,
      totalToolCallTurns: 1,
      totalGenerations: 1,
      generationsWithTools: 1,
    });
    assert.deepEqual(
      run.steps.map(({ turn, calls }) => [
        turn,
        calls.map(({ id, status, attempts }) => [id, status, attempts]),
      ]),
      [
        [
          1,
          [
            ["a", "succeeded", 1],
            ["b", "tool_error", 1],
          ],
        ],
        [2, []],
      ],
    );
    assert.ok(run.usage.totalTokens > 0);
    assert.deepEqual(
      run.messages.map(({ role }) => role),
      ["user", "assistant", "tool", "tool", "assistant"],
    );
    const calls = await plane.calls.list({ run: run.id }, { principal: ann });
    assert.deepEqual(
      calls.map(({ id }) => id).sort(),
      run.steps[0]?.calls.map(({ record }) => record).sort(),
    );
    assert.equal(told.length, 1);
    assert.deepEqual(told[0] && "calls" in told[0] && told[0].calls, [
      { tool: "echo.echo", status: "succeeded", made: true },
      { tool: "echo.fail", status: "tool_error", made: true },
    ]);
  });

  test("the trace decides how many messages are kept, and never what else is", async () => {
    await using model = await startScriptedModel({
      responses: (_, index) => twoCalls[index % 2] as ScriptedResponse,
    });
    await using plane = await planeWith(model.url);
    const kept: unknown[] = [];
    for (const type of ["none", "last_message", "all_messages"] as const) {
      const { id } = await plane.agent.run("Say hello.", { trace: type });
      const run = await plane.runs.get(id);
      assert.equal(run.steps[0]?.calls.length, 2);
      assert.equal(run.reasoning, "One did work.");
      kept.push(run.messages.map(({ role, content }) => [role, content]));
    }
    assert.deepEqual(kept.slice(0, 2), [
      [],
      [["assistant", [{ type: "text", text: "It said hello." }]]],
    ]);
    assert.equal((kept[2] as unknown[]).length, 5);
  });

  test("a run belongs to its caller, and to admins", async () => {
    await using model = await startScriptedModel({
      responses: () => ({ kind: "text", text: "Yes." }),
    });
    await using plane = await planeWith(model.url);
    const first = await plane.agent.run("One?", { principal: ann });
    const second = await plane.agent.run("Two?", { principal: bob });
    const idsOf = async (query: Parameters<Plane["runs"]["page"]>[0], principal?: typeof ann) =>
      (await plane.runs.page(query, principal ? { principal } : {})).runs.map(({ id }) => id);
    assert.deepEqual(await idsOf({}), [second.id, first.id]);
    assert.deepEqual(await idsOf({}, ann), [first.id]);
    assert.deepEqual(await idsOf({ user: "bob" }, ann), []);
    await assert.rejects(plane.runs.get(second.id, { principal: ann }), { code: "NOT_FOUND" });
    await assert.rejects(plane.runs.render(second.id, "text", { principal: ann }), {
      code: "NOT_FOUND",
    });
    const page = await plane.runs.page({ limit: 1 });
    assert.equal(page.nextCursor, second.id);
    assert.deepEqual(await idsOf({ limit: 1, cursor: second.id }), [first.id]);
    await assert.rejects(plane.runs.page({ limit: 0 }), { code: "USAGE" });
    await assert.rejects(plane.runs.page({ since: "soon" }), { code: "USAGE" });
    const seen = (principal: typeof ann) =>
      plane.events
        .list(0, undefined, { principal })
        .then((all) => all.filter(({ event }) => event.type === "agent.run"));
    assert.equal((await seen(ann)).length, 1);
    assert.equal(
      (await seen({ ...ann, groups: ["less"] })).length,
      0,
      "other rights of the user are another owner",
    );
  });

  test("no secret that a person says in a run is on the disk", async () => {
    await using directory = await temporaryDirectory();
    const secret = "sk-live-0123456789abcdef";
    await using model = await startScriptedModel({
      responses: [
        {
          kind: "tools",
          reasoning: `I was given ${secret}`,
          calls: [{ name: "echo__echo", arguments: { message: secret }, id: "a" }],
        },
        { kind: "text", text: `It is ${secret}.` },
      ],
    });
    {
      await using plane = await planeWith(model.url, { dataDirectory: directory.path });
      const result = await plane.agent.run(`What is ${secret}?`, { trace });
      assert.ok(result.answer?.includes(secret), "the caller gets what was said");
    }
    const database = new DatabaseSync(join(directory.path, "toolplane.db"), { readOnly: true });
    const rows = ["runs", "calls", "events"].map((table) =>
      database.prepare(`SELECT * FROM ${table}`).all(),
    );
    database.close();
    assert.equal(rows[0]?.length, 1);
    assert.ok(!JSON.stringify(rows).includes(secret));
    assert.match(JSON.stringify(rows[0]), /\[redacted\]/);
  });

  test("over HTTP a run is JSON or text, and what else is asked for is refused with the formats there are", async () => {
    const hostile = "<script>alert(1)</script>";
    await using model = await startScriptedModel({ responses: [{ kind: "text", text: hostile }] });
    await using plane = await planeWith(model.url);
    const { id } = await plane.agent.run(hostile, { trace });
    const app = appOf(plane);
    const get = (path: string, accept?: string) =>
      app.request(`http://127.0.0.1${path}`, {
        headers: { host: "127.0.0.1", ...(accept ? { accept } : {}) },
      });
    const list = (await (await get("/runs?outcome=completed")).json()) as {
      runs: { id: string }[];
    };
    assert.deepEqual(
      list.runs.map((run) => run.id),
      [id],
    );
    const json = (await (await get(`/runs/${id}`)).json()) as { question: string };
    assert.equal(json.question, hostile);
    const page = await get(`/runs/${id}`, "text/html,application/xhtml+xml;q=0.9");
    assert.equal(page.status, 400);
    assert.match(await page.text(), /application\/json or text\/plain/);
    const browser = await get(`/runs/${id}`, "text/html,*/*;q=0.8");
    assert.match(browser.headers.get("content-type") ?? "", /^application\/json/);
    const text = await get(`/runs/${id}`, "text/plain");
    assert.match(await text.text(), new RegExp(`^Run ${id}: completed`));
    assert.equal((await get("/runs/none", "text/plain")).status, 404);
    const { text: whole } = await plane.runs.render(id, "html");
    assert.match(whole, /^<!doctype html>[\s\S]*Content-Security-Policy[\s\S]*<\/html>\n$/);
    assert.ok(
      !whole.includes(hostile) && !/<(script|img|iframe|a)\b/i.test(whole),
      "nothing of it is a tag",
    );
    await assert.rejects(plane.runs.render(id, "pdf" as never), {
      code: "USAGE",
      message: /use text or html/,
    });
  });

  test("the command line lists runs and shows one, also of a plane that serves", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({
      responses: [...twoCalls, { kind: "text", text: "Hello." }],
    });
    const { mcpServers, ...more } = configOf(model.url);
    const config = await writeConfig(directory, mcpServers, more);
    const data = directory.file("data");
    const place = ["--config", config, "--data-dir", data];
    let id = "";
    {
      await using plane = await createPlane({
        config,
        dataDirectory: data,
        principal: { user: "ann" },
      });
      ({ id } = await plane.agent.run("Say hello.", { trace }));
    }
    const list = await runCli(["calls", "runs", ...place]);
    assert.match(list.stdout, new RegExp(`${id} +completed .* ann +default +Say hello\\.`));
    const shown = await runCli(["calls", "show", id, ...place]);
    assert.match(
      shown.stdout,
      /1\. echo__echo {2}succeeded[\s\S]*2\. echo__fail {2}tool_error[\s\S]*Answer\n {3}It said hello\./,
    );
    await using _serving = await startServe(config, data);
    const calls = (await runCli(["calls", "list", "--run", id, "--json", ...place])).json();
    assert.equal((calls.calls as unknown[]).length, 2);
    const [first] = calls.calls as { id: string; run: string }[];
    const call = await runCli(["calls", "show", first?.id ?? "", ...place]);
    assert.match(call.stdout, new RegExp(`run +${id} \\(toolplane calls show ${id}\\)`));
    const unknown = await runCli(["calls", "show", "nothing", ...place]);
    assert.match(unknown.stderr, /No call or run 'nothing' found/);
    assert.equal((await runCli(["calls", "runs", "--outcome", "fine", ...place])).code, 2);
    const page = await runCli([
      "agent",
      "Say hello.",
      "--trace",
      directory.file("run.html"),
      ...place,
    ]);
    assert.equal(page.code, 0, page.stderr);
    assert.match(
      await readFile(directory.file("run.html"), "utf8"),
      /^<!doctype html>[\s\S]*Say hello\./,
    );
  });

  test("the numbers tell runs, turns, calls and tokens, and no name that a model made up", async () => {
    await using model = await startScriptedModel({
      responses: [
        {
          kind: "tools",
          calls: [
            { name: "echo__echo", arguments: { message: "x" } },
            { name: "CANARY", arguments: {} },
          ],
        },
        { kind: "text", text: "Done." },
      ],
    });
    await using plane = await planeWith(model.url);
    const app = appOf(plane);
    await plane.agent.run("Go.");
    const text = await (
      await app.request("http://127.0.0.1/metrics", { headers: { host: "127.0.0.1" } })
    ).text();
    assert.match(
      text,
      /^toolplane_agent_runs_total\{outcome="completed",model="default",style="tools"\} 1$/m,
    );
    assert.match(text, /^toolplane_agent_turns_sum 1$/m);
    assert.match(text, /^toolplane_agent_calls_total\{tool="echo.echo",status="succeeded"\} 1$/m);
    assert.match(text, /^toolplane_agent_calls_total\{tool="unknown",status="refused"\} 1$/m);
    assert.match(text, /^toolplane_model_duration_seconds_count\{model="default"\} 2$/m);
    assert.match(
      text,
      /^toolplane_model_tokens_total\{model="default",direction="output"\} [1-9]/m,
    );
    assert.doesNotMatch(text, /CANARY/);
  });

  test("a run is a span with the model's turns and the calls below it, without a word of what was said", async () => {
    using kept = keepSpans();
    await using model = await startScriptedModel({ responses: twoCalls });
    await using plane = await planeWith(model.url);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const result = await plane.agent.run("Say hello.", {
      conversation: "c-1",
      meta: { traceparent },
    });
    const [run] = kept.named("invoke_agent");
    const turns = kept.named("chat scripted");
    const calls = kept.spans().filter(({ name }) => name.startsWith("execute_tool "));
    assert.equal(run?.parentSpanContext?.spanId, "b7ad6b7169203331");
    assert.deepEqual([turns.length, calls.length], [2, 2]);
    for (const span of [...turns, ...calls])
      assert.equal(span.parentSpanContext?.spanId, run?.spanContext().spanId, span.name);
    assert.equal(run?.attributes["gen_ai.operation.name"], "invoke_agent");
    assert.equal(run?.attributes["toolplane.run.id"], result.id);
    assert.equal(run?.attributes["gen_ai.usage.output_tokens"], result.usage.outputTokens);
    assert.equal(turns[0]?.attributes["gen_ai.request.model"], "scripted");
    assert.equal(turns[0]?.attributes["gen_ai.provider.name"], "openai-compatible");
    assert.ok(Number(turns[0]?.attributes["gen_ai.usage.input_tokens"]) > 0);
    assert.ok(calls.every(({ attributes }) => attributes["toolplane.run.id"] === result.id));
    const everything = kept
      .spans()
      .map(({ name, attributes, events }) => [name, attributes, events]);
    assert.doesNotMatch(JSON.stringify(everything), /hello|no luck|try both/);
  });

  test("a run whose model fails is kept, and its spans tell the code", async () => {
    using kept = keepSpans();
    await using model = await startScriptedModel({
      responses: () => ({ kind: "error", status: 401, message: "CANARY" }),
    });
    await using plane = await planeWith(model.url);
    const { id } = await plane.agent.run("Say hello.");
    const { outcome, error } = await plane.runs.get(id);
    assert.equal(outcome, "failed");
    assert.equal(kept.named("invoke_agent")[0]?.attributes["error.type"], error?.code);
    assert.equal(kept.named("chat scripted")[0]?.attributes["error.type"], error?.code);
    assert.match((await plane.runs.render(id, "text")).text, new RegExp(`\\[${error?.code}\\]$`));
  });
});
