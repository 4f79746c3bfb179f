export type Log = (level: string, text: string) => void;
type Act = (...values: unknown[]) => unknown;
type Sleep = (kind: "sleep", ms: number) => Promise<unknown>;

/** Timers of a program. */
export function createTimers(ask: Sleep, log: Log) {
  const { Set, Number, Promise, TypeError } = globalThis;
  const timers = new Set<number>();
  let last = 0;

  function run(act: Act, values: readonly unknown[]): void {
    try {
      act(...values);
    } catch (error) {
      log("error", `A timer failed: ${error}`);
    }
  }

  function begin(act: Act): number {
    if (typeof act !== "function") throw new TypeError("A timer takes a function");
    last += 1;
    timers.add(last);
    return last;
  }

  function clear(id: number): void {
    timers.delete(id);
  }

  function setTimeout(act: Act, ms: unknown = 0, ...values: unknown[]): number {
    const id = begin(act);
    ask("sleep", Number(ms) || 0).then(() => {
      if (timers.delete(id)) run(act, values);
    });
    return id;
  }

  function setInterval(act: Act, ms: unknown = 0, ...values: unknown[]): number {
    const id = begin(act);
    const wait = (): unknown =>
      ask("sleep", Number(ms) || 1).then(() => {
        if (!timers.has(id)) return;
        run(act, values);
        wait();
      });
    wait();
    return id;
  }

  function queueMicrotask(act: Act): void {
    if (typeof act !== "function") throw new TypeError("A timer takes a function");
    Promise.resolve().then(() => run(act, []));
  }

  return { setTimeout, setInterval, clearTimeout: clear, clearInterval: clear, queueMicrotask };
}
