import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createGate } from "../../lib/gate.ts";
import type { Store } from "../../model/store.ts";
import { TransportError } from "../../protocol/message.ts";
import type { Lock } from "./lock.ts";

const waitMs = 45_000;
const pauseMs = 100;
/** Whoever holds a lock holds a connection, and needs another for what is done meanwhile. */
const most = 3;

/** The same lock on all machines whose planes use one store. */
export function createStoreLock(here: Lock, store: () => Promise<Pick<Store, "alone">>): Lock {
  const gate = createGate(most, Number.POSITIVE_INFINITY);
  return (name, work) =>
    here(name, async () => {
      await gate.enter();
      try {
        return await holding((await store()).alone, taskOf(name), work);
      } finally {
        gate.leave();
      }
    });
}

async function holding<T>(alone: Store["alone"], task: string, work: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + waitMs;
  // What goes wrong with the work is not the store's failure, nor the other way round.
  let ended: { value: T } | { thrown: unknown } | undefined;
  const run = async () => {
    ended = await work().then(
      (value) => ({ value }),
      (thrown: unknown) => ({ thrown }),
    );
  };
  for (;;) {
    await alone(task, run).catch((thrown) => {
      if (ended === undefined) throw thrown;
    });
    if (ended && "value" in ended) return ended.value;
    if (ended) throw ended.thrown;
    if (Date.now() > giveUpAt)
      throw new TransportError("another plane has been signing in for too long. Try again", { sent: false });
    await pause(pauseMs);
  }
}

function taskOf(name: string): string {
  return `auth ${createHash("sha256").update(name).digest("hex").slice(0, 24)}`;
}
