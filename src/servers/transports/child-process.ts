import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, resolve, win32 } from "node:path";
import { pause } from "../../lib/async/pause.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";

/** After stdin was closed, after SIGTERM, after SIGKILL. */
const afterStdinMs = 1_000;
const afterTerminateMs = 2_000;
const afterKillMs = 1_000;
const pollMs = 20;

/** Closes stdin, terminates, then kills the whole group: no wrapper leaves its server behind. */
export async function stopProcessGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  child.stdin?.destroy();
  if (!(await goneWithin(child, afterStdinMs))) {
    // Windows has no signals and no groups, but knows who started whom.
    if (process.platform === "win32") endTree(child.pid);
    else signalGroup(child, "SIGTERM");
    if (!(await goneWithin(child, afterTerminateMs))) {
      signalGroup(child, "SIGKILL");
      await exitWithin(child, afterKillMs);
    }
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
}

async function goneWithin(child: ChildProcess, limitMs: number): Promise<boolean> {
  const until = steadyNow() + limitMs;
  await exitWithin(child, limitMs);
  while (groupAlive(child)) {
    if (steadyNow() >= until) return false;
    await pause(pollMs);
  }
  return true;
}

async function exitWithin(child: ChildProcess, limitMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  child.once("exit", leave);
  await pause(limitMs, gone);
  child.off("exit", leave);
}

/** A zombie can be signalled, but is not alive. */
function groupAlive(child: ChildProcess): boolean {
  return signalGroup(child, 0) && (process.platform !== "linux" || hasRunning(child.pid));
}

function hasRunning(group: number | undefined): boolean {
  return readdirSync("/proc").some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      // The name in parentheses may hold anything.
      const [state, , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(itsGroup) === group && state !== "Z" && state !== "X";
    } catch {
      return false;
    }
  });
}

function endTree(pid: number): void {
  spawn("taskkill", taskkillArguments(pid), { stdio: "ignore", windowsHide: true })
    .on("error", () => undefined)
    .unref();
}

/** False when no process is left. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  const target = process.platform === "win32" ? child.pid : -child.pid;
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

type CommandSearch = {
  path: string | undefined;
  pathExt: string | undefined;
  cwd: string;
  exists(file: string): boolean;
};

/** `verbatim`: the arguments are quoted already. */
export type Launch = { file: string; args: string[]; verbatim: boolean };

const defaultPathExt = ".COM;.EXE;.BAT;.CMD";
/** PATHEXT may name scripts that only a shell can open. */
const runnable = new Set([".com", ".exe", ".bat", ".cmd"]);

/** `npx` is `npx.cmd` beside the Unix script `npx`. Null when there is nothing. */
export function findWindowsCommand(command: string, search: CommandSearch): string | null {
  const { path = "", pathExt = defaultPathExt, cwd, exists } = search;
  const extensions = pathExt.split(";").map((extension) => extension.trim().toLowerCase());
  const endings = extensions.filter((extension) => runnable.has(extension));
  if (endings.includes(win32.extname(command).toLowerCase())) endings.unshift("");
  const isPath = /[\\/]/.test(command) || /^[a-z]:/i.test(command);
  const directories = path
    .split(";")
    .map((directory) => directory.trim().replace(/^"(.*)"$/, "$1"));
  const searched = directories
    .filter((directory) => directory !== "")
    .map((directory) => win32.resolve(cwd, directory, command));
  const candidates = isPath ? [win32.resolve(cwd, command)] : searched;
  const files = candidates.flatMap((candidate) => endings.map((ending) => candidate + ending));
  return files.find(exists) ?? null;
}

/** Batch files only run inside cmd.exe, which reads the line once more. */
export function windowsLaunch(file: string, args: readonly string[], comSpec = "cmd.exe"): Launch {
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args: [...args], verbatim: false };
  const line = [file, ...args].map(quoteForCmd).join(" ");
  // /d: no AutoRun, /v:off: no `!NAME!`, /s: only the outer quotes are removed.
  return {
    file: comSpec,
    args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`],
    verbatim: true,
  };
}

export function quoteForCmd(argument: string): string {
  if (/[\r\n\0]/.test(argument))
    throw new Error(
      "an argument has a line break, which cmd.exe cannot pass on. Take it out of 'args'",
    );
  const quoted = argument
    // Before a quote, programs read two backslashes as one. A doubled quote keeps cmd.exe inside the quotes.
    .replaceAll(/(?<!\\)(\\*)"/g, '$1$1""')
    .replace(/(?<!\\)(\\+)$/, "$1$1")
    // Between quotes only `%` matters to cmd.exe; what follows it here expands to nothing.
    .replaceAll("%", "%%cd:~,%");
  return `"${quoted}"`;
}

export function taskkillArguments(pid: number): string[] {
  return ["/PID", String(pid), "/T", "/F"];
}

export function startFailure(
  error: NodeJS.ErrnoException,
  { command, cwd }: { command: string; cwd: string | undefined },
): string {
  if (cwd !== undefined && !isDirectory(cwd))
    return `directory '${cwd}' ${existsSync(cwd) ? "is not a directory" : "does not exist"}. Check 'cwd'`;
  // Without a slash it was looked for in PATH.
  const path = /[\\/]/.test(command) ? resolve(cwd ?? ".", command) : undefined;
  const isInside = path !== undefined && cwd !== undefined && !isAbsolute(command);
  const where = isInside ? ` in directory '${cwd}'` : "";
  if (path !== undefined && isDirectory(path))
    return `command '${command}' is a directory${where}. Set 'command' to a program in it`;
  if (path !== undefined && existsSync(path)) return unusableFile(error, command, path);
  if (error.code === "ENOENT")
    return `command '${command}' was not found${where}. Check 'command'${isInside ? " and 'cwd'" : ""} and PATH`;
  if (error.code === "EACCES")
    return `command '${command}' is not executable${where}. Check its permissions`;
  return `command '${command}' could not be started${where}: ${error.message}`;
}

function unusableFile(error: NodeJS.ErrnoException, command: string, path: string): string {
  if (!isExecutable(path))
    return `command '${command}' is not executable. Check its permissions (chmod +x), or set 'command' to the program that runs it`;
  if (error.code === "ENOENT")
    return `the program in the first line (#!) of command '${command}' was not found. Correct that line`;
  if (error.code === "ENOEXEC")
    return `command '${command}' is not a program. Give it a first line that names one (#!), or set 'command' to the program that runs it`;
  return `command '${command}' could not be started: ${error.message}`;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
