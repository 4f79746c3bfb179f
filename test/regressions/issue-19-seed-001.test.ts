import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { errorOf, runCli, textsOf } from "../scenarios/support.ts";

const way = (name: string, priority: number, config: Record<string, string>) => ({ name, priority, config });

suite("seed 001 beyond the rows", () => {
  test("a provider of the kind openai asks the model that is configured, by alias or by its own name", async () => {
    await using model = await startScriptedModel({
      responses: (body) => ({ kind: "text", text: JSON.stringify((body.messages as { content: unknown }[]).at(-1)) }),
    });
    process.env.ISSUE_19_SECRET = "hunter22";
    const providers = [
      way("mcp", 0, { server: "browser-server", tool: "browser.find" }),
      way("openai", 10, { model: "gpt-4o-mini" }),
    ];
    const lookup = { name: "lookup", description: "Looks it up.", side_effects: "none" as const, providers };
    const models = { fast: { baseURL: model.url, model: "gpt-4o-mini" } };
    await using plane = await createPlane({ config: { tools: { lookup }, models } });
    const outcome = await plane.call("lookup", { query: "\u0024{ISSUE_19_SECRET}" });
    assert.equal(outcome.call.provider, "openai");
    assert.match(String(textsOf(outcome)[0]), /ISSUE_19_SECRET/, "what a caller writes is no reference");
    await using bare = await createPlane({ config: { tools: { lookup } } });
    const reasons = (errorOf(await bare.call("lookup", {})).data.providers ?? {}) as Record<string, string>;
    assert.match(reasons.openai ?? "", /model 'gpt-4o-mini' is not in 'models'/);
  });

  test("validate names kinds of providers that are not built in, and a program may still register them", async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("toolplane.json");
    const lookup = {
      name: "lookup",
      description: "Looks it up.",
      side_effects: "none",
      providers: [way("serp", 0, {})],
    };
    await writeFile(file, JSON.stringify({ tools: { lookup } }));
    const validated = await runCli(["config", "validate", "--json", "--config", file]);
    const problems = validated.json().problems as { path: string; message: string; severity: string }[];
    assert.equal(validated.code, 0);
    const told = problems.find(({ message }) => message.includes("'serp' is no kind of provider"));
    assert.deepEqual([told?.severity, told?.path], ["warning", "tools.lookup.providers[0].name"]);
    await using plane = await createPlane({ config: file });
    plane.tools.registerProvider("serp", async () => "found");
    assert.deepEqual(textsOf(await plane.call("lookup")), ["found"]);
  });

  test("the last provider that worked stays known after a failure", async () => {
    await using plane = await createPlane({ config: {} });
    let works = true;
    const run = async () => {
      if (!works) throw new Error("down");
      return "up";
    };
    plane.tools.register({ manifest: { name: "lamp", description: "A lamp.", side_effects: "none" }, run });
    await plane.call("lamp");
    works = false;
    await plane.call("lamp");
    const { last_invocation: last } = (await plane.tools.get("lamp")).health;
    assert.deepEqual([last?.ok, last?.selected], [false, "function"]);
  });
});
