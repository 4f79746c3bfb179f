import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, mock } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Every test of the suite moves the time itself. */
export function useMockedTime(): void {
  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    mock.method(performance, "now", () => Date.now() - performance.timeOrigin);
    // A module that imported `setTimeout` by name sees the mock only after this.
    syncBuiltinESMExports();
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
    syncBuiltinESMExports();
  });
}

/** Moves the time, with everything that was or becomes due done before and after. */
export async function moveTime(ms: number): Promise<void> {
  await nextTurn();
  mock.timers.tick(ms);
  await nextTurn();
}

/** A promise that can be looked at without waiting for it. */
export function settled<T>(promise: Promise<T>) {
  let rejection: unknown;
  const view = {
    state: "pending" as "pending" | "fulfilled" | "rejected",
    reason<E>(): E {
      assert.equal(view.state, "rejected");
      return rejection as E;
    },
  };
  promise.then(
    () => {
      view.state = "fulfilled";
    },
    (reason) => {
      view.state = "rejected";
      rejection = reason;
    },
  );
  return view;
}
