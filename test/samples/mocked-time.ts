import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, mock, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Both clocks show `now` and move together, for one test. */
export function moveClocks({ mock: own }: Pick<TestContext, "mock">, now = 0): void {
  own.timers.enable({ apis: ["Date"], now });
  own.method(performance, "now", () => Date.now() - performance.timeOrigin);
}

/** Every test of the suite moves the time itself. */
export function useMockedTime(): void {
  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    let at = 0;
    let looks = 0;
    // Two looks in one moment differ, as they do in reality.
    mock.method(performance, "now", () => {
      [at, looks] = [Date.now(), Date.now() === at ? looks + 0.001 : 0];
      return at - performance.timeOrigin + looks;
    });
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
