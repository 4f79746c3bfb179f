import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, type Plane, type Principal, principalOf } from "../../src/index.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { callsAt, processFixture as fixture, runCli } from "./support.ts";
import { skill, workConfig } from "./work-world.ts";

const say = (id: string, message: string, more: object = {}) => ({
  id,
  tool: "fx.echo",
  arguments: { message },
  ...more,
});

const skills = [
  skill("relay", {
    steps: [
      say("left", "${input.who}"),
      say("right", "and Bob"),
      {
        id: "both",
        tool: "fx.echo_all",
        arguments: { said: ["${steps.left.result}", "${steps.right.result}"] },
      },
      say("shown", "${steps.both.result.said.0} ${steps.both.result.said.1}!"),
    ],
  }),
  skill("choosy", {
    steps: [
      { id: "look", tool: "fx.echo_all", arguments: { found: "${input.found}" } },
      say("use", "found", { when: "${steps.look.result.found}" }),
      say("after", "used", { depends_on: ["use"] }),
    ],
  }),
  skill("failing", {
    steps: [
      { id: "bad", tool: "fx.fail", arguments: { reason: "no" }, depends_on: ["quick"] },
      say("quick", "one"),
      { id: "long", tool: "fx.slow", arguments: { ms: 600_000 } },
      say("later", "never", { depends_on: ["long"] }),
    ],
  }),
  skill("wanting", {
    required_tools: ["fx.nothing", "fx.pid"],
    required_capabilities: ["telepathy"],
    steps: [say("one", "${input.what}")],
  }),
  skill("astray", { steps: [say("one", "hi"), { id: "two", tool: "fx.nowhere" }] }),
  skill("thinking", {
    instruction_prompt: "Say hello with your tool.",
    required_tools: ["fx.echo"],
  }),
  { ...skill("own", { steps: [say("one", "hi")] }), persona: "Nova" },
];

