import { Cancellation, type CancelledBy } from "./cancellation.ts";
import { maxTimerMs } from "./pause.ts";
import { steadyNow } from "./steady-time.ts";
import type { Spoke, TimeWheel } from "./time-wheel.ts";

export type LimitOptions = {
  /** Progress extends the limit up to this, in all. */
  capMs: number;
  /** Cancels it, too. */
  caller?: CancelledBy;
  /** Has the time limits of many with few timers. */
  wheel?: TimeWheel<TimeLimiter> | undefined;
};

/** Is cancelled with the caller or at the limit. 0 is no limit. */
export class TimeLimiter extends Cancellation {
  readonly #limitMs: number;
  readonly #wheel: TimeWheel<TimeLimiter> | undefined;
  #spoke: Spoke<TimeLimiter> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isExpired = false;
  #isCleared = false;
  #paused = 0;
  #pausedAt = 0;
  #dueAt: number;
  #lastAt: number;

  constructor(limitMs: number, { capMs, caller, wheel }: LimitOptions) {
    super();
    this.#limitMs = limitMs;
    this.#wheel = wheel;
    const now = steadyNow();
    this.#dueAt = now + limitMs;
    this.#lastAt = now + capMs;
    this.follow(caller);
    if (wheel === undefined || capMs < limitMs) this.#arm();
    else if (limitMs > 0 && !this.isCancelled) this.#spoke = wheel.add(this, limitMs);
  }

  override cancel(reason: unknown): void {
    if (this.#isCleared) return;
    this.#disarm();
    super.cancel(reason);
  }

  #arm(): void {
    if (this.#limitMs === 0 || this.#isCleared || this.#paused > 0 || this.isCancelled) return;
    this.#disarm();
    const remainingMs = Math.min(this.#dueAt, this.#lastAt) - steadyNow();
    this.#timer = setTimeout(() => this.expire(), Math.min(maxTimerMs, Math.max(0, remainingMs)));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    if (this.#spoke) this.#wheel?.remove(this.#spoke);
    this.#spoke = undefined;
  }

  /** Did the limit, not the caller, end it? */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Infinite without a limit. */
  leftMs(): number {
    if (this.#limitMs === 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(this.#dueAt, this.#lastAt) - this.#now());
  }

  /** On its clock, which stands still while it is paused. */
  #now(): number {
    return this.#paused > 0 ? this.#pausedAt : steadyNow();
  }

  /** Restarts the limit, never beyond `capMs` in all. */
  extend(forMs = this.#limitMs): void {
    this.#dueAt = this.#now() + forMs;
    this.#arm();
  }

  expire(): void {
    if (this.isCancelled || this.#isCleared) return;
    this.#isExpired = true;
    this.cancel(new Error("time limit"));
  }

  /** Stops the clock until the returned function is called. */
  pause(): () => void {
    if (this.#paused === 0) this.#pausedAt = steadyNow();
    this.#paused += 1;
    this.#disarm();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#paused -= 1;
      if (this.#paused > 0) return;
      const stoodMs = steadyNow() - this.#pausedAt;
      this.#dueAt += stoodMs;
      this.#lastAt += stoodMs;
      this.#arm();
    };
  }

  clear(): void {
    this.#isCleared = true;
    this.#disarm();
    this.unfollow();
  }
}
