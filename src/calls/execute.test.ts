import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { routedCall, sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import { noRouting } from "../../test/samples/routing.ts";
import type { Routed } from "../model/calls/call.ts";
import type { Provider } from "../model/calls/provider.ts";
import { PlaneError } from "../model/errors.ts";
import { type ExecuteOptions, execute } from "./execute.ts";

const answer = { content: [{ type: "text", text: "done" }] };

/** Ends when its signal does, as every provider has to. */
const hanging: Provider = (_, __, { signal, onWrite }) => {
  onWrite?.();
  return untilAborted(signal);
};

const untilAborted = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

function run(
  call: Routed,
  provider: Provider | undefined,
  { signal, ...options }: Partial<ExecuteOptions> & { signal?: AbortSignal } = {},
) {
  const whole = {
    provider: () => provider,
    checkOutput: async () => [],
    onRetry: () => undefined,
    onProgress: () => undefined,
    routing: noRouting,
    answer: async () => ({}),
    ...options,
  };
  return execute(call, whole, { cancellation: signal });
}

suite("execute", () => {
  useMockedTime();

  test("the provider gets the arguments, and the system's values on top of them", async () => {
    const call = routedCall(sampleTool({ injects: ["username"] }));
    const forged = { text: "hi", username: "eve" };
    const input = { arguments: forged, repaired: false, dropped: [] };
    const seen: unknown[] = [];
    const { executed } = await run(
      { ...call, input, injected: { values: { username: "ada" } } },
      async (...given) => {
        seen.push(given[0], given[1]);
        return answer;
      },
    );
    assert.deepEqual(seen, [call.route.candidates[0], { text: "hi", username: "ada" }]);
    const { attempts, ...rest } = executed;
    assert.deepEqual(rest, { result: answer, provider: "mcp", warnings: [] });
    assert.deepEqual(
      attempts.map(({ provider, ok, error }) => ({ provider, ok, error })),
      [{ provider: "mcp", ok: true, error: null }],
    );
  });

  test("the first candidate executes the call", async () => {
    const providers = ["first", "second"].map((name) => ({
      name,
      priority: 0,
      health_check_interval: 300,
      config: {},
    }));
    const { executed } = await run(routedCall(sampleTool({ providers })), async () => answer);
    assert.equal(executed.provider, "first");
  });

  test("an error the tool reports is a result and no failed attempt", async () => {
    const { executed } = await run(routedCall(), async () => ({ ...answer, isError: true }));
    assert.deepEqual([executed.result.isError, executed.attempts[0]?.ok], [true, true]);
  });

  test("a result is checked against the output schema, and an error is not", async () => {
    const tool = sampleTool({ outputSchema: { type: "object" } });
    const checkOutput: ExecuteOptions["checkOutput"] = async (schema, result) => [
      `${JSON.stringify(schema)} ${result.content.length}`,
    ];
    const good = await run(routedCall(tool), async () => answer, { checkOutput });
    assert.deepEqual(good.executed.warnings, ['{"type":"object"} 1']);
    const bad = await run(routedCall(tool), async () => ({ ...answer, isError: true }), {
      checkOutput,
    });
    assert.deepEqual(bad.executed.warnings, []);
  });

  test("a broken output schema does not turn what the tool did into a failure", async () => {
    const tool = sampleTool({ outputSchema: { $ref: "#/missing" } });
    const broken = new PlaneError("PROVIDER_FAILED", "The tool's own schema cannot be used.");
    const { executed } = await run(routedCall(tool), async () => answer, {
      checkOutput: () => Promise.reject(broken),
    });
    assert.deepEqual([executed.result, executed.attempts.length], [answer, 1]);
    assert.match(executed.warnings.join(), /own schema cannot be used/);
  });

  test("after its limit a call ends as a timeout that names the limit and who set it", async () => {
    const call = settled(run(routedCall(sampleTool(), 2_000), hanging));
    await moveTime(1_999);
    assert.equal(call.state, "pending");
    await moveTime(1);
    const { code, message, data } = call.reason<PlaneError>();
    assert.equal(code, "TIMEOUT");
    assert.match(message, /within 2 s \(limit of the default\).*may still have run/);
    assert.deepEqual(
      [data.limitMs, data.limitSetBy, data.server, data.attempts],
      [2_000, "default", "notes", 1],
    );
  });

  test("a call without a limit waits", async () => {
    const controller = new AbortController();
    const call = settled(run(routedCall(sampleTool(), 0), hanging, { signal: controller.signal }));
    await moveTime(1_000_000_000);
    assert.equal(call.state, "pending");
    controller.abort();
    await moveTime(0);
    assert.equal(call.reason<PlaneError>().code, "CANCELLED");
  });

  test("a caller that gives up ends the call as cancelled, even before it begins", async () => {
    const provider: Provider = async (_, __, { signal }) => signal.throwIfAborted();
    const call = settled(run(routedCall(), provider, { signal: AbortSignal.abort() }));
    await moveTime(0);
    const { code, data } = call.reason<PlaneError>();
    assert.deepEqual([code, data.tool, data.server], ["CANCELLED", "notes.write", "notes"]);
  });

  test("a provider that does not listen to its signal does not hold the call", async () => {
    const call = settled(run(routedCall(sampleTool(), 1_000), () => new Promise(() => undefined)));
    await moveTime(1_000);
    assert.equal(call.reason<PlaneError>().code, "TIMEOUT");
  });

  test("progress is handed on and starts the limit again, up to ten times its length", async () => {
    const heard: number[] = [];
    let report = (_: number): void => undefined;
    const provider: Provider = (spec, args, context) => {
      report = (progress) => context.onProgress({ progress, total: null, message: null });
      return hanging(spec, args, context);
    };
    const call = settled(
      run(routedCall(sampleTool(), 1_000), provider, {
        onProgress: (_, { progress }) => heard.push(progress),
      }),
    );
    for (let step = 1; step <= 12; step += 1) {
      await moveTime(800);
      report(step);
    }
    assert.equal(call.state, "pending");
    await moveTime(399);
    assert.equal(call.state, "pending");
    await moveTime(1);
    assert.equal(call.reason<PlaneError>().code, "TIMEOUT");
    assert.equal(heard.length, 12);
  });

  test("a defect of a provider is ours and is not tried again", async () => {
    let tries = 0;
    const tool = sampleTool({ metadata: sampleMetadata({ idempotency_key: true }) });
    const provider: Provider = async () => {
      tries += 1;
      throw new TypeError("undefined is not a function");
    };
    await assert.rejects(run(routedCall(tool), provider), { code: "INTERNAL" });
    assert.equal(tries, 1);
  });

  test("without its provider a call ends as what it is: nothing was sent", async () => {
    const call = settled(run(routedCall(sampleTool(), 0), undefined));
    for (let at = 0; at < 5; at += 1) await moveTime(15_000);
    assert.equal(call.reason<PlaneError>().code, "NO_PROVIDER");
  });
});
