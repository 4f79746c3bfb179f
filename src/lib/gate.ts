/** Lets so many in at a time; the others wait in order, and no more wait than may. */
export type Gate = {
  /** Nothing to wait for when there is room; rejects when the signal ends the waiting, throws when the queue is full. */
  enter(signal?: AbortSignal): Promise<void> | undefined;
  leave(): void;
  inside(): number;
  waiting(): number;
};

export class GateFull extends Error {
  override readonly name = "GateFull";
}

export function createGate(room: number, queueLimit: number): Gate {
  const queue = new Set<() => void>();
  let inside = 0;

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener("abort", giveUp);
        inside += 1;
        resolve();
      };
      const giveUp = () => {
        queue.delete(enter);
        reject(signal?.reason);
      };
      queue.add(enter);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  return {
    enter(signal) {
      if (inside >= room) {
        if (signal?.aborted) return Promise.reject(signal.reason);
        if (queue.size >= queueLimit) throw new GateFull();
        return wait(signal);
      }
      inside += 1;
      return undefined;
    },
    leave() {
      inside -= 1;
      const [next] = queue;
      if (next === undefined) return;
      queue.delete(next);
      next();
    },
    inside: () => inside,
    waiting: () => queue.size,
  };
}
