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

type InOrderOptions = {
  /** So many at a time. */
  parallel: number;
  /** How many results may wait for an earlier one; four times as many as are worked on when left out. */
  ahead?: number;
  signal?: AbortSignal;
};

/**
 * Works on several at a time and gives the results in the order of the items. Items are taken when there is room for
 * them. Whoever stops listening stops what is under way; the first failure ends it all.
 */
export async function* inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  { parallel, ahead = parallel * 4, signal }: InOrderOptions,
  work: (item: T, index: number, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const stopped = new AbortController();
  const either = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
  const gate = createGate(parallel, Number.POSITIVE_INFINITY);
  const begun: Promise<R>[] = [];
  const begin = async (item: T, index: number): Promise<R> => {
    await gate.enter(either);
    try {
      return await work(item, index, either);
    } finally {
      gate.leave();
    }
  };
  try {
    let index = 0;
    for await (const item of items) {
      either.throwIfAborted();
      const result = begin(item, index);
      // Whoever waits for an earlier one hears of this later.
      result.catch(() => undefined);
      begun.push(result);
      index += 1;
      if (begun.length >= ahead) yield await (begun.shift() as Promise<R>);
    }
    for (let next = begun.shift(); next !== undefined; next = begun.shift()) yield await next;
  } finally {
    stopped.abort(new Error("nobody listens any more"));
  }
}
