import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { gone, sampleConnection } from "../samples/connections.ts";
import { moveTime, useMockedTime } from "../samples/mocked-time.ts";
import { rogue, startsIn } from "./rogue/rogue.ts";
import { errorOf, planeOf } from "./support.ts";

const crashed = () => Object.assign(gone(), { crashed: true });

suite("a server that keeps crashing", () => {
  suite("in a minute of calls", () => {
    useMockedTime();

    for (const [what, answers] of [
      ["answers nothing", 0],
      ["answers a call in each life", 1],
    ] as const) {
      test(`and ${what} is started fewer than eight times, with growing gaps`, async () => {
        const { connection, attempts } = sampleConnection({ kept: false });
        const starts: number[] = [];
        for (let at = 0; at < 60_000; at += 100) {
          const asked = connection.ensure().catch(() => null);
          await moveTime(0);
          if (attempts.length > starts.length) {
            starts.push(at);
            attempts.at(-1)?.succeed();
            const live = await asked;
            if (live) live.answered += answers;
            attempts.at(-1)?.steps.onClose(crashed());
          }
          await moveTime(100);
        }
        assert.ok(starts.length < 8 && starts.length > 3, `started at ${starts}`);
        const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
        for (const [index, gap] of gaps.slice(1).entries())
          assert.ok(gap >= (gaps[index] ?? 0), `${gaps}`);
        assert.ok((gaps.at(-1) ?? 0) >= 16_000, `${gaps}`);
      });
    }
  });

  for (const mode of ["crash-start", "crash"]) {
    test(`in mode '${mode}' refuses calls at once and says when the next try is`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const bad = rogue("stdio-odd", ["--mode", mode, "--log", log], { backoffMs: 60_000 });
      await using plane = await planeOf({ bad });
      await plane.servers.connect("bad").catch(() => undefined);
      await until("its second start", () => startsIn(log).length === 2);
      await until("its backoff", async () => (await plane.servers.list())[0]?.state === "backoff");
      const { nextRetryAt } = (await plane.servers.list())[0] ?? {};
      for (let call = 0; call < 20; call++) {
        const { code, data } = errorOf(await plane.call("bad.ok"));
        assert.deepEqual([code, data.nextRetryAt], ["SERVER_UNAVAILABLE", nextRetryAt]);
      }
      assert.equal(startsIn(log).length, 2);
    });
  }

  test("right at its start is asked in both eras only the first time", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const bad = rogue("stdio-odd", ["--mode", "crash-start", "--log", log], { backoffMs: 20 });
    await using plane = await planeOf({ bad });
    let tries = 0;
    plane.on("server.connecting", () => {
      tries += 1;
    });
    await plane.servers.connect("bad").catch(() => undefined);
    await until("five tries", () => tries === 5);
    await until("its sixth start", () => startsIn(log).length >= 6);
    assert.ok(startsIn(log).length <= tries + 1);
  });
});
