import type { Clock, Random } from "./engine.ts";

export type Arrivals =
  /** Calls come at random times, whatever happens to those before. */
  | { kind: "open"; perSecond: number }
  /** So many agents at any time. Each opens a session, calls, thinks, calls again, and leaves; another comes in its place. */
  | { kind: "agents"; count: number; thinkMs: number; calls: number };

const nothing = () => undefined;

type Beginning = {
  arrivals: Arrivals;
  clock: Clock;
  random: Random;
  call(done: () => void): void;
  openSession(done: () => void): void;
};

/** Calls come from now on. */
export function begin({ arrivals, clock, random, call, openSession }: Beginning): void {
  if (arrivals.kind === "open") {
    const meanMs = 1_000 / arrivals.perSecond;
    const arrive = () => {
      call(nothing);
      clock.after(random.exponential(meanMs), arrive);
    };
    clock.after(random.exponential(meanMs), arrive);
    return;
  }
  const { count, thinkMs, calls } = arrivals;
  const think = () => (thinkMs === 0 ? 0 : random.exponential(thinkMs));
  const go = (left: number): void => {
    if (left === 0) return openSession(() => clock.after(think(), () => go(calls)));
    call(() => clock.after(think(), () => go(left - 1)));
  };
  // At the beginning each is somewhere in its stay.
  for (let at = 0; at < count; at += 1)
    clock.after(think(), () => go(Math.ceil(random.uniform() * Math.min(calls, 1e6))));
}
