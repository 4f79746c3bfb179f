import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { scaledMs } from "../../fixtures/patience.ts";

const everyMs = 50;

export type HealthWatch = AsyncDisposable & {
  /** A plane that stands still does so while it works, a full machine makes everything slow: only the first is an error. */
  assertAwake(limitMs: number): void;
};

/** Asks for the health again and again; the longest wait for a good answer is how long the plane stood still. */
export function watchHealth(url: string): HealthWatch {
  const startedAt = performance.now();
  let longest = 0;
  let running = true;
  const loop = (async () => {
    while (running) {
      const askedAt = performance.now();
      const { ok } = await fetch(`${url}/healthz`).catch(() => ({ ok: false }));
      if (ok) longest = Math.max(longest, performance.now() - askedAt);
      else longest = Number.POSITIVE_INFINITY;
      await delay(everyMs);
    }
  })();
  return {
    assertAwake(limitMs) {
      const maxMs = Math.max(scaledMs(limitMs), (performance.now() - startedAt) / 2);
      assert.ok(longest < maxMs, `stood still for ${longest} ms`);
    },
    async [Symbol.asyncDispose]() {
      running = false;
      await loop;
    },
  };
}

export function residentMegabytes(pid: number | undefined): number {
  const [, kilobytes = "0"] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

export function openSockets(pid: number | undefined): number {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).filter((entry) => {
    try {
      return readlinkSync(join(directory, entry)).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}

/** The files under a directory that hold a text, in whatever format. */
export function filesWith(directory: string, text: string): string[] {
  return globSync("**/*", { cwd: directory })
    .map((file) => join(directory, file))
    .filter((file) => statSync(file).isFile() && readFileSync(file).includes(text));
}
