import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { PlaneError } from "@toolplane/core/model/errors";
import type { KeptJobRun } from "@toolplane/core/model/work/job-run";
import { sampleRun } from "@toolplane/test/samples/jobs";
import { holdRun } from "./hold-run.ts";
import { moveRun } from "./states.ts";

const away = () =>
  new PlaneError("STORE_FAILED", "It cannot be reached.", { data: { lost: true } });
const running = moveRun(sampleRun("one"), "running", Date.parse("2026-03-01T12:00:00.000Z"));

/** A store whose next answers fail, before or after what was asked was done. */
function keeping(failures: ("before" | "after")[], stopping = new AbortController()) {
  let kept: KeptJobRun = running;
  const held = holdRun(running, {
    async replace(run) {
      const failure = failures.shift();
      if (failure === "before") throw away();
      if (run.revision !== kept.revision) return false;
      kept = { ...run, revision: run.revision + 1 };
      if (failure === "after") throw away();
      return true;
    },
    read: async () => kept,
    stopping: stopping.signal,
  });
  const change = (run: Partial<KeptJobRun>) => {
    kept = { ...kept, ...run, revision: kept.revision + 1 };
  };
  return { held, kept: () => kept, change };
}

suite("a run that is held", () => {
  test("is written when a store that was unreachable is back, also where only the answer was lost", async () => {
    for (const failures of [["before", "before"], ["after"], ["after", "before"]] as const) {
      const { held, kept } = keeping([...failures]);
      await held.write((run) => ({ ...run, priority: 7 }));
      await held.write((run) => ({ ...run, priority: run.priority + 1 }));
      held.end();
      assert.deepEqual([kept().priority, kept().revision, held.lost.aborted], [8, 3, false]);
    }
  });

  test("is lost when another plane has begun or ended it meanwhile", async () => {
    for (const theirs of [{ starts: 2 }, { state: "cancelled" }] as const) {
      const { held, change } = keeping(["before"]);
      change(theirs);
      await assert.rejects(
        held.write((run) => run),
        { code: "CONFLICT" },
      );
      held.end();
      assert.equal(held.lost.aborted, true);
    }
  });

  test("does not keep a plane that stops waiting for a store that is unreachable", async () => {
    const stopping = new AbortController();
    const { held, kept } = keeping(
      Array.from({ length: 100 }, () => "before"),
      stopping,
    );
    const written = held.write((run) => run);
    stopping.abort();
    await assert.rejects(written, { code: "STORE_FAILED" });
    await held.release();
    assert.equal(kept().revision, 1);
  });
});
