import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { callRecord } from "../../test/contracts/records.ts";
import { until } from "../../test/fixtures/until.ts";
import type { EventOf } from "../model/events.ts";
import { principalOf } from "../model/principal.ts";
import { createRecorder } from "./store.ts";

const ada = principalOf({ user: "ada" });
const begun = (callId: string): EventOf<"tool.call"> => ({
  type: "tool.call",
  callId,
  tool: "t",
  user: "ada",
});

async function typesIn(recorder: ReturnType<typeof createRecorder>): Promise<string[]> {
  return (await (await recorder.store()).events()).map(({ event }) => event.type);
}

suite("the events of a call", () => {
  test("are both read from its record where it was short", async () => {
    const recorder = createRecorder(undefined);
    const running = recorder.begin(begun("short"), ada);
    assert.equal(recorder.ownerOf("short")?.user, "ada");
    assert.equal(recorder.runningCalls().length, 1);
    await recorder.record(callRecord("short"), [], running);
    assert.equal(recorder.ownerOf("short"), undefined);
    assert.equal(recorder.runningCalls().length, 0);
    assert.deepEqual(await typesIn(recorder), ["tool.call", "tool.result"]);
    await recorder.close();
  });

  test("begin with one that is stored before the end where it takes long", async () => {
    const recorder = createRecorder(undefined);
    const running = recorder.begin(begun("long"), ada);
    await until("the start of a long call", async () => (await typesIn(recorder)).length > 0);
    assert.deepEqual(await typesIn(recorder), ["tool.call"]);
    const younger = recorder.begin(begun("younger"), ada);
    assert.deepEqual(
      recorder.runningCalls().map(({ event }) => event.callId),
      ["long", "younger"],
    );
    await recorder.record(callRecord("long"), [], running);
    assert.deepEqual(recorder.runningCalls(), [younger]);
    await recorder.record(callRecord("younger"), [], younger);
    assert.deepEqual(await typesIn(recorder), [
      "tool.call",
      "tool.result",
      "tool.call",
      "tool.result",
    ]);
    await recorder.close();
  });

  test("begin before anything else that is stored of it", async () => {
    const recorder = createRecorder(undefined);
    const running = recorder.begin(begun("asking"), ada);
    recorder.emit({
      type: "question.answered",
      questionId: "q",
      callId: "asking",
      action: "accept",
    });
    await recorder.record(callRecord("asking"), [], running);
    assert.deepEqual(await typesIn(recorder), ["tool.call", "question.answered", "tool.result"]);
    await recorder.close();
  });
});

test("health has the last samples of a load, in their order", async () => {
  const recorder = createRecorder(undefined);
  const sample = (latencyMs: number) => ({
    subject: "tool:t",
    at: "2026-03-01T12:00:00.000Z",
    ok: true,
    latencyMs,
  });
  const recorded = Array.from({ length: 450 }, (_, at) => {
    return recorder.record(
      callRecord(`c-${at}`),
      [sample(at)],
      recorder.begin(begun(`c-${at}`), ada),
    );
  });
  await Promise.all(recorded);
  const latencies = (await (await recorder.store()).samples()).map(({ latencyMs }) => latencyMs);
  assert.deepEqual(
    latencies,
    Array.from({ length: 100 }, (_, at) => 350 + at),
  );
  await recorder.close();
});
