import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { agentWorld, sentTo } from "./agent-world.ts";
import { fixture } from "./support.ts";

suite("hooks on what is said to a model", () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => directory[Symbol.asyncDispose]());

  const hook = async (name: string, source: string) => {
    const file = directory.file(`${name}.mjs`);
    await writeFile(
      file,
      `let text = ""; for await (const c of process.stdin) text += c; const { payload } = JSON.parse(text); ${source}`,
    );
    return { name, command: [process.execPath, file], timeout_ms: 60_000 };
  };
  const world = (hooks: object) =>
    agentWorld(
      [
        { kind: "text", text: "First." },
        { kind: "text", text: "Second." },
      ],
      { s: fixture("structured") },
      { config: { hooks } },
    );

  test("UserPromptSubmit sees the question before a model does, and may change or deny it", async () => {
    const noSecrets = await hook(
      "no-secrets",
      `if (payload.prompt.includes("secret")) { console.error("no secrets"); process.exit(2); }`,
    );
    await using denying = await world({ UserPromptSubmit: [noSecrets] });
    const denied = await denying.plane.agent.run("tell the secret");
    assert.deepEqual([denied.outcome, denied.error?.code], ["failed", "APPROVAL_DENIED"]);
    assert.match(
      denied.error?.message ?? "",
      /hook 'no-secrets' \(UserPromptSubmit\) says: no secrets/,
    );
    assert.equal(denying.model.requests.length, 0);
    assert.equal((await denying.plane.agent.run("hello")).answer, "First.");
    const change = await hook(
      "change",
      `console.log(JSON.stringify({ decision: "modify", payload: { prompt: "changed" } }));`,
    );
    await using changing = await world({ UserPromptSubmit: [change] });
    const run = await changing.plane.agent.run("hello 4111");
    assert.equal(sentTo(changing.model, 0).messages.at(-1)?.content, "changed");
    assert.doesNotMatch(JSON.stringify(run), /4111/, "nor is it in the history or the record");
    assert.doesNotMatch(JSON.stringify(await changing.plane.runs.get(run.id)), /4111/);
  });

  test("a hook that changes what its event cannot change has failed", async () => {
    const answer = (payload: object) => JSON.stringify({ decision: "modify", payload });
    const wrong = await hook("wrong", `console.log(${JSON.stringify(answer({ prompt: 7 }))});`);
    await using asked = await world({ UserPromptSubmit: [wrong] });
    const refused = await asked.plane.agent.run("hello");
    assert.match(refused.error?.message ?? "", /its 'payload.prompt' is no text/);
    const late = await hook("late", `console.log(${JSON.stringify(answer({ messages: [] }))});`);
    await using it = await world({ BeforeModel: [late] });
    const ended = await it.plane.agent.run("hello");
    assert.match(ended.error?.message ?? "", /it changes 'messages', which this event cannot/);
    assert.deepEqual([asked.model.requests.length, it.model.requests.length], [0, 0]);
  });

  test("BeforeModel sees all that the model would read, of every run and toolset", async () => {
    const guard = await hook(
      "dlp",
      `if (JSON.stringify(payload.messages).includes("4111")) { console.error("card number"); process.exit(2); }`,
    );
    await using it = await world({ BeforeModel: [guard] });
    const denied = await it.plane.toolset().generate({
      prompt: "pay",
      system: null,
      history: [{ role: "user", content: "4111" }],
    } as never);
    assert.equal(denied.error?.code, "APPROVAL_DENIED");
    assert.equal(it.model.requests.length, 0);
    assert.equal((await it.plane.agent.run("hello")).answer, "First.");
  });

  test("a session begins before its first question, and PreLlmCall is BeforeModel", async () => {
    const file = directory.file("order.log");
    const note = (name: string) =>
      hook(name, `(await import("node:fs")).appendFileSync(${JSON.stringify(file)}, "${name} ");`);
    const hooks = {
      SessionStart: [await note("start")],
      UserPromptSubmit: [await note("prompt")],
      PreLlmCall: [await note("model")],
    };
    await using it = await world(hooks);
    const { conversation } = await it.plane.agent.run("hello", { conversation: "c1" });
    await it.plane.agent.run("again", { conversation });
    assert.equal(await readFile(file, "utf8"), "start prompt model prompt model ");
    const no = await hook("closed", `console.error("closed"); process.exit(2);`);
    await using closed = await world({ SessionStart: [{ ...no, on_error: "deny" }] });
    assert.match(
      (await closed.plane.agent.run("hello")).error?.message ?? "",
      /was not asked: .*closed/,
    );
    assert.equal(closed.model.requests.length, 0);
  });

  test("a guard that fails stops the run", async () => {
    const broken = await hook("broken", "process.exit(1);");
    await using it = await world({ BeforeModel: [broken] });
    assert.equal((await it.plane.agent.run("hello")).error?.code, "APPROVAL_DENIED");
  });
});
