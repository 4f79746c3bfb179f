import { type ChildProcess, spawn } from "node:child_process";

const maxOutputBytes = 1024 * 1024;

export type CommandOptions = {
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** Ends it, with everything that it started. */
  signal: AbortSignal;
};

/** How a command ended, or why it counts for nothing. `detail` is for whoever manages the plane. */
export type CommandEnd = { code: number; stdout: string; stderr: string } | { failed: string; detail?: string };

/** Runs a program in a process group of its own. What it leaves running is ended with it. */
export function runCommand(
  [program = "", ...args]: readonly string[],
  input: string,
  { directory, environment, signal }: CommandOptions,
): Promise<CommandEnd> {
  const givenUp = { failed: "it was ended before it answered" };
  if (signal.aborted) return Promise.resolve(givenUp);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: environment,
      detached: process.platform !== "win32",
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let bytes = 0;
    const end = (how: CommandEnd) => {
      signal.removeEventListener("abort", giveUp);
      if (child.exitCode === null && child.signalCode === null) killGroup(child);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(how);
    };
    const giveUp = () => end(givenUp);
    signal.addEventListener("abort", giveUp, { once: true });
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxOutputBytes) end({ failed: "it wrote more than 1 MiB" });
        else output[stream].push(chunk);
      });
    }
    child.once("error", ({ message }) => end({ failed: "it could not be started", detail: message }));
    child.once("exit", () => killGroup(child));
    child.once("close", (code, killedBy) => {
      const [stdout, stderr] = [textOf(output.stdout), textOf(output.stderr)];
      end(code === null ? { failed: `it was ended by ${killedBy}`, detail: stderr } : { code, stdout, stderr });
    });
    // A hook need not read what it is told.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // There is nobody left.
  }
}
