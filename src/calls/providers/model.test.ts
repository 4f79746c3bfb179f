import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { freePort } from "../../../test/fixtures/free-port.ts";
import { type ScriptedResponse, startScriptedModel } from "../../../test/fixtures/llm-script.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { createModelProvider } from "./model.ts";

const apiKey = "sk-s3cret-key";

function ask(baseURL: string, config: JsonObject, args: JsonObject, signal?: AbortSignal) {
  const provider = createModelProvider(
    async () => config,
    async () => ({ baseURL, model: "scripted", apiKey }),
  );
  const spec = { name: "model", priority: 0, health_check_interval: 300, config: {} };
  const context = { owner: { user: null, conversation: null }, onProgress() {} };
  return provider(spec, args, { ...context, signal: signal ?? new AbortController().signal });
}

async function answerTo(
  response: ScriptedResponse,
  config: JsonObject = {},
  args: JsonObject = {},
) {
  await using model = await startScriptedModel({ responses: [response] });
  const answer = await ask(model.url, { prompt: "Go.", ...config }, args);
  return { answer, request: model.requests[0] };
}

async function failureOf(response: ScriptedResponse, config: JsonObject = {}): Promise<PlaneError> {
  await using model = await startScriptedModel({ responses: [response] });
  const thrown: unknown = await ask(model.url, { prompt: "Go.", ...config }, {}).catch(
    (error) => error,
  );
  assert.ok(thrown instanceof PlaneError, String(thrown));
  assert.equal(model.requests.length, 1, "whether to repeat it is not its decision");
  return thrown;
}

describe("a tool that a model executes", () => {
  test("its arguments go into the prompt, its key into the header, its text comes back", async () => {
    const config = {
      prompt: "Translate {{text}} to {{language}}.",
      system: "You translate.",
      temperature: 0,
    };
    const { answer, request } = await answerTo({ kind: "text", text: "Guten Tag" }, config, {
      text: "Good day",
      language: "German",
    });
    assert.deepEqual(answer, { content: [{ type: "text", text: "Guten Tag" }] });
    assert.equal(request?.headers.authorization, `Bearer ${apiKey}`);
    assert.deepEqual(
      [request?.body.model, request?.body.temperature, request?.body.messages],
      [
        "scripted",
        0,
        [
          { role: "system", content: "You translate." },
          { role: "user", content: "Translate Good day to German." },
        ],
      ],
    );
  });

  for (const text of ['{"sum": 3}', '```json\n{"sum": 3}\n```']) {
    test(`${JSON.stringify(text)} is data where data is wanted`, async () => {
      const { answer } = await answerTo({ kind: "text", text }, { resultFormat: "json" });
      assert.deepEqual((answer as { structuredContent: unknown }).structuredContent, { sum: 3 });
    });
  }

  test("an answer that is no data where data is wanted is a failure", async () => {
    const error = await failureOf(
      { kind: "text", text: "I'd rather not." },
      { resultFormat: "json" },
    );
    assert.deepEqual([error.code, error.data.sent], ["PROVIDER_FAILED", true]);
  });

  const refusals: [
    status: number,
    code: string,
    harmless: true | undefined,
    headers?: Record<string, string>,
  ][] = [
    [429, "SERVER_UNAVAILABLE", true, { "retry-after": "7" }],
    [500, "SERVER_UNAVAILABLE", undefined],
    [503, "SERVER_UNAVAILABLE", undefined, { "retry-after": "7" }],
    [401, "SERVER_UNAVAILABLE", true],
    [400, "PROVIDER_FAILED", true],
  ];
  for (const [status, code, harmless, headers] of refusals) {
    test(`HTTP ${status} is a failure that tells nothing of what was written`, async () => {
      const message = `Incorrect key ${apiKey} for /v1/chat`;
      const error = await failureOf({
        kind: "error",
        status,
        message,
        ...(headers ? { headers } : {}),
      });
      assert.deepEqual([error.code, error.data.sent, error.data.status], [code, true, status]);
      assert.equal(error.data.harmless, harmless);
      assert.equal(error.data.retryInMs, headers === undefined ? undefined : 7_000);
      assert.match(error.message, /^Model 'default' failed: its endpoint /);
      assert.ok(!`${error.message}${JSON.stringify(error.data)}${error.cause}`.includes("s3cret"));
    });
  }

  test("a key that is not taken is not tried again, and the remedy is named", async () => {
    const error = await failureOf({ kind: "error", status: 401, message: "no" });
    assert.match(error.message, /check 'models\.default\.apiKey'/);
    assert.equal(error.data.retryAt, null);
  });

  test("an answer that breaks off is a failure with an unknown outcome", async () => {
    assert.equal((await failureOf({ kind: "broken", text: "half of it" })).data.sent, true);
  });

  test("without a listener nothing was sent", async () => {
    const port = await freePort();
    await assert.rejects(
      ask(`http://127.0.0.1:${port}/v1`, { prompt: "Go." }, {}),
      (error: PlaneError) => {
        assert.deepEqual([error.code, error.data.sent], ["SERVER_UNAVAILABLE", false]);
        assert.match(error.message, /nothing listens/);
        return true;
      },
    );
  });

  test("a caller that gives up does not wait", async () => {
    const controller = new AbortController();
    const silent = createHttpServer(() => controller.abort()).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    await assert.rejects(
      ask(`http://127.0.0.1:${port}/v1`, { prompt: "Go." }, {}, controller.signal),
    );
    silent.closeAllConnections();
    silent.close();
  });

  test("a configuration that makes no sense sends nothing", async () => {
    await assert.rejects(ask("http://127.0.0.1:9/v1", { promt: "Go." }, {}), {
      code: "CONFIG_INVALID",
      message: /provider 'model' cannot be used/,
    });
  });
});
