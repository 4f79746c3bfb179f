import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { requestedCall, sampleTool } from "../../test/samples/calls.ts";
import { moveTime, settled, useMockedTime } from "../../test/samples/mocked-time.ts";
import { PlaneError } from "../model/errors.ts";
import { resolve as resolveAtOnce } from "./resolve.ts";

/** Where it does not wait it answers at once, which is the same to a caller that waits. */
const resolve = async (...given: Parameters<typeof resolveAtOnce>) => resolveAtOnce(...given);

const never = () => new Promise<never>(() => undefined);

suite("resolve", () => {
  useMockedTime();

  test("a call gets the tool that its caller asked for", async () => {
    const tool = sampleTool();
    const call = requestedCall();
    const resolved = await resolve(call, async (asked, principal) => {
      assert.deepEqual([asked, principal], ["notes.write", call.principal]);
      return tool;
    });
    assert.deepEqual(resolved, { ...call, tool });
  });

  test("an unknown tool ends the call with the reason of the search", async () => {
    const missing = new PlaneError("TOOL_NOT_FOUND", "No tool 'x'.");
    const call = requestedCall({}, { timeoutMs: 1_000 });
    await assert.rejects(
      resolve(call, () => Promise.reject(missing)),
      missing,
    );
  });

  test("the limit of the call counts while its server starts", async () => {
    const call = settled(resolve(requestedCall({}, { timeoutMs: 2_000 }), never));
    await moveTime(1_999);
    assert.equal(call.state, "pending");
    await moveTime(1);
    const { code, message, data } = call.reason<PlaneError>();
    assert.deepEqual([code, data.tool, data.limitSetBy], ["TIMEOUT", "notes.write", "call"]);
    assert.match(message, /within 2 s \(limit of the call\).*still starting/);
  });

  test("without a limit of its own a call waits for its server", async () => {
    for (const options of [{}, { timeoutMs: 0 }]) {
      const call = settled(resolve(requestedCall({}, options), never));
      await moveTime(10_000_000);
      assert.equal(call.state, "pending");
    }
  });

  test("a caller that gives up while the server starts is not kept waiting", async () => {
    const controller = new AbortController();
    const call = settled(resolve(requestedCall(), never, controller.signal));
    await moveTime(100);
    controller.abort();
    await moveTime(0);
    assert.equal(call.reason<PlaneError>().code, "CANCELLED");
  });
});
