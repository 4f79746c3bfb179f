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

/** The terminal of the command that runs; a process runs one at a time. */
export let terminal: Terminal = processTerminal;

export function useTerminal(other: Terminal | undefined): void {
  terminal = other ?? processTerminal;
}
