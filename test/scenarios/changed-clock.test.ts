import assert from "node:assert/strict";
import { suite, type TestContext, test } from "node:test";
import { createCircuits } from "../../src/calls/limits/circuit-breaker.ts";
import { createRouting } from "../../src/catalogue/health/routing.ts";
import { createPlane, type Plane } from "../../src/index.ts";
import { TimeLimiter } from "../../src/lib/async/time-limit.ts";
import { PlaneError } from "../../src/model/errors.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { rogue, startsIn } from "./rogue/rogue.ts";
import { errorOf, fixture, planeOf } from "./support.ts";

const hourMs = 3_600_000;

/** Only the wall clock, and it stands still there. */
function setClock({ mock }: TestContext, byMs: number): void {
  mock.timers.enable({ apis: ["Date"], now: Date.now() + byMs });
}

suite("a wall clock that is changed", () => {
  test("does not put off the next try of a server", async (context) => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const bad = rogue("stdio-odd", ["--mode", "crash-start", "--log", log], { backoffMs: 300 });
    await using plane = await planeOf({ bad });
    await plane.call("bad.ok");
    const before = startsIn(log).length;
    setClock(context, -hourMs);
    let shown: unknown;
    await until("another try", async () => {
      shown = errorOf(await plane.call("bad.ok")).data.nextRetryAt;
      return startsIn(log).length > before;
    });
    assert.ok(
      Date.parse(String(shown)) < Date.now() + 60_000,
      `${shown} is reported by the clock of now`,
    );
  });

  test("neither prolongs a question to a person nor ends it early", async (context) => {
    const policy = { rules: [{ tool: "echo.put_*", verdict: "ask" as const }] };
    const mcpServers = { echo: fixture("echo") };
    const open = (timeoutMs: number) =>
      createPlane({ config: { mcpServers, policy, approvals: { timeoutMs } } });
    const ask = async (plane: Plane) => {
      const { approvalId } = errorOf(
        await plane.call("echo.put_note", { key: "k", text: "t" }),
      ).data;
      return async () => (await plane.approvals.get(String(approvalId))).status;
    };
    await using patient = await open(30 * 60_000);
    const status = await ask(patient);
    setClock(context, hourMs);
    assert.equal(await status(), "pending");
    context.mock.timers.reset();
    await using brief = await open(1_500);
    const briefly = await ask(brief);
    setClock(context, -hourMs);
    await until("its end", async () => (await briefly()) === "expired");
  });

  test("leaves circuits, cooldowns and limits of time as long as they are", async (context) => {
    const setting = () => ({ failures: 1, openMs: 100 });
    const circuits = createCircuits({ setting, onChange: () => undefined });
    circuits
      .enter("s")
      .leave(new PlaneError("SERVER_UNAVAILABLE", "it broke", { data: { sent: true } }));
    const routing = createRouting(() => 0);
    routing.failed("t", "a", "it broke");
    const limiter = new TimeLimiter(200, { capMs: 1_000 });
    setClock(context, -hourMs);
    limiter.extend();
    await until("the circuit's next try", () => circuits.status("s")?.state === "half_open");
    await until("the end of the cooldown", () => routing.cooldown("t", "a") === null);
    await until("the limit", () => limiter.isExpired);
    limiter.clear();
  });
});
