import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPlane, type Plane } from "../../src/index.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";
import { askAgent, script } from "./agent.ts";

const replay = fileURLToPath(new URL("calls.jsonl", import.meta.url));

suite("an agent is tested without servers", () => {
  const open = (model: string): Promise<Plane> =>
    createPlane({ config: { models: { default: { baseURL: model, model: "scripted" } } }, replay });

  test("it adds, greets and answers", async () => {
    await using endpoint = await startScriptedModel(script);
    await using plane = await open(endpoint.url);
    const { answer, outcome, steps } = await askAgent(plane, "Greet Ann and add 19 and 23.");
    assert.deepEqual([answer, outcome], ["Hello, Ann! It is 42.", "completed"]);
    const calls = steps.flatMap((step) => step.calls);
    assert.deepEqual(
      calls.map(({ tool, status }) => [tool, status]),
      [
        ["demo.add", "succeeded"],
        ["demo.greet", "succeeded"],
      ],
    );
    const [demo] = await plane.servers.list();
    assert.deepEqual(
      [demo?.name, demo?.state, demo?.pid],
      ["demo", "disconnected", null],
      "nothing was started",
    );
  });

  test("a call that was not recorded is an error that names the nearest", async () => {
    await using plane = await open("http://127.0.0.1:9");
    const { error } = await plane.call("demo.add", { a: 19, b: 24 });
    assert.equal(error?.code, "NOT_RECORDED");
    assert.match(error?.message ?? "", /\{"a":19,"b":23\}/);
  });
});
