import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatModel, ModelPart } from "@toolplane/core/model/agent/chat";
import { PlaneError } from "@toolplane/core/model/errors";
import { keepSpans } from "@toolplane/test/scenarios/span-keeper";
import { traceRun } from "./otel-spans.ts";

const beginning = {
  id: "r",
  model: "m",
  style: "tools",
  toolset: "mine",
  conversation: "c",
} as const;
const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };

/** A model that says this, and then fails where it has to. */
function modelOf(parts: readonly ModelPart[], failure?: Error): ChatModel {
  return {
    name: "m",
    async *stream() {
      yield* parts;
      if (failure) throw failure;
    },
  };
}

async function listen(model: ChatModel, most = 10, signal?: AbortSignal): Promise<void> {
  let heard = 0;
  for await (const _ of model.stream({ messages: [], ...(signal ? { signal } : {}) }))
    if (++heard === most) return;
}

const said: ModelPart = { type: "text", text: "CANARY" };
const end: ModelPart = { type: "end", reason: "stop", usage };

test("a turn of a model tells how it ended, and nothing of what was said", async () => {
  using kept = keepSpans();
  const run = traceRun(beginning);
  await listen(run.model(modelOf([said, end])));
  await listen(run.model(modelOf([said, end])), 1);
  await listen(run.model(modelOf([said])));
  const failing = modelOf([said], new PlaneError("SERVER_UNAVAILABLE", "CANARY"));
  await assert.rejects(listen(run.model(failing)), { code: "SERVER_UNAVAILABLE" });
  await listen(run.model(modelOf([said, end])), 1, AbortSignal.abort());
  run.end();
  assert.deepEqual(
    kept
      .named("chat m")
      .map(({ attributes }) => [
        attributes["error.type"],
        attributes["gen_ai.usage.output_tokens"],
      ]),
    [
      [undefined, 4],
      [undefined, undefined],
      ["PROVIDER_FAILED", undefined],
      ["SERVER_UNAVAILABLE", undefined],
      ["CANCELLED", undefined],
    ],
  );
  assert.equal(kept.named("invoke_agent mine")[0]?.attributes["error.type"], "INTERNAL");
  assert.doesNotMatch(
    JSON.stringify(kept.spans().map(({ attributes, events }) => [attributes, events])),
    /CANARY/,
  );
});

test("what an agent calls belongs below its run", () => {
  using kept = keepSpans();
  const run = traceRun(beginning, { other: 1 });
  run.end();
  const { traceId, spanId } = kept.spans()[0]?.spanContext() ?? {};
  assert.deepEqual(run.relay.meta, { other: 1, traceparent: `00-${traceId}-${spanId}-01` });
});
