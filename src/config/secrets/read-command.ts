import { type ExecFileException, execFile } from "node:child_process";
import type { SecretAnswer } from "./secret-answer.ts";
import { splitCommand } from "./split-command.ts";

const maxOutputBytes = 1024 * 1024;

/** The first line a program prints. It is started by itself; no shell reads the command. */
export async function readCommand(
  command: string,
  directory: string,
  limitMs = 10_000,
): Promise<SecretAnswer> {
  const words = splitCommand(command);
  if (words === null) return { why: "a quote is not closed", remedy: "Close it." };
  const [program, ...programArguments] = words;
  if (!program) return { why: "no program is named", remedy: `Write it as \${command:program argument …}.` };
  const options = {
    cwd: directory,
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: maxOutputBytes,
    windowsHide: true,
  } as const;
  return new Promise((resolve) => {
    const child = execFile(program, programArguments, options, (error, output) => {
      if (error) resolve(explain(error, program, limitMs));
      else resolve(firstLine(output));
    });
    // A program that asks a question gets no answer, and says so instead of waiting for one.
    child.stdin?.end();
  });
}

function firstLine(output: string): SecretAnswer {
  const [secret = ""] = output.split(/\r?\n/, 1);
  if (secret !== "") return { secret };
  return { why: "its first line is empty", remedy: "Let it print the secret on the first line." };
}

/** What the program printed is left out: it may be the secret. */
function explain(error: ExecFileException, program: string, limitMs: number): SecretAnswer {
  const { code, signal } = error;
  if (code === "ENOENT") {
    return { why: `there is no program '${program}'`, remedy: "Install it or give its full path." };
  }
  if (code === "EACCES") return { why: `'${program}' may not be run`, remedy: "Make it executable." };
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
    return { why: "it prints more than 1 MiB", remedy: "Let it print the secret alone." };
  }
  const remedy = "Run it yourself to see why.";
  if (error.killed) return { why: `it took longer than ${limitMs / 1000} seconds`, remedy };
  return { why: signal ? `it was ended by ${signal}` : `it failed with ${code}`, remedy };
}
