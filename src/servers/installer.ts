import { steadyNow } from "../lib/async/steady-time.ts";
import { ownField } from "../lib/json/plain-data.ts";
import { cutText } from "../lib/text/cut-text.ts";
import { plainText } from "../lib/text/plain-text.ts";
import { redact } from "../lib/text/redact.ts";
import { programOf } from "../model/servers/package-launcher.ts";
import type { ServerDefinition } from "../model/servers/server.ts";

type Launcher = {
  /** Words that make it fetch; without them it always does. */
  verbs?: readonly string[];
  /** Lines in which it, not the program it runs, reports a failure. */
  complains: RegExp;
};

const npm: RegExp = /^npm (?:error|ERR!)/;
const uv = /^\s*(?:error: |[×╰├│])/;
const engine =
  /^(?:docker: |Error response from daemon|Cannot connect|Error: (?:initializing|unable|creating))/;

const launchers: Readonly<Record<string, Launcher>> = {
  npx: { complains: npm },
  npm: { verbs: ["exec", "x"], complains: npm },
  pnpx: { complains: /ERR_PNPM/ },
  pnpm: { verbs: ["dlx"], complains: /ERR_PNPM/ },
  yarn: { verbs: ["dlx"], complains: /^(?:➤ YN|error )/ },
  bunx: { complains: /^error: / },
  bun: { verbs: ["x"], complains: /^error: / },
  uvx: { complains: uv },
  uv: { verbs: ["run", "tool"], complains: uv },
  pipx: { verbs: ["run"], complains: /^(?:ERROR: |Fatal error|pipx )/ },
  docker: { verbs: ["run"], complains: engine },
  podman: { verbs: ["run"], complains: engine },
};

/** Options may stand before the verb. */
const verbSearchLimit = 6;

type CommandLine = Pick<ServerDefinition, "command" | "args"> &
  Partial<Pick<ServerDefinition, "container">>;

/** As a person calls it: `npx`, `docker run`. Null when none does. */
export function installerOf(commandLine: CommandLine): string | null {
  return launcherOf(commandLine)?.name ?? null;
}

function launcherOf({
  command = "",
  args,
  container,
}: CommandLine): (Launcher & { name: string }) | null {
  if (container) return { name: "the container engine", complains: engine };
  const program = programOf(command);
  // The usual way to write it for Windows.
  const [flag = "", inner] = args;
  if (program === "cmd" && /^\/c$/i.test(flag))
    return launcherOf({ command: inner, args: args.slice(2) });
  const launcher = ownField(launchers, program);
  if (launcher === undefined) return null;
  if (launcher.verbs === undefined) return { ...launcher, name: program };
  const verb = args
    .slice(0, verbSearchLimit)
    .find((argument) => launcher.verbs?.includes(argument));
  return verb === undefined ? null : { ...launcher, name: `${program} ${verb}` };
}

export type InstallFailure = {
  installer: string;
  code: string | null;
  lines: string[];
  remedy: string | null;
};

const maxLines = 4;
const maxLineLength = 200;
/** What npm writes around the reason. */
const chatter =
  /A complete log of this run|^npm (?:error|ERR!)(?: \w+)?\s*$|Note that you can also|tarball, folder/;

/** Null when the installer did not fail, or there is none. */
export function installFailure(commandLine: CommandLine, output: string): InstallFailure | null {
  const launcher = launcherOf(commandLine);
  if (launcher === null) return null;
  const outputLines = linesOf(output);
  const start = outputLines.findIndex((line) => launcher.complains.test(line));
  if (start < 0) return null;
  const complaint = outputLines.slice(start).filter((line) => !chatter.test(line));
  const lines = complaint.slice(-maxLines).map((line) => cutText(line, maxLineLength));
  const [, code = null] = /(?:^npm (?:error|ERR!) code |ERR_PNPM_)(\w+)/m.exec(output) ?? [];
  const remedy = remedies.find(([pattern]) => pattern.test(output))?.[1] ?? null;
  return { installer: launcher.name, code, lines, remedy };
}

const remedies: readonly [said: RegExp, remedy: string][] = [
  [
    /Cannot connect to the (?:Docker|Podman) daemon|Cannot connect to Podman/i,
    "Start the container engine.",
  ],
  [
    /manifest unknown|repository does not exist|pull access denied/i,
    "Correct the name of the image in 'args', or sign in to its registry.",
  ],
  [
    /\bE404\b|FETCH_404|is not in this registry|not found in the package registry|No matching distribution/i,
    "Correct the name of the package in 'args'; the registry does not know it.",
  ],
  [
    /\bETARGET\b|NO_MATCHING_VERSION|No matching version|no version of /i,
    "Correct the version of the package in 'args'; the registry does not have it.",
  ],
  [
    /\bE40[13]\b|FETCH_40[13]|unauthorized|authentication required/i,
    "Give the installer its credentials: in its own configuration, or by naming their variable in 'inheritEnv'.",
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|certificate verify failed|invalid peer certificate|unknown authority/i,
    "Set NODE_EXTRA_CA_CERTS (npm) or SSL_CERT_FILE (uv, pip) to your certificates where toolplane is started.",
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|dns error|failed to lookup|error sending request|no such host/i,
    "Let this machine reach the registry; behind a proxy set HTTPS_PROXY where toolplane is started.",
  ],
  [/ENOSPC|no space left/i, "Free some disk space."],
  [/EACCES|EPERM|permission denied/i, "Let this user write to the installer's cache directory."],
];

const reportIntervalMs = 2_000;

type Installation = {
  server(): string;
  /** Null when it is not being installed. */
  since(): number | null;
  onProgress(progress: { progress: number; total: null; message: string }): void;
};

/** Keeps callers waiting while a server is installed. */
export function reportInstalling<T>(opened: Promise<T>, installation: Installation): Promise<T> {
  let reports = 0;
  const timer = setInterval(() => {
    const since = installation.since();
    if (since === null) return;
    reports += 1;
    const seconds = Math.round((steadyNow() - since) / 1000);
    const message = `Server '${installation.server()}' is being installed (${seconds} s).`;
    // Progress must grow, and stay below the server's own.
    installation.onProgress({ progress: reports / 1000, total: null, message });
  }, reportIntervalMs).unref();
  return opened.finally(() => clearInterval(timer));
}

/** Safe to show. It may redraw a line with carriage returns. */
export function lastLineOf(text: string): string | null {
  const line = linesOf(text).at(-1);
  return line === undefined ? null : cutText(redact(plainText(line)), maxLineLength);
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "");
}
