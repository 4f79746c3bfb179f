import type { DueHandler, DueItem, DueKind, DueWork } from "../model/store.ts";

const dayMs = 24 * 3_600_000;
/** After a failure of an item or of the store. */
const retryMs = 5_000;

type DueLoopParts = {
  open(): Promise<DueWork>;
  handlers: readonly DueHandler[];
  /** Called once for each reason why nothing can begin. */
  onTrouble(thrown: unknown): void;
};

export type DueLoop = ReturnType<typeof createDueLoop>;

/** Takes due items as far as there is room and gives each to its handler. */
export function createDueLoop({ open, handlers, onTrouble }: DueLoopParts) {
  const items = createItems(handlers);
  let opened: DueWork | null = null;
  let trouble: string | null = null;

  const clock = createClock(async (hasJumpedBack) => {
    try {
      opened ??= await open();
      const delayMs = await look(opened, hasJumpedBack);
      trouble = null;
      return delayMs;
    } catch (thrown) {
      if (trouble !== String(thrown)) onTrouble(thrown);
      trouble = String(thrown);
      throw thrown;
    }
  });

  async function look(work: DueWork, hasJumpedBack: boolean): Promise<number> {
    const now = Date.now();
    for (const handler of handlers) await handler.onLook(now, hasJumpedBack);
    while (clock.isRunning() && (await items.beginSome(work, clock.wake)));
    const nextDueAt = (await work.nextAt(now)) ?? Number.POSITIVE_INFINITY;
    const lookMs = Math.min(work.lookMs, dayMs, ...handlers.map((handler) => handler.lookMs));
    return Math.min(lookMs, Math.max(0, nextDueAt - Date.now()));
  }

  return {
    start: clock.start,
    wake: clock.wake,
    isRunning: clock.isRunning,
    /** Unknown groups may be known now. */
    changed(): void {
      items.unknown.clear();
      clock.wake();
    },
    /** Begins nothing more. */
    halt: clock.stop,
    /** Resolves when every taken item is over or given back. */
    async stop(): Promise<void> {
      await clock.stop();
      await Promise.all(items.active);
      await opened?.stop();
    },
  };
}

function createItems(handlers: readonly DueHandler[]) {
  const active = new Set<Promise<void>>();
  /** Groups that only other planes can handle. */
  const unknown = new Set<string>();
  const byKind = new Map(handlers.map((handler) => [handler.kind, handler]));
  const roomFor = (kind: DueKind) => Math.max(0, byKind.get(kind)?.room() ?? 0);

  async function begin(work: DueWork, item: DueItem, onEnd: () => void): Promise<void> {
    const beginning = (await byKind.get(item.kind)?.begin(item)) ?? { is: "unknown" };
    if (beginning.is === "over") return work.settle(item);
    if (beginning.is === "later") return work.giveBack(item, beginning.at);
    if (beginning.is === "unknown") {
      unknown.add(item.group);
      return work.giveBack(item, Date.now());
    }
    const done = beginning.ended
      .catch(() => Date.now() + retryMs)
      .then((retryAt) => (retryAt === null ? work.settle(item) : work.giveBack(item, retryAt)))
      // Its record says how it ended; an item that could not be given back comes free with its lease.
      .catch(() => undefined)
      .finally(() => {
        active.delete(done);
        onEnd();
      });
    active.add(done);
  }

  return {
    active,
    unknown,
    /** False when nothing could be taken. */
    async beginSome(work: DueWork, onEnd: () => void): Promise<boolean> {
      const room = { run: roomFor("run"), deadLetter: roomFor("deadLetter") };
      if (room.run + room.deadLetter === 0) return false;
      const items = await work.take(room, unknown);
      const beginnings = items.map((item) =>
        // One item that fails must not keep the others from beginning.
        begin(work, item, onEnd).catch(async (thrown) => {
          await work.giveBack(item, Date.now() + retryMs);
          throw thrown;
        }),
      );
      await Promise.all(beginnings);
      return items.length > 0;
    },
  };
}

/** A clock that goes back by less is only being corrected. */
const jumpMs = 30_000;

/** Looks again after the delay that the last look returned, or when woken; says whether the clock was set back. */
export function createClock(look: (hasJumpedBack: boolean) => Promise<number>) {
  let state: "new" | "running" | "stopped" = "new";
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let isWokenAgain = false;
  let lastLook = { wall: Date.now(), passed: performance.now() };

  function hasJumpedBack(): boolean {
    const now = { wall: Date.now(), passed: performance.now() };
    const driftMs = now.wall - lastLook.wall - (now.passed - lastLook.passed);
    lastLook = now;
    return driftMs < -jumpMs;
  }

  async function lookUntilQuiet(): Promise<void> {
    let delayMs = 0;
    do {
      isWokenAgain = false;
      delayMs = await look(hasJumpedBack()).catch(() => retryMs);
    } while (isWokenAgain && state === "running");
    looking = null;
    if (state === "running") timer = setTimeout(wake, delayMs).unref();
  }

  function wake(): void {
    if (state !== "running") return;
    clearTimeout(timer);
    isWokenAgain = true;
    looking ??= lookUntilQuiet();
  }

  return {
    start(): void {
      if (state === "new") state = "running";
      wake();
    },
    wake,
    isRunning: () => state === "running",
    async stop(): Promise<void> {
      state = "stopped";
      clearTimeout(timer);
      await looking;
    },
  };
}
