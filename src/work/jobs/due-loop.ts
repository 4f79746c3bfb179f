import type { DueHandler, DueItem, DueKind, DueWork } from "../../model/store.ts";

const dayMs = 24 * 3_600_000;
/** After a failure of an item or of the store. */
const retryMs = 5_000;

type DueLoopParts = {
  open(): Promise<DueWork>;
  handlers: readonly DueHandler[];
  /** Nothing can be begun; told once for each reason. */
  onTrouble(thrown: unknown): void;
};

export type DueLoop = ReturnType<typeof createDueLoop>;

/** Takes what is due, as far as there is room, and gives it to its handler. */
export function createDueLoop({ open, handlers, onTrouble }: DueLoopParts) {
  const active = new Set<Promise<void>>();
  /** What this plane cannot do; others may. */
  const unknown = new Set<string>();
  const byKind = new Map(handlers.map((handler) => [handler.kind, handler]));
  let opened: DueWork | null = null;
  let trouble: string | null = null;

  const roomFor = (kind: DueKind) => Math.max(0, byKind.get(kind)?.room() ?? 0);

  async function begin(work: DueWork, item: DueItem): Promise<void> {
    const begun = (await byKind.get(item.kind)?.begin(item)) ?? { is: "unknown" };
    if (begun.is === "over") return work.settle(item);
    if (begun.is === "later") return work.giveBack(item, begun.at);
    if (begun.is === "unknown") {
      unknown.add(item.group);
      return work.giveBack(item, Date.now());
    }
    const done = begun.ended
      // What is not known now is found out again from its record.
      .catch(() => Date.now() + retryMs)
      .then((at) => (at === null ? work.settle(item) : work.giveBack(item, at)))
      .catch(() => undefined)
      .finally(() => {
        active.delete(done);
        clock.wake();
      });
    active.add(done);
  }

  async function takeAll(work: DueWork): Promise<void> {
    while (clock.isRunning()) {
      const room = { run: roomFor("run"), deadLetter: roomFor("deadLetter") };
      if (room.run + room.deadLetter === 0) return;
      const items = await work.take(room, unknown);
      if (items.length === 0) return;
      await Promise.all(items.map((item) => beginOrGiveBack(work, item)));
    }
  }

  /** What one item is about must not keep the others from being done. */
  async function beginOrGiveBack(work: DueWork, item: DueItem): Promise<void> {
    try {
      await begin(work, item);
    } catch (thrown) {
      await work.giveBack(item, Date.now() + retryMs);
      throw thrown;
    }
  }

  async function look(hasJumpedBack: boolean): Promise<number> {
    opened ??= await open();
    const work = opened;
    const now = Date.now();
    for (const handler of handlers) await handler.onLook(now, hasJumpedBack);
    await takeAll(work);
    const next = (await work.nextAt(now)) ?? Number.POSITIVE_INFINITY;
    const lookMs = Math.min(work.lookMs, dayMs, ...handlers.map((handler) => handler.lookMs));
    return Math.min(lookMs, Math.max(0, next - Date.now()));
  }

  async function lookAndTell(hasJumpedBack: boolean): Promise<number> {
    try {
      const delayMs = await look(hasJumpedBack);
      trouble = null;
      return delayMs;
    } catch (thrown) {
      if (trouble !== String(thrown)) onTrouble(thrown);
      trouble = String(thrown);
      throw thrown;
    }
  }

  const clock = createClock(lookAndTell);

  return {
    start: clock.start,
    wake: clock.wake,
    isRunning: clock.isRunning,
    /** What was unknown may be known now. */
    changed(): void {
      unknown.clear();
      clock.wake();
    },
    /** Nothing more is begun. */
    halt: clock.stop,
    /** The same, and everything that was taken is given back or over. */
    async stop(): Promise<void> {
      await clock.stop();
      await Promise.all(active);
      await opened?.stop();
    },
  };
}

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
    let delayMs = 0;
    do {
      again = false;
      delayMs = await look(hasJumpedBack()).catch(() => retryMs);
    } while (again && state === "running");
    looking = null;
    if (state === "running") timer = setTimeout(wake, delayMs).unref();
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
