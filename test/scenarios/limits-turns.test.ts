import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Outcome } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  planeOf,
  textsOf,
  untilLogged,
} from "./support.ts";

/** How many calls of `overlap` the fixture ever saw at once. */
const maxAtOnce = (outcomes: readonly Outcome[]) =>
  Math.max(
    ...outcomes.map(({ result }) =>
      Number((result?.structuredContent as { most?: number } | undefined)?.most),
    ),
  );

const overlapTool = (more: object) => ({
  name: "work",
  description: "Works for a time.",
  side_effects: "none" as const,
  parameters: { type: "object", properties: { ms: { type: "integer" } } },
  providers: [{ name: "mcp", config: { server: "state", tool: "overlap" } }],
  ...more,
});

suite("calls beside each other", { concurrency: 4 }, () => {
  test("tools of a server that says allow_parallel false run one after the other", async () => {
    await using plane = await planeOf({ state: fixture("state", [], { allow_parallel: false }) });
    const calls = [1, 2, 3, 4].map(() => plane.call("state.overlap", { ms: 30 }));
    assert.equal(maxAtOnce(await Promise.all(calls)), 1);
    const tool = await plane.tools.get("state.overlap");
    assert.equal(tool.metadata.allow_parallel, false);
  });

  test("where nothing is set they run side by side, and the listing has no value", async () => {
    await using plane = await planeOf({ state: fixture("state") });
    await plane.tools.list();
    const calls = [1, 2, 3].map(() => plane.call("state.overlap", { ms: 200 }));
    assert.equal(maxAtOnce(await Promise.all(calls)), 3);
    const tool = await plane.tools.get("state.overlap");
    assert.equal(tool.metadata.allow_parallel, undefined, "three states: unset is not false");
  });

  test("a manifest's own word counts, whatever its server allows, and only where it is said", async () => {
    const tools = {
      serial: { ...overlapTool({ allow_parallel: false }), name: "serial" },
      unsaid: { ...overlapTool({}), name: "unsaid" },
    };
    const server = () => fixture("state", [], { allow_parallel: true });
    await using plane = await createPlane({ config: { mcpServers: { state: server() }, tools } });
    const serial = await Promise.all([1, 2, 3].map(() => plane.call("serial", { ms: 30 })));
    assert.equal(maxAtOnce(serial), 1);
    const unsaid = await Promise.all([1, 2, 3].map(() => plane.call("unsaid", { ms: 200 })));
    assert.equal(maxAtOnce(unsaid), 3);
  });

  test("a hand-written tool counts into the maxConcurrency of the server that executes it", async () => {
    const mcpServers = { state: fixture("state", [], { maxConcurrency: 1 }) };
    await using plane = await createPlane({
      config: { mcpServers, tools: { work: overlapTool({}) } },
    });
    const names = ["work", "state.overlap", "work", "state.overlap"];
    assert.equal(
      maxAtOnce(await Promise.all(names.map((name) => plane.call(name, { ms: 30 })))),
      1,
    );
  });

  test("waiting counts into the limit of a call, and who leaves the line was never sent", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      echo: fixture("echo", ["--log", log], { allow_parallel: false }),
    });
    const leaving = new AbortController();
    const slow = plane.call("echo.slow", { ms: 60_000 }, { signal: leaving.signal });
    await untilLogged(log, ({ message }) => message?.method === "tools/call");
    const waiting = await plane.call("echo.slow", { ms: 1 }, { timeoutMs: 100 });
    assertFailed(waiting, "TIMEOUT", "failed");
    assert.match(
      errorOf(waiting).message,
      /within 0\.1 s .*still waited for its turn and was not run/,
    );
    assert.equal(waiting.call.attempts, 0);
    const given = plane.call("echo.slow", { ms: 1 }, { signal: AbortSignal.timeout(50) });
    assertFailed(await given, "CANCELLED", "cancelled");
    const next = plane.call("echo.slow", { ms: 2 });
    leaving.abort();
    assertFailed(await slow, "CANCELLED", "cancelled");
    assert.deepEqual(textsOf(await next), ["waited 2"]);
    assert.deepEqual(
      callsAt(log).map(({ arguments: args }) => args),
      [{ ms: 60_000 }, { ms: 2 }],
    );
  });

  test("results of calls at once come in the order they were asked for, and one failure is one failure", async () => {
    await using plane = await planeOf({ echo: fixture("echo"), fault: fixture("fault") });
    const asked: [string, object][] = [
      ["echo.slow", { ms: 300 }],
      ["fault.exit_mid_call", {}],
      ["echo.echo", { message: "quick" }],
      ["absent.nothing", {}],
      ["echo.echo", { wrong: 1 }],
      ["echo.slow", { ms: 10 }],
    ];
    const outcomes = await Promise.all(asked.map(([tool, args]) => plane.call(tool, args)));
    assert.deepEqual(
      outcomes.map(({ ok, error }) => error?.code ?? ok),
      [true, "OUTCOME_UNKNOWN", true, "TOOL_NOT_FOUND", "INVALID_ARGUMENTS", true],
    );
    const texts = [0, 2, 5].map((at) => textsOf(outcomes[at] as Outcome));
    assert.deepEqual(texts, [["waited 300"], ["quick"], ["waited 10"]]);
  });
});
