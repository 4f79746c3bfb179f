import { win32 } from "node:path";

export type CommandSearch = {
  path: string | undefined;
  pathExt: string | undefined;
  cwd: string;
  /** Is there a file of this name? */
  exists(file: string): boolean;
};

/** What is spawned; `verbatim` means that the arguments are quoted already. */
export type Launch = { file: string; args: string[]; verbatim: boolean };

const defaultPathExt = ".COM;.EXE;.BAT;.CMD";
/** PATHEXT may name scripts that only a shell can open. */
const runnable = new Set([".com", ".exe", ".bat", ".cmd"]);

/** What Windows would run for a name: `npx` is `npx.cmd` beside the Unix script `npx`. Null when there is nothing. */
export function findWindowsCommand(command: string, search: CommandSearch): string | null {
  const { path = "", pathExt = defaultPathExt, cwd, exists } = search;
  const extensions = pathExt
    .split(";")
    .map((extension) => extension.trim().toLowerCase())
    .filter((extension) => runnable.has(extension));
  const isPath = /[\\/]/.test(command) || /^[a-z]:/i.test(command);
  const directories = path
    .split(";")
    .map((directory) => directory.trim().replace(/^"(.*)"$/, "$1"))
    .filter((directory) => directory !== "");
  const places = isPath
    ? [win32.resolve(cwd, command)]
    : directories.map((directory) => win32.resolve(cwd, directory, command));
  const hasExtension = extensions.includes(win32.extname(command).toLowerCase());
  const endings = hasExtension ? ["", ...extensions] : extensions;
  for (const place of places) for (const ending of endings) if (exists(place + ending)) return place + ending;
  return null;
}

/** Programs are started as they are; batch files only run inside cmd.exe, which reads the line once more. */
export function windowsLaunch(file: string, args: readonly string[], comSpec = "cmd.exe"): Launch {
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args: [...args], verbatim: false };
  const line = [file, ...args].map(quoteForCmd).join(" ");
  // /d: no AutoRun, /v:off: no `!NAME!`, /s: only the outer quotes are taken off.
  return { file: comSpec, args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`], verbatim: true };
}

/** One argument that reaches a program behind cmd.exe and a batch file as it is. */
export function quoteForCmd(word: string): string {
  if (/[\r\n\0]/.test(word)) {
    throw new Error("an argument has a line break, which cmd.exe cannot pass on. Take it out of 'args'");
  }
  const quoted = word
    // Before a quote, programs read two backslashes as one. A doubled quote keeps cmd.exe inside the quotes.
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replace(/(\\+)$/, "$1$1")
    // Between quotes only `%` means something to cmd.exe; what follows it here expands to nothing.
    .replaceAll("%", "%%cd:~,%");
  return `"${quoted}"`;
}

/** Ends a process with everything that it started. */
export function taskkillArguments(pid: number): string[] {
  return ["/PID", String(pid), "/T", "/F"];
}
