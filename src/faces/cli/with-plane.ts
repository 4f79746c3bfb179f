import { resolve } from "node:path";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { exposedTo } from "../../lib/private-directory.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { shellQuote } from "../../lib/text/shell.ts";
import {
  type ConfigProblem,
  countProblems,
  renderConfigProblem,
} from "../../model/config/config.ts";
import { type EventOf, type EventType, eventMeanings } from "../../model/events.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions, OpenPlaneOptions } from "./cli.ts";
import {
  beforeOutput,
  colors,
  print,
  printJson,
  printStatus,
  printWarning,
  terminalText,
} from "./terminal/output.ts";
import { withStderrTail } from "./terminal/server-trouble.ts";
import { terminal, untilInterrupted } from "./terminal/terminal.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
const waitMs = 300;
const barLength = 20;
const lineEveryMs = 1_000;

/** Tells a person at a terminal which servers a slow command is waiting for, until there is something to print. */
function showWaiting(plane: Plane): Disposable {
  if (!terminal.stderr.isTTY) return { [Symbol.dispose]() {} };
  const startedAt = Date.now();
  const starting = new Set<string>();
  const installing = new Set<string>();
  let installLine = "";
  let progress: string | undefined;
  const settle = ({ server }: { server: string }) => {
    starting.delete(server);
    installing.delete(server);
  };
  const readInstallLine = async () => {
    const [first] = installing;
    const status = first === undefined ? null : await plane.servers.get(first).catch(() => null);
    installLine = status?.installing?.lastLine ?? "";
  };
  const unsubscribe = [
    plane.on("server.connecting", ({ server }) => void starting.add(server)),
    plane.on("server.installing", ({ server }) => void installing.add(server)),
    plane.on("server.connected", settle),
    plane.on("server.error", settle),
    plane.on("tool.progress", (report) => {
      progress = renderProgress(report);
    }),
  ];
  const timer = setInterval(() => {
    const waited = Date.now() - startedAt;
    if (waited < waitMs) return;
    const frame = frames[Math.floor(waited / frameMs) % frames.length] ?? "";
    if (installing.size > 0 && waited % lineEveryMs < frameMs) void readInstallLine();
    const line = `${colors.cyan(frame)} ${nowDoing(starting, installing, installLine, progress)}`;
    terminal.stderr.write(`\r\u001b[K${terminalText(line)}`);
  }, frameMs);
  const stop = () => {
    clearInterval(timer);
    for (const unsubscribeOne of unsubscribe) unsubscribeOne();
    if (Date.now() - startedAt >= waitMs) terminal.stderr.write("\r\u001b[K");
  };
  beforeOutput.add(stop);
  return {
    [Symbol.dispose]() {
      if (beforeOutput.delete(stop)) stop();
    },
  };
}

/** Tells a person at a terminal which extension a command is waiting for, before there is a plane. */
function showSetup(): Disposable & { onSetup(extension: string): void } {
  let extension: string | null = null;
  const startedAt = Date.now();
  const show = () => {
    const waited = Date.now() - startedAt;
    if (extension === null || waited < waitMs) return;
    const frame = frames[Math.floor(waited / frameMs) % frames.length] ?? "";
    const line = `${colors.cyan(frame)} setting up the extension '${plainText(extension)}'`;
    terminal.stderr.write(`\r\u001b[K${terminalText(line)}`);
  };
  const timer = terminal.stderr.isTTY ? setInterval(show, frameMs) : undefined;
  return {
    onSetup(next) {
      extension = next;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      if (timer !== undefined && extension !== null && Date.now() - startedAt >= waitMs)
        terminal.stderr.write("\r\u001b[K");
    },
  };
}

function nowDoing(
  starting: ReadonlySet<string>,
  installing: ReadonlySet<string>,
  installLine: string,
  progress: string | undefined,
): string {
  if (installing.size > 0) {
    const room = Math.max(20, (terminal.stderr.columns ?? 80) - 4);
    const lineText = installLine === "" ? "" : `: ${plainText(installLine)}`;
    return `installing ${[...installing].join(", ")}${lineText}`.slice(0, room);
  }
  if (starting.size > 0) return `starting ${[...starting].join(", ")}`;
  return progress ?? "waiting for the answer";
}

