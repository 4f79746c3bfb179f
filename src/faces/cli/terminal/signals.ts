import { constants } from "node:os";
import { terminal } from "./terminal.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A command was ended by a signal and has cleaned up; nothing more is to be said. */
export class Interrupted extends Error {
  readonly exitCode: number;
  /** Asked for by the process supervisor. */
  readonly isTermination: boolean;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
    this.isTermination = signal === "SIGTERM";
  }
}

export type Interruption = Disposable & { signal: AbortSignal };

/** The first signal asks to end, with an `Interrupted` as the reason; a second one does not wait any longer. */
export function untilInterrupted(): Interruption {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal);
    if (controller.signal.aborted) terminal.exit(interrupted.exitCode);
    controller.abort(interrupted);
  };
  // The reader of the output has read enough.
  const onBrokenPipe = () => void controller.abort(new Interrupted("SIGPIPE"));
  terminal.stdout.on("error", onBrokenPipe);
  for (const signal of signals) terminal.signals.on(signal, onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      terminal.stdout.off("error", onBrokenPipe);
      for (const signal of signals) terminal.signals.off(signal, onSignal);
    },
  };
}
