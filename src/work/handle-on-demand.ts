import type { DueHandler } from "../model/store.ts";

const dayMs = 24 * 3_600_000;

type OnDemand = Pick<DueHandler, "kind" | "lookMs"> & {
  /** Kept, and tells whether it was loaded. */
  load: (() => Promise<{ handler: DueHandler }>) & { made(): boolean };
  /** How many items may be taken before it is loaded; the first one loads it. */
  room: number;
  /** Asked at every look: is there work that the handler makes or begins? */
  mayHaveWork(): Promise<boolean>;
  /** Asked once a day: are there records that it has to look after? */
  hasRecords(): Promise<boolean>;
};

/** A handler whose code is loaded when there may be something for it to do. */
export function handleOnDemand({
  kind,
  lookMs,
  load,
  room,
  mayHaveWork,
  hasRecords,
}: OnDemand): DueHandler {
  let loaded: DueHandler | null = null;
  let nextCheckAt = Number.NEGATIVE_INFINITY;
  const get = async () => {
    loaded ??= (await load()).handler;
    return loaded;
  };

  async function isNeeded(now: number): Promise<boolean> {
    if (load.made() || (await mayHaveWork())) return true;
    if (now < nextCheckAt) return false;
    const hasWork = await hasRecords();
    nextCheckAt = now + dayMs;
    return hasWork;
  }

  return {
    kind,
    lookMs,
    room: () => loaded?.room() ?? room,
    async onLook(now, hasJumpedBack) {
      if (await isNeeded(now)) await (await get()).onLook(now, hasJumpedBack);
    },
    begin: async (item) => (await get()).begin(item),
  };
}