function renderProgress({ progress, total, message }: EventOf<"tool.progress">): string {
  const text = plainText(message ?? "").replaceAll(/\s+/g, " ");
  if (total === null || total <= 0) return `${progress} ${text}`;
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * barLength);
  return `${"█".repeat(filled)}${"░".repeat(barLength - filled)} ${Math.round(share * 100)} % ${text}`;
}

/** Opens the plane for one command and closes it again, whatever happens in between. */
export async function withPlane<T>(
  cli: Cli,
  options: GlobalOptions,
  work: (plane: Plane, interrupted: AbortSignal) => Promise<T>,
  extra: OpenExtra = {},
): Promise<T> {
  using interruption = untilInterrupted();
  await using plane = await openPlane(cli, options, extra);
  using _waiting = showWaiting(plane);
  const { signal } = interruption;
  // What goes wrong is reported where the plane is disposed of.
  signal.addEventListener("abort", () => void plane.stop().catch(() => undefined));
  try {
    return await work(plane, signal);
  } catch (thrown) {
    throw await withStderrTail(plane, thrown);
  } finally {
    signal.throwIfAborted();
  }
}

/**
 * A command that asks the plane once. `render` gives the text for people, or prints it itself; `json` is what programs get
 * where that is not the answer itself.
 */
export function command<Args extends unknown[], Answer>(
  ask: (plane: Plane, ...args: Args) => Promise<Answer>,
  render: (answer: Answer, args: NoInfer<Args>) => unknown,
  json: (answer: Answer, args: NoInfer<Args>) => unknown = (answer) => answer,
  extra: OpenExtra = {},
) {
  return async (cli: Cli, ...args: unknown[]): Promise<void> => {
    const options = args.at(-1) as GlobalOptions;
    const typedArgs = args as Args;
    const answer = await withPlane(cli, options, (plane) => ask(plane, ...typedArgs), extra);
    if (options.json) return printJson(json(answer, typedArgs));
    const text = render(answer, typedArgs);
    if (typeof text === "string") print(text);
  };
}

export type OpenExtra = Pick<
  OpenPlaneOptions,
  | "fallback"
  | "isForClients"
  | "watch"
  | "answersQuestions"
  | "relays"
  | "isShared"
  | "exposed"
  | "publicUrl"
  | "schedules"
> & {
  /** Problems of the configuration are not what was asked about. */
  isQuiet?: boolean;
};

export async function openPlane(
  cli: Cli,
  options: GlobalOptions,
  extra: OpenExtra = {},
): Promise<Plane> {
  const { isQuiet, ...passed } = extra;
  using setup = showSetup();
  const plane = await cli.openPlane({
    onSetup: setup.onSetup,
    files: options.config ?? [],
    directory: terminal.directory(),
    dataDirectory: options.dataDir,
    user: options.user,
    groups: options.group ?? [],
    persona: options.persona,
    workspace: options.workspace,
    compliance: options.compliance,
    standalone: Boolean(
      options.standalone ||
        options.offline ||
        options.store ||
        extra.watch ||
        isRecordingOrReplaying(options),
    ),
    ...withoutUndefined({ ...passed, store: options.store, offline: options.offline }),
    ...recordingOptions(options),
  });
  if (options.logLevel === "debug") showEvents(plane);
  if (cli.areProblemsReported) return plane;
  // A plane of another process tells there what its extensions do.
  if (!plane.isRemote) showExtensions(plane, options, extra);
  if (!isQuiet) await warnAboutProblems(cli, plane, options, extra.watch);
  return plane;
}

