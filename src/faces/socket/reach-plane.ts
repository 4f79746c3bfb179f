import { utimesSync } from "node:fs";
import { pause } from "../../lib/async/pause.ts";
import { tryLock } from "../../lib/lock-file.ts";
import type { Attached, AttachResult } from "./attachment.ts";
import { claimDirectories, type PlanePlace } from "./plane-place.ts";

/** A client that starts a plane says so this often; one that has not within this time was killed. */
const lockStaleMs = 2_500;
const lockTouchMs = 500;
/** How long to wait for a plane. */
const startLimitMs = 30_000;
const pollMs = 10;

/** A background plane that was started: its exit code once it has ended. */
export type StartedPlane = { exitCode(): number | null };

export type Reach = {
  place: PlanePlace;
  attach(): Promise<AttachResult>;
  /** Starts a plane in the background; null where this client must not. */
  start: (() => Promise<StartedPlane>) | null;
  /** Another plane is about to serve here; only one that has not come by then is replaced. */
  graceMs?: number;
  signal: AbortSignal;
};

export type Reached =
  | ({ kind: "attached" } & Attached)
  | { kind: "failed"; why: string; isUsage: boolean };

/**
 * Attaches to the plane of this place and starts one where none serves. Of clients that do so at the same moment one
 * starts it, and the others wait for that one.
 */
export async function reachPlane({
  place,
  attach,
  start,
  graceMs = 0,
  signal,
}: Reach): Promise<Reached> {
  const begunAt = Date.now();
  let release: (() => void) | null = null;
  let started: StartedPlane | undefined;
  let touchedAt = begunAt;
  const failed = (why: string): Reached => ({ kind: "failed", why, isUsage: false });
  try {
    for (;;) {
      const attempt = await attach();
      if (attempt.kind === "attached") return attempt;
      if (attempt.kind === "refused")
        return { kind: "failed", why: attempt.why, isUsage: attempt.isUsage };
      if (signal.aborted) return failed("this client is leaving");
      const waitedMs = Date.now() - begunAt;
      if (start === null && waitedMs >= graceMs)
        return failed("no plane serves this configuration");
      if (waitedMs > startLimitMs)
        return failed(
          `no plane could be attached to within ${startLimitMs / 1000} s; see ${place.log}`,
        );
      if (started !== undefined) {
        const code = started.exitCode();
        // One that found another in its place leaves without a complaint.
        if (code !== null && code !== 0)
          return failed(`the background plane ended with code ${code}; see ${place.log}`);
        if (code === 0) started = undefined;
      } else if (start !== null && waitedMs >= graceMs) {
        const wrong = claimDirectories(place);
        if (wrong !== null) return failed(wrong);
        release ??= tryLock(place.starting, lockStaleMs);
        // What served when the lock was free may have come meanwhile, which the next attempt shows.
        if (release !== null) started = await start();
      }
      if (release !== null && Date.now() - touchedAt > lockTouchMs) {
        touchedAt = Date.now();
        touch(place.starting);
      }
      await pause(pollMs, { signal });
    }
  } catch (thrown) {
    return failed((thrown as Error).message);
  } finally {
    release?.();
  }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Another client took it for dead; the planes settle it between them.
  }
}
