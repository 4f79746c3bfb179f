import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type Interruption = Disposable & {
  signal: AbortSignal;
  /** What the process should exit with when it was interrupted, else undefined. */
  exitCode(): number | undefined;
};

/** The first signal asks to end; a second one does not wait any longer. */
export function untilInterrupted(): Interruption {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (received) process.exit(128 + constants.signals[signal]);
    received = signal;
    controller.abort(new Error(`interrupted by ${signal}`));
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    exitCode: () => (received ? 128 + constants.signals[received] : undefined),
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
