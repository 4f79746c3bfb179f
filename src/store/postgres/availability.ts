import type { StoreTrouble } from "../../model/store.ts";
import { isSilence, reasonOf } from "./store-failure.ts";

const firstWaitMs = 50;
const maxWaitMs = 5_000;

type Listener = (trouble: StoreTrouble | null) => void;

/**
 * Whether the server can be reached. One connection that breaks says little, so it is asked at once; when it does not
 * answer it is away, and asked again and again until it is back. `onSilence` is told where it says neither yes nor no.
 */
export function createAvailability(ask: () => Promise<void>, onSilence: () => void) {
  const listeners = new Set<Listener>();
  let trouble: StoreTrouble | null = null;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | null = null;
  let isStopped = false;

  function become(next: StoreTrouble | null): void {
    trouble = next;
    for (const listener of listeners) listener(next);
  }

  function askAgain(waitMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      ask().then(
        () => void (isStopped || become(null)),
        () => askAgain(Math.min(waitMs * 2, maxWaitMs)),
      );
    }, waitMs).unref();
  }

  return {
    trouble: () => trouble,
    lost(reason: string): void {
      if (trouble !== null || checking !== null || isStopped) return;
      const since = new Date().toISOString();
      checking = ask()
        // What breaks connections may break this one, too. Who says nothing at all says it no sooner the second time.
        .catch((thrown) => (isSilence(thrown) ? Promise.reject(thrown) : ask()))
        .catch((thrown) => {
          if (isSilence(thrown)) onSilence();
          if (isStopped) return;
          become({ since, reason: [...new Set([reason, reasonOf(thrown)])].join("; ") });
          askAgain(firstWaitMs);
        })
        .finally(() => {
          checking = null;
        });
    },
    /** Whoever asks while nobody knows waits until it is known; null when it is. */
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
