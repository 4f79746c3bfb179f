import asyncHooks from "node:async_hooks";
import type { Readable, Writable } from "node:stream";

type Input = Readable & Partial<Pick<NodeJS.ReadStream, "isRaw" | "setRawMode">> & { isTTY?: boolean };
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
export function inTerminal<T>(own: Terminal | undefined, run: () => T): T {
  return own === undefined ? run() : running.run(own, run);
}

/** Always that of the command that asks. */
export const terminal: Terminal = new Proxy(processTerminal, {
  get: (_, part) => Reflect.get(currentTerminal(), part),
});
