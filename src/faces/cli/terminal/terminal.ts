import asyncHooks from "node:async_hooks";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";

type Input = Readable &
  Partial<Pick<NodeJS.ReadStream, "isRaw" | "setRawMode">> & { isTTY?: boolean };
type Output = Writable & { isTTY?: boolean; columns?: number };

/** All that the command line knows of the process it runs in. */
export type Terminal = {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Where the signals of the process arrive. */
  readonly signals: Pick<NodeJS.Process, "on" | "off">;
  directory(): string;
  /** Ends at once, without cleaning up. */
  exit(code: number): never;
};

/** Each stream is asked for when it is used: a process opens it with the first look. */
const processTerminal: Terminal = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  get env() {
    return process.env;
  },
  signals: process,
  directory: () => process.cwd(),
  exit: (code) => process.exit(code),
};

const running = new asyncHooks.AsyncLocalStorage<Terminal>();

export const currentTerminal = (): Terminal => running.getStore() ?? processTerminal;

/** Runs a command with a terminal of its own; several can run in one process. */
export function inTerminal<T>(ownTerminal: Terminal | undefined, run: () => T): T {
  if (ownTerminal === undefined) return run();
  return running.run(ownTerminal, run);
}

/** Always that of the command that asks. */
export const terminal: Terminal = new Proxy(processTerminal, {
  get: (_, part) => Reflect.get(currentTerminal(), part),
});

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

const guarded = new WeakSet<object>();

/** What is written to a stream whose reader has gone is dropped, and ends nothing. */
export function dropBrokenWrites(): void {
  for (const stream of [terminal.stdout, terminal.stderr]) {
    if (guarded.has(stream)) continue;
    guarded.add(stream);
    stream.on("error", () => undefined);
  }
}

/**
 * The first signal asks to end, with an `Interrupted` as the reason; a second one does not wait any longer. What serves
 * others outlives the terminal it was started in, and the reader of its output.
 */
export function untilInterrupted({ servesOthers = false } = {}): Interruption {
  dropBrokenWrites();
  const hangup = hangupIn(servesOthers);
  const endingSignals = signals.filter((signal) => signal !== hangup);
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal);
    if (controller.signal.aborted) terminal.exit(interrupted.exitCode);
    controller.abort(interrupted);
  };
  // The reader of the output has read enough.
  const onBrokenPipe = () => void (servesOthers || controller.abort(new Interrupted("SIGPIPE")));
  terminal.stdout.on("error", onBrokenPipe);
  for (const signal of endingSignals) terminal.signals.on(signal, onSignal);
  if (hangup) terminal.signals.on(hangup, stayAlive);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      terminal.stdout.off("error", onBrokenPipe);
      for (const signal of endingSignals) terminal.signals.off(signal, onSignal);
      if (hangup) terminal.signals.off(hangup, stayAlive);
    },
  };
}

/** A signal that is listened to does not end the process. */
const stayAlive = () => undefined;

/** Windows ends a process whose console is closed, so it ends in order there. */
function hangupIn(servesOthers: boolean): "SIGHUP" | null {
  return servesOthers && process.platform !== "win32" ? "SIGHUP" : null;
}

/** SIGHUP is sent when the terminal closes, and by people who changed the configuration of a server. */
export function onHangup(act: () => void): Disposable {
  const hangup = hangupIn(true);
  if (hangup) terminal.signals.on(hangup, act);
  return { [Symbol.dispose]: () => void (hangup && terminal.signals.off(hangup, act)) };
}