suite("a skill that is run", () => {
  let directory: TemporaryDirectory;
  let config: string;
  let plane: Plane;
  let model: Awaited<ReturnType<typeof startScriptedModel>>;
  before(async () => {
    directory = await temporaryDirectory();
    model = await startScriptedModel({
      responses: [
        {
          kind: "tools",
          calls: [
            { name: "fx__echo", arguments: { message: "hello" } },
            { name: "fx__pid", arguments: {} },
          ],
        },
        { kind: "text", text: "Hello was said." },
      ],
    });
    config = await workConfig(
      directory,
      { fx: fixture("echo", ["--log", directory.file("log")]) },
      { skills },
      {
        models: { default: { baseURL: model.url, model: "scripted" } },
        policy: { rules: [{ tool: "fx.pid", verdict: "deny", reason: "no one needs it" }] },
      },
    );
    plane = await createPlane({
      config,
      dataDirectory: directory.file("data"),
      principal: { user: "ann" },
    });
  });
  after(async () => {
    await plane.stop();
    await model.close();
    await directory[Symbol.asyncDispose]();
  });

  test("is listed with the tools that only its steps call, and with those of them that are missing", async () => {
    assert.deepEqual((await plane.skills.get("astray")).missing_tools, ["fx.nowhere"]);
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const { stdout } = await runCli(["skills", "show", "astray", ...place]);
    assert.match(stdout, /tools +fx\.echo, fx\.nowhere\n/);
    assert.match(stdout, /Steps\n {2}one: fx\.echo\n {2}two: fx\.nowhere/);
  });

  test("passes what was given and what steps said on, and tells what it does", async () => {
    const told: string[] = [];
    for (const type of [
      ...([
        "skill.started",
        "skill.plan_generated",
        "skill.plan_ready",
        "skill.step_started",
      ] as const),
      ...(["skill.step_succeeded", "skill.completed"] as const),
    ])
      plane.on(type, () => told.push(type));
    const run = await plane.skills.run("relay", { who: "Ada" });
    assert.deepEqual([run.outcome, run.result, run.error], ["completed", "Ada and Bob!", null]);
    assert.deepEqual(
      run.steps.map(({ id, state }) => `${id} ${state}`),
      ["left succeeded", "right succeeded", "both succeeded", "shown succeeded"],
    );
    assert.deepEqual(told.slice(0, 5), [
      "skill.started",
      "skill.plan_generated",
      "skill.plan_ready",
      "skill.step_started",
      "skill.step_started",
    ]);
    assert.equal(told.at(-1), "skill.completed");
    const calls = await plane.calls.list({ run: run.id });
    assert.deepEqual(
      [calls.length, new Set(calls.map(({ principal }) => principal.user))],
      [4, new Set(["ann"])],
    );
    assert.doesNotMatch(JSON.stringify(await plane.events.list()), /Ada/, "no event has a value");
    const heard = async (principal: Principal) =>
      JSON.stringify(await plane.events.list(0, undefined, { principal }));
    assert.doesNotMatch(
      await heard(principalOf({ user: "ann", groups: ["less"] })),
      /skill\.|fx\.echo/,
    );
  });

  test("leaves out what is not meant, with what depends on it", async () => {
    const states = async (found: boolean) =>
      (await plane.skills.run("choosy", { found })).steps.map(({ state }) => state).join(" ");
    assert.equal(await states(true), "succeeded succeeded succeeded");
    assert.equal(await states(false), "succeeded skipped skipped");
  });

  test("ends what runs beside a step that fails, and begins nothing more", async () => {
    const run = await plane.skills.run("failing");
    assert.deepEqual([run.outcome, run.error?.code], ["failed", "TOOL_ERROR"]);
    const states = Object.fromEntries(run.steps.map(({ id, state }) => [id, state]));
    assert.deepEqual(states, {
      bad: "failed",
      quick: "succeeded",
      long: "cancelled",
      later: "cancelled",
    });
  });

  test("is not begun when something is missing, and all of that is reported at once", async () => {
    const failure = await plane.skills.run("wanting").catch((thrown) => thrown);
    assert.equal(failure.code, "NOT_READY");
    assert.deepEqual(
      failure.data.reasons.map(
        ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`,
      ),
      ["input what", "tool fx.nothing", "policy fx.pid", "capability telepathy"],
    );
    assert.match(failure.message, /no one needs it/);
    const planned = await plane.skills.run("relay", { who: "Ada" }, { dryRun: true });
    assert.deepEqual([planned.outcome, planned.steps[0]?.state], ["planned", "planned"]);
    const nova = principalOf({ user: "nova", persona: "Nova" });
    assert.equal((await plane.skills.run("own", {}, { principal: nova })).outcome, "completed");
    await assert.rejects(plane.skills.run("own"), { code: "NOT_FOUND" });
    const reader = principalOf({ user: "rita", scopes: ["read"] });
    await assert.rejects(plane.skills.run("relay", { who: "R" }, { principal: reader }), {
      code: "FORBIDDEN",
    });
  });

  test("without steps is followed by a model that has its tools and no others", async () => {
    const before = callsAt(directory.file("log")).length;
    const run = await plane.skills.run("thinking");
    assert.deepEqual([run.outcome, run.result], ["completed", "Hello was said."]);
    const [{ body }] = model.requests as unknown as [
      { body: { tools: { function: { name: string } }[] } },
    ];
    assert.deepEqual(
      body.tools.map((tool) => tool.function.name),
      ["fx__echo"],
    );
    const made = callsAt(directory.file("log")).slice(before);
    assert.deepEqual(
      made.map(({ name }) => name),
      ["echo"],
      "a tool whose name it guesses is not called",
    );
  });

  test("from the command line: a table, one document, and an exit code", async () => {
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const shown = await runCli(["skills", "run", "relay", "who=Ada", ...place]);
    assert.deepEqual([shown.code, shown.stdout.trim()], [0, "Ada and Bob!"], shown.stderr);
    assert.match(shown.stderr, /STEP .*\n.*left .*succeeded/);
    const refused = await runCli(["skills", "run", "wanting", "--json", ...place]);
    assert.deepEqual([refused.code, refused.json().error?.code], [4, "NOT_READY"]);
  });
});