/** Warns of each problem with the files of this plane, in one line. */
export async function warnAboutProblems(
  cli: Cli,
  plane: Plane,
  options: GlobalOptions,
  stays: boolean | undefined,
): Promise<void> {
  const { problems, foundIn } = plane.config();
  warnAboutConfigProblems(problems, options, {
    namesErrors: stays === true,
    isFound: foundIn !== undefined,
  });
  if (plane.isRemote) await warnAboutExtensions(plane);
  for (const { path, what, remedy } of exposedTo(
    await cli.dataDirectory(options),
    plane.config().files,
  ))
    printWarning(`${path}: ${what}. Close it: ${remedy}`);
}

/** Names failed extensions of a plane in another process: it reported them there, where this person did not see it. */
async function warnAboutExtensions(plane: Plane): Promise<void> {
  // A caller who may not look at them is not the one who mends them.
  for (const { name, error } of await plane.extensions.list().catch(() => []))
    if (error !== null) printWarning(`Extension '${name}': ${error}`);
}

/** Every command names an extension that failed. What extensions log is printed only by a plane that stays. */
function showExtensions(plane: Plane, { logLevel }: GlobalOptions, { watch }: OpenExtra): void {
  plane.on("extension.failed", ({ extension, reason }) => {
    const { problems } = plane.config();
    // A configuration with one problem has its text printed, which may be this failure.
    const isReported = problems.length === 1 && problems[0]?.message.includes(reason);
    if (!isReported) printWarning(`Extension '${extension}': ${reason}`);
  });
  if (watch && logLevel !== "error" && logLevel !== "warn")
    plane.on("extension.log", ({ extension, text }) =>
      printStatus(`${colors.dim("·")} ${extension}: ${plainText(text)}`),
    );
}

/** Such a command needs a plane of its own: one that serves already would neither record nor replay. */
export function isRecordingOrReplaying({ record, replay, replayMiss }: GlobalOptions): boolean {
  return record !== undefined || replay !== undefined || replayMiss !== undefined;
}

function recordingOptions({ record, replay, replayMiss }: GlobalOptions) {
  const resolved = (file: string | undefined) =>
    file === undefined ? undefined : resolve(terminal.directory(), file);
  return withoutUndefined({ record: resolved(record), replay: resolved(replay), replayMiss });
}

/** Prints every event of a plane of this process. No event carries an argument or a result. */
function showEvents(plane: Plane): void {
  if (plane.isRemote)
    return printStatus(
      "Another process serves; --standalone shows what happens in a plane of its own.",
    );
  for (const type of Object.keys(eventMeanings) as EventType[])
    plane.on(type, ({ type: _, ...properties }) => {
      // Of code that failed: as many lines as it has.
      const { stack = null, ...facts } = properties as typeof properties & {
        stack?: string | null;
      };
      const factTexts = Object.entries(facts).map(
        ([name, value]) => `${name}=${JSON.stringify(value)}`,
      );
      printStatus(colors.dim([new Date().toISOString(), type, ...factTexts].join(" ")));
      for (const line of stack?.split("\n") ?? []) printStatus(colors.dim(`  ${plainText(line)}`));
    });
}

/**
 * Counts the problems in one line, since every command repeats it. A plane that stays names each error. Where servers
 * were found in other programs, a file that cannot be read is named: a person would not look for it there.
 */
export function warnAboutConfigProblems(
  problems: readonly ConfigProblem[],
  { config = [] }: Pick<GlobalOptions, "config">,
  { namesErrors, isFound = false }: { namesErrors: boolean; isFound?: boolean },
): void {
  const isError = ({ severity }: ConfigProblem) => severity === "error";
  const isNamed = (problem: ConfigProblem) =>
    isError(problem) && (namesErrors || (isFound && problem.path === ""));
  const unnamed = problems.filter((problem) => !isNamed(problem));
  // A count of one takes a line, too.
  const named = unnamed.length === 1 ? problems : problems.filter(isNamed);
  for (const problem of named) printWarning(renderConfigProblem(problem));
  if (unnamed.length <= 1) return;
  const files = config.map((file) => ` --config ${shellQuote(file)}`).join("");
  const subject = isFound ? "What was found in clients" : "The configuration";
  printWarning(`${subject} has ${countProblems(unnamed)}. Run: toolplane config validate${files}`);
}
