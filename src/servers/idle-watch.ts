import { maxTimerMs } from "../lib/pause.ts";

export type IdleWatch = { used(): void; stop(): void };

/** Tells when nothing was used for so long; 0 is never. Costs nothing while it is used. */
export function createIdleWatch(limitMs: number, onIdle: () => void): IdleWatch {
  let usedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const arm = (ms: number) => {
    timer = setTimeout(check, Math.min(ms, maxTimerMs));
    timer.unref();
  };
  const check = () => {
    const left = usedAt + limitMs - Date.now();
    timer = undefined;
    if (left > 0) arm(left);
    else onIdle();
  };
  return {
    used() {
      usedAt = Date.now();
      if (timer === undefined && limitMs > 0) arm(limitMs);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
