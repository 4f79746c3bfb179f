/** A store that fails is asked again after this. */
const troubleMs = 5_000;
/** A clock that goes back by less is only being put right. */
const jumpMs = 30_000;

export type Clock = { start(): void; wake(): void; stop(): Promise<void>; isRunning(): boolean };

/** Looks again when the last look said so, or when it is woken. Tells whether the clock was set back meanwhile. */
export function createClock(look: (hasJumpedBack: boolean) => Promise<number>): Clock {
  let state: "new" | "running" | "stopped" = "new";
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let again = false;
  let lastLook = { wall: Date.now(), passed: performance.now() };

  function hasJumpedBack(): boolean {
    const now = { wall: Date.now(), passed: performance.now() };
    const gone = now.wall - lastLook.wall - (now.passed - lastLook.passed);
    lastLook = now;
    return gone < -jumpMs;
  }

  async function lookUntilQuiet(): Promise<void> {
    let restMs = 0;
    do {
      again = false;
      restMs = await look(hasJumpedBack()).catch(() => troubleMs);
    } while (again && state === "running");
    looking = null;
    if (state === "running") timer = setTimeout(wake, restMs).unref();
  }

  function wake(): void {
    if (state !== "running") return;
    clearTimeout(timer);
    again = true;
    looking ??= lookUntilQuiet();
  }

  return {
    start() {
      if (state === "new") state = "running";
      wake();
    },
    wake,
    isRunning: () => state === "running",
    async stop() {
      state = "stopped";
      clearTimeout(timer);
      await looking;
    },
  };
}
