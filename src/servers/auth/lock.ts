import { createHash } from "node:crypto";
import { mkdirSync, utimes } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createSemaphore } from "../../lib/async/semaphore.ts";
import { tryLock } from "../../lib/lock-file.ts";
import type { Store } from "../../model/store.ts";
import { TransportError } from "../../protocol/message.ts";

const waitMs = 45_000;
const filePauseMs = 25;
const storePauseMs = 100;
const staleMs = 30_000;
const touchMs = 5_000;
/** A holder keeps one connection of the store and needs another for its work. */
const maxHolders = 3;

export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** One at a time under each name, in all processes that share the directory. */
export function createLock(directory: string | undefined): Lock {
  const lastTurns = new Map<string, Promise<unknown>>();
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const run = () => (directory === undefined ? work() : withFile(directory, name, work));
    const ownTurn = (lastTurns.get(name) ?? Promise.resolve()).then(run, run).finally(() => {
      if (lastTurns.get(name) === ownTurn) lastTurns.delete(name);
    });
    lastTurns.set(name, ownTurn);
    return ownTurn;
  };
}

/** The same across machines on one store. */
export function createStoreLock(localLock: Lock, store: () => Promise<Pick<Store, "alone">>): Lock {
  const semaphore = createSemaphore(maxHolders, Number.POSITIVE_INFINITY);
  return (name, work) =>
    localLock(name, async () => {
      await semaphore.acquire();
      try {
        return await withStore((await store()).alone, `auth ${digest(name)}`, work);
      } finally {
        semaphore.release();
      }
    });
}

async function withFile<T>(directory: string, name: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `auth-${digest(name)}.lock`);
  const lateMessage = `another program has been signing in for too long. Try again, or remove ${file}`;
  const release = await retry(async () => tryLock(file, staleMs), filePauseMs, lateMessage);
  // Another process may remove it; the work ends soon.
  const touch = setInterval(
    () => utimes(file, new Date(), new Date(), () => undefined),
    touchMs,
  ).unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    release();
  }
}

async function withStore<T>(
  alone: Store["alone"],
  task: string,
  work: () => Promise<T>,
): Promise<T> {
  // A failure of the work is not one of the store, nor the other way round.
  let outcome: { value: T } | { thrown: unknown } | undefined;
  const attempt = async () => {
    await alone(task, async () => {
      outcome = await work().then(
        (value) => ({ value }),
        (thrown: unknown) => ({ thrown }),
      );
    }).catch((thrown) => {
      if (outcome === undefined) throw thrown;
    });
    return outcome;
  };
  const lateMessage = "another plane has been signing in for too long. Try again";
  const settled = await retry(attempt, storePauseMs, lateMessage);
  if ("value" in settled) return settled.value;
  throw settled.thrown;
}

async function retry<T>(
  attempt: () => Promise<T | null | undefined>,
  pauseMs: number,
  lateMessage: string,
): Promise<T> {
  const giveUpAt = Date.now() + waitMs;
  for (;;) {
    const outcome = await attempt();
    if (outcome) return outcome;
    if (Date.now() > giveUpAt) throw new TransportError(lateMessage, { sent: false });
    await pause(pauseMs);
  }
}

function digest(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 24);
}
