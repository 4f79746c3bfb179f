import { constants } from "node:os";
import { terminal } from "../terminal.ts";

/** Ctrl-C cancels what runs; when nothing runs, or it was cancelled already, it ends. Other signals end at once. */
export function createInterrupts() {
  const ended = new AbortController();
  let running: AbortController | null = null;
  let wasWarned = false;
  let exitCode: number | undefined;

  const endBy = (signal: NodeJS.Signals) => {
    exitCode = 128 + constants.signals[signal];
    running?.abort(new Error(`interrupted by ${signal}`));
    ended.abort();
  };
  const onInterrupt = () => {
    if (running && !running.signal.aborted) running.abort(new Error("cancelled"));
    else endBy("SIGINT");
  };
  const ending = ["SIGTERM", "SIGHUP"] as const;
  terminal.signals.on("SIGINT", onInterrupt);
  for (const signal of ending) terminal.signals.on(signal, endBy);

  return {
    ended: ended.signal,
    /** What runs now, or would. */
    running: () => running?.signal ?? ended.signal,
    exitCode: () => exitCode,
    end: () => ended.abort(),
    /** From the keyboard: what was typed is given up first, and an empty line ends only at the second time. */
    interrupt(isEmpty: boolean): void {
      if (running) return onInterrupt();
      if (isEmpty && wasWarned) return ended.abort();
      wasWarned = isEmpty;
      if (isEmpty) terminal.stderr.write("\n(Ctrl-C once more ends; so do Ctrl-D and /quit)\n");
    },
    async run<T>(work: () => Promise<T>): Promise<T> {
      running = new AbortController();
      wasWarned = false;
      try {
        return await work();
      } finally {
        running = null;
      }
    },
    [Symbol.dispose](): void {
      terminal.signals.off("SIGINT", onInterrupt);
      for (const signal of ending) terminal.signals.off(signal, endBy);
    },
  };
}
