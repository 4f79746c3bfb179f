import type { StoreTrouble } from "../../model/store.ts";
import { isSilence, reasonOf } from "./store-failure.ts";

const firstWaitMs = 50;
const maxWaitMs = 5_000;

export type Availability = ReturnType<typeof createAvailability>;

type Listener = (trouble: StoreTrouble | null) => void;

/**
 * Whether the server can be reached. A broken connection proves little, so the server is pinged at once, and with
 * exponential backoff until it is back. `onSilence` is called when it does not answer at all.
 */
export function createAvailability(ping: () => Promise<void>, onSilence: () => void) {
  const listeners = new Set<Listener>();
  let trouble: StoreTrouble | null = null;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | null = null;
  let isStopped = false;

  function become(next: StoreTrouble | null): void {
    trouble = next;
    for (const listener of listeners) listener(next);
  }

  function pingAfter(waitMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      ping().then(
        () => void (isStopped || become(null)),
        () => pingAfter(Math.min(waitMs * 2, maxWaitMs)),
      );
    }, waitMs).unref();
  }

  return {
    trouble: () => trouble,
    lost(reason: string): void {
      if (trouble !== null || checking !== null || isStopped) return;
      const since = new Date().toISOString();
      checking = ping()
        // This connection may have broken, too; a second try after silence would only take as long again.
        .catch((thrown) => (isSilence(thrown) ? Promise.reject(thrown) : ping()))
        .catch((thrown) => {
          if (isSilence(thrown)) onSilence();
          if (isStopped) return;
          become({ since, reason: [...new Set([reason, reasonOf(thrown)])].join("; ") });
          pingAfter(firstWaitMs);
        })
        .finally(() => {
          checking = null;
        });
    },
    /** Settles when the state is known; null when it is known now. */
    checking: () => checking,
    onChanged(listener: Listener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
