import { createHash } from "node:crypto";
import { mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { tryLock } from "../../lib/lock-file.ts";
import { TransportError } from "../../protocol/message.ts";

const waitMs = 45_000;
const pauseMs = 25;
const staleMs = 30_000;
const touchMs = 5_000;

export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** One at a time under each name, in this process and, where they share a directory, in all. */
export function createLock(directory: string | undefined): Lock {
  const last = new Map<string, Promise<unknown>>();

  return async (name, work) => {
    const before = last.get(name);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return directory === undefined ? work() : withFile(fileOf(directory, name), work);
    })();
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}

function fileOf(directory: string, name: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return join(directory, `auth-${createHash("sha256").update(name).digest("hex").slice(0, 24)}.lock`);
}

async function withFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  const release = await take(file);
  const touch = setInterval(() => stillAlive(file), touchMs);
  touch.unref();
  try {
    return await work();
  } finally {
    clearInterval(touch);
    release();
  }
}

async function take(file: string): Promise<() => void> {
  const giveUpAt = Date.now() + waitMs;
  for (;;) {
    const release = tryLock(file, staleMs);
    if (release) return release;
    if (Date.now() > giveUpAt) {
      const why = `another program has been signing in for too long. Try again, or remove ${file}`;
      throw new TransportError(why, { sent: false });
    }
    await pause(pauseMs);
  }
}

function stillAlive(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // Somebody took it away; the work ends soon enough.
  }
}
