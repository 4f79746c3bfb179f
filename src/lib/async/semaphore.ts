import { eitherSignal } from "./signals.ts";

export type Semaphore = ReturnType<typeof createSemaphore>;

export class SemaphoreFull extends Error {
  override readonly name = "SemaphoreFull";
}

/** A concurrency limit; a bounded queue waits in order. */
export function createSemaphore(permits: number, maxWaiting: number) {
  const queue = new Set<() => void>();
  let active = 0;

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener("abort", giveUp);
        active += 1;
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
    /** Undefined when there is a permit; rejects on abort, throws when the queue is full. */
    acquire(signal?: AbortSignal): Promise<void> | undefined {
      if (active >= permits) {
        if (signal?.aborted) return Promise.reject(signal.reason);
        if (queue.size >= maxWaiting) throw new SemaphoreFull();
        return wait(signal);
      }
      active += 1;
      return undefined;
    },
    /** False where it would have to wait. */
    tryAcquire(): boolean {
      if (active >= permits) return false;
      active += 1;
      return true;
    },
    release(): void {
      active -= 1;
      if (queue.size === 0) return;
      const [next] = queue;
      if (next === undefined) return;
      queue.delete(next);
      next();
    },
    active: () => active,
    waiting: () => queue.size,
  };
}

type InOrderOptions = {
  parallel: number;
  /** How many results may wait for an earlier one. Default: 4 × `parallel`. */
  ahead?: number;
  signal?: AbortSignal;
};

/** Works in parallel and yields results in order. The end of the iteration and the first failure abort the rest. */
export async function* inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  { parallel, ahead = parallel * 4, signal }: InOrderOptions,
  work: (item: T, index: number, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const stopped = new AbortController();
  const workSignal = eitherSignal(signal, stopped.signal);
  const semaphore = createSemaphore(parallel, Number.POSITIVE_INFINITY);
  const begun: Promise<R>[] = [];
  const begin = async (item: T, index: number): Promise<R> => {
    await semaphore.acquire(workSignal);
    try {
      return await work(item, index, workSignal);
    } finally {
      semaphore.release();
    }
  };
  try {
    let index = 0;
    for await (const item of items) {
      workSignal.throwIfAborted();
      const result = begin(item, index++);
      // Reported later, to the consumer of an earlier result.
      result.catch(() => undefined);
      begun.push(result);
      if (begun.length >= ahead) yield await (begun.shift() as Promise<R>);
    }
    for (let next = begun.shift(); next !== undefined; next = begun.shift()) yield await next;
  } finally {
    stopped.abort(new Error("the iteration ended"));
  }
}
