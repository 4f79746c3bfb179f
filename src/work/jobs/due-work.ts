import { PlaneError } from "../../model/errors.ts";
import type { DueHandler } from "../../model/store.ts";
import type { Recorder } from "../../store/store.ts";
import type { DueLoop } from "./due-loop.ts";

export type PlaneDueWork = ReturnType<typeof createPlaneDueWork>;

/** One loop for all that is due, from when the plane is started. */
export function createPlaneDueWork({ store }: Pick<Recorder, "store">) {
  let loading: Promise<void> | null = null;
  let loop: DueLoop | null = null;
  let isHalted = false;

  async function load(handlers: readonly (() => Promise<DueHandler>)[]): Promise<void> {
    const { createDueLoop } = await import("./due-loop.ts");
    const loaded = await Promise.all(handlers.map((handler) => handler()));
    if (isHalted) return;
    loop = createDueLoop({ open: async () => (await store()).dueWork(), handlers: loaded, onTrouble: tell });
    loop.start();
  }

  return {
    start(handlers: readonly (() => Promise<DueHandler>)[]): void {
      loading ??= load(handlers).catch(tell);
    },
    wake: (): void => loop?.wake(),
    /** What this plane knows has changed. */
    changed: (): void => loop?.changed(),
    isRunning: (): boolean => loading !== null && !isHalted,
    /** Nothing more is begun. */
    async halt(): Promise<void> {
      isHalted = true;
      await loading;
      await loop?.halt();
    },
    /** The same, and what was begun is over or given back. */
    async stop(): Promise<void> {
      isHalted = true;
      await loading;
      await loop?.stop();
    },
  };
}

/** A store that is away has been told of already, and comes back. */
function tell(thrown: unknown): void {
  if (thrown instanceof PlaneError && thrown.data.lost === true) return;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  process.emitWarning(`Jobs and failed calls are not begun: ${reason}`);
}
