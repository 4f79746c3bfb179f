import { type ChildProcess, spawn } from "node:child_process";
import { createTextTail } from "../../lib/text-tail.ts";
import { createLineSplitter } from "../../protocol/line-splitter.ts";
import { type Channel, type ChannelHandlers, TransportError } from "../../protocol/message.ts";
import { stopProcessGroup } from "./process-group.ts";

const messageLimitBytes = 64 * 1024 * 1024;
const stderrTailCharacters = 2_000;
const lastWordsMs = 200;

/** What a child needs to run at all. Nothing else of our environment reaches it. */
const inheritedVariables = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "APPDATA",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

export type StdioOptions = {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
  parentEnvironment: Readonly<Record<string, string | undefined>>;
};

/** Starts the server as a child in a process group of its own and talks newline-delimited JSON with it. */
export async function openStdio(options: StdioOptions, handlers: ChannelHandlers): Promise<Channel> {
  const child = spawn(options.command, [...options.args], {
    cwd: options.cwd,
    env: childEnvironment(options),
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  await started(child, options);

  const stderr = createTextTail(stderrTailCharacters);
  let closed: TransportError | undefined;
  const close = (what: string) => {
    if (closed) return;
    const said = stderr.text();
    closed = new TransportError(said === "" ? what : `${what}; it last said: ${said}`, { sent: true });
    handlers.onClose(closed);
  };

  const takeLine = (line: string) => {
    const message = parseLine(line);
    if (message !== undefined) handlers.onMessage(message);
  };
  const split = createLineSplitter(messageLimitBytes, takeLine, () =>
    close("it sent a message above 64 MiB"),
  );
  child.stdout?.on("data", split);
  child.stderr?.on("data", (chunk: Buffer) => stderr.add(chunk.toString("utf8")));
  // A child that is ending closes its input first; how it ended says more.
  child.stdin?.on("error", () => setTimeout(close, lastWordsMs, "its standard input was closed").unref());
  child.on("close", (code, signal) =>
    close(signal ? `it was ended by ${signal}` : `it exited with code ${code}`),
  );

  return {
    pid: child.pid ?? null,
    send(message) {
      if (closed) throw new TransportError(closed.message, { sent: false });
      child.stdin?.write(`${JSON.stringify(message)}\n`);
    },
    useProtocolVersion() {},
    close: () => stopProcessGroup(child),
  };
}

function childEnvironment({ env, parentEnvironment }: StdioOptions): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of inheritedVariables) {
    const value = parentEnvironment[name];
    if (value !== undefined) inherited[name] = value;
  }
  return { ...inherited, ...env };
}

/** Lines that are no JSON are noise of the server, not messages. */
function parseLine(line: string): unknown {
  const text = line.trim();
  if (!text.startsWith("{") && !text.startsWith("[")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function started(child: ChildProcess, { command, cwd }: StdioOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(new TransportError(startFailure(error, command, cwd), { sent: false, cause: error }));
    });
  });
}

function startFailure(error: NodeJS.ErrnoException, command: string, cwd: string | undefined): string {
  const where = cwd === undefined ? "" : ` in directory '${cwd}'`;
  if (error.code === "ENOENT") {
    return `command '${command}' was not found${where}. Check 'command'${cwd ? " and 'cwd'" : ""} and PATH`;
  }
  if (error.code === "EACCES") return `command '${command}' is not executable${where}. Check its permissions`;
  return `command '${command}' could not be started${where}: ${error.message}`;
}
