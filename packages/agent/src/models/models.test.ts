import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { ChatModel, ModelPart } from "@toolplane/core/model/agent/chat";
import { PlaneError } from "@toolplane/core/model/errors";
import { createAiSdkModel, toPrompt } from "./ai-sdk-model.ts";
import { streamWithRetries } from "./stream.ts";

const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
const end: ModelPart = { type: "end", reason: "stop", usage };
const call = { id: "1", type: "function" as const, function: { name: "look", arguments: "{no" } };
const picture = { type: "image_url" as const, image_url: { url: "data:image/png;base64,QUJD" } };

async function all(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const heard: ModelPart[] = [];
  for await (const part of parts) heard.push(part);
  return heard;
}

function failing(failures: PlaneError[]): ChatModel & { asked: number } {
  const model = {
    name: "m",
    asked: 0,
    async *stream() {
      model.asked += 1;
      const failure = failures.shift();
      if (failure) throw failure;
      yield end;
    },
  };
  return model;
}
const busy = (data: object = {}) =>
  new PlaneError("SERVER_UNAVAILABLE", "busy", { data: { ...data } });

test("an overloaded endpoint is asked again when it wants to be", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    const model = failing([busy({ retryInMs: 3_000 }), busy()]);
    const heard = all(streamWithRetries(model, { messages: [] }, () => 10_000));
    for (let seconds = 0; seconds < 60 && model.asked < 3; seconds += 1) {
      await new Promise(setImmediate);
      mock.timers.tick(1_000);
    }
    assert.equal(model.asked, 3);
    assert.deepEqual(await heard, [end]);
  } finally {
    mock.timers.reset();
  }
});

test("it is not asked again without the time for it, where it would say the same, or in the middle", async () => {
  const late = failing([busy({ retryInMs: 3_000 })]);
  await assert.rejects(all(streamWithRetries(late, { messages: [] }, () => 2_000)), /busy/);
  const locked = failing([busy({ retryAt: null })]);
  await assert.rejects(all(streamWithRetries(locked, { messages: [] }, () => 9_000)), /busy/);
  const wrong = failing([new PlaneError("PROVIDER_FAILED", "no")]);
  await assert.rejects(all(streamWithRetries(wrong, { messages: [] }, () => 9_000)), /no/);
  assert.deepEqual([late.asked, locked.asked, wrong.asked], [1, 1, 1]);
});

test("a model that does not listen to the signal is not waited for", async () => {
  const deaf: ChatModel = {
    name: "deaf",
    async *stream() {
      yield { type: "text", text: "I" };
      await new Promise(() => undefined);
    },
  };
  const leaving = new AbortController();
  const heard: ModelPart[] = [];
  const listening = (async () => {
    for await (const part of streamWithRetries(
      deaf,
      { messages: [], signal: leaving.signal },
      () => 9_000,
    )) {
      heard.push(part);
      leaving.abort(new Error("over"));
    }
  })();
  await assert.rejects(listening, /over/);
  assert.equal(heard.length, 1);
});

test("models of every version of the AI SDK are heard alike", async () => {
  for (const finish of [
    { finishReason: "stop", usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } },
    {
      finishReason: { unified: "stop", raw: "x" },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 2 } },
    },
  ]) {
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "reasoning-delta", delta: "hm" },
      { type: "text-delta", delta: "yes" },
      { type: "tool-call", toolCallId: "1", toolName: "look", input: "{no" },
      { type: "finish", ...finish },
    ];
    const model = createAiSdkModel(
      "m",
      {
        specificationVersion: "v9",
        modelId: "x",
        doStream: async () => ({ stream: ReadableStream.from(parts) as ReadableStream<never> }),
      },
      (thrown) => thrown as PlaneError,
    );
    assert.deepEqual(await all(model.stream({ messages: [] })), [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "yes" },
      { type: "call", call },
      end,
    ]);
  }
});

test("what a tool showed is shown by the user, and what was no JSON is JSON", () => {
  const prompt = toPrompt(
    [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Look." },
      { role: "assistant", content: "", reasoning_content: "hm", tool_calls: [call] },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "Here:" }, picture] },
    ],
    "v4",
  );
  assert.deepEqual(prompt, [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Look." }] },
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "1", toolName: "look", input: { unreadable: "{no" } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "look",
          output: { type: "text", value: "Here:\n[picture 1]" },
        },
      ],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "Picture 1, from look:" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "QUJD" } },
      ],
    },
  ]);
});

test("arguments that never end are heard to a limit, and what was heard is counted", async () => {
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) =>
      controller.enqueue({ type: "tool-input-delta", delta: "x".repeat(500_000) }),
    cancel: () => {
      isCancelled = true;
    },
  });
  const model = createAiSdkModel(
    "m",
    {
      specificationVersion: "v9",
      modelId: "x",
      doStream: async () => ({ stream: endless as ReadableStream<never> }),
    },
    (thrown) => thrown as PlaneError,
  );
  const [only, ...rest] = await all(model.stream({ messages: [] }));
  assert.ok(only?.type === "end" && only.reason === "length" && only.usage.totalTokens > 1_000_000);
  assert.deepEqual([rest.length, isCancelled], [0, true]);
});
