import { once } from "node:events";
import { pause } from "../../../lib/async/pause.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { limitFile } from "../../../lib/limit-file.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { version } from "../../../lib/version.ts";
import { renderConfigProblem } from "../../../model/config/config.ts";
import { errorTable, toPlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions, McpView, PlaneInfo } from "../cli.ts";
import {
  colors,
  print,
  printError,
  printJson,
  printStatus,
  printWarning,
} from "../terminal/output.ts";
import { renderTrouble } from "../terminal/server-trouble.ts";
import { onHangup, terminal, untilInterrupted } from "../terminal/terminal.ts";
import { isRecordingOrReplaying, openPlane, withPlane } from "../with-plane.ts";

/** Prints a line for each change of a server's state; an unchanged reason is not repeated. With `isHeldBack`, lines wait for `release`. */
export function printServerChanges(plane: Plane, { isHeldBack = false } = {}): { release(): void } {
  const lastTexts = new Map<string, string>();
  let heldLines: string[] | null = isHeldBack ? [] : null;
  const report = (mark: string, server: string, text: string) => {
    if (lastTexts.get(server) === text) return;
    lastTexts.set(server, text);
    const line = `${mark} ${server}: ${plainText(text)}`;
    if (heldLines) heldLines.push(line);
    else printStatus(line);
  };
  const explain = async (server: string, error: string): Promise<string> => {
    const { stderrTail } = (await plane.servers.get(server).catch(() => null)) ?? {};
    return renderTrouble({ error, ...withoutUndefined({ stderrTail }) }) ?? error;
  };
  plane.on("server.installing", ({ server }) => report(colors.yellow("◌"), server, "installing"));
  plane.on("server.connected", ({ server, toolCount }) =>
    report(colors.green("●"), server, countOf(toolCount, "tool")),
  );
  plane.on("server.error", ({ server, message }) =>
    explain(server, message).then((text) => report(colors.red("●"), server, text)),
  );
  plane.on("server.disconnected", ({ server, reason }) =>
    explain(server, reason).then((text) => report(colors.dim("○"), server, text)),
  );
  return {
    release() {
      const lines = heldLines ?? [];
      heldLines = null;
      for (const line of lines) printStatus(line);
    },
  };
}

/** Listeners report an applied change themselves. */
export function reloadOnHangup(plane: Plane, { isSaid = true } = {}): Disposable {
  return onHangup(() => {
    if (isSaid) printStatus("SIGHUP: reads the configuration again.");
    plane
      .reload()
      .catch((thrown) =>
        printWarning(`The configuration was not applied: ${toPlaneError(thrown).message}`),
      );
  });
}

/** The file that a background plane writes to. It is looked at now and then: a plane may run for months. */
const maxLogBytes = 1024 * 1024;
const logCheckMs = 60_000;

function limitOwnLog(): Disposable {
  const clock = setInterval(() => limitFile(2, maxLogBytes), logCheckMs).unref();
  return { [Symbol.dispose]: () => clearInterval(clock) };
}

const firstAnswerMs = 100;

/** The plane that clients share which start a command each. It listens at no port, and ends after its last client. */
export async function serveInBackground(
  cli: Cli,
  options: GlobalOptions & { idleExit: number },
): Promise<number> {
  try {
    return await serveClients(cli, options);
  } catch (thrown) {
    // For the log; the client that started this one runs into the same and tells its person.
    const error = toPlaneError(thrown);
    printError(error);
    return errorTable[error.code].exit;
  }
}

async function serveClients(
  cli: Cli,
  options: GlobalOptions & { idleExit: number },
): Promise<number> {
  using interruption = untilInterrupted({ servesOthers: true });
  const { dataDir: dataDirectory, config: files = [], idleExit: idleMs } = options;
  const planeOptions = {
    isForClients: true,
    watch: true,
    answersQuestions: true,
    relays: true,
    isShared: true,
  };
  await using plane = await openPlane(cli, options, planeOptions);
  const serving = await cli.serveClients(plane, {
    files,
    dataDirectory,
    directory: terminal.directory(),
    idleMs,
  });
  // The client that started this one attaches to the other.
  if (serving === null) return 0;
  printStatus(
    `${new Date().toISOString()} Toolplane ${version} serves in the background as process ${process.pid}.`,
  );
  printServerChanges(plane);
  plane.on("config.changed", () => {
    for (const problem of plane.config().problems) printWarning(renderConfigProblem(problem));
  });
  plane.on("config.rejected", ({ reason }) =>
    printWarning(`The changed configuration was not applied: ${reason}`),
  );
  using _reload = reloadOnHangup(plane);
  using _log = limitOwnLog();
  const { signal } = interruption;
  // Spawning many servers takes a moment, in which the client that waits for its first answer would get none.
  await pause(firstAnswerMs, { signal });
  plane.start();
  const interrupted = signal.aborted ? Promise.resolve() : once(signal, "abort");
  const endReason = await Promise.race([serving.over, interrupted.then(() => "stopped" as const)]);
  printStatus(`${new Date().toISOString()} Ends: ${endReason}.`);
  plane.drain();
  await serving.close({ bye: endReason === "handover" ? "handover" : "stopped" });
  return 0;
}

/** `toolplane stop`: the background plane of this configuration; nothing happens where there is none. */
export async function stopBackground(cli: Cli, options: GlobalOptions): Promise<void> {
  const about = await cli.stopPlane(placeIn(options));
  if (options.json) return printJson({ stopped: about });
  if (about === null) return print("No background plane serves this configuration.");
  print(`Stopped the background plane (process ${about.pid})${restartNote(about)}.`);
}

function restartNote({ clients }: PlaneInfo): string {
  if (clients === 0) return "";
  const clientsStart = clients === 1 ? "its client starts" : `its ${clients} clients start`;
  return `; ${clientsStart} another one with the next request`;
}

/** Prints that a background plane answers, and how to stop it. */
export async function printBackgroundPlane(
  cli: Cli,
  plane: Plane,
  options: GlobalOptions,
): Promise<PlaneInfo | null> {
  if (!plane.isBackground) return null;
  const about = await cli.aboutPlane(placeIn(options));
  if (about === null || options.json) return about;
  const clients = about.clients === 1 ? "1 client" : `${about.clients} clients`;
  printStatus(
    `A background plane (process ${about.pid}, ${clients}) serves this configuration. Stop it: toolplane stop. Its log: ${about.log}`,
  );
  return about;
}

function placeIn({ config: files = [], dataDir: dataDirectory }: GlobalOptions) {
  return { files, dataDirectory, directory: terminal.directory() };
}

/**
 * One MCP server on standard input and output: the shared plane of this configuration, or one of the client's own, which
 * lives as long as the client does. Standard output belongs to the protocol; warnings go to standard error as always.
 */
export async function serveMcp(cli: Cli, options: GlobalOptions & McpView): Promise<number> {
  const { mode, names, toolset, server } = options;
  if (
    !options.standalone &&
    !options.offline &&
    options.store === undefined &&
    !isRecordingOrReplaying(options)
  ) {
    const exitCode = await cli.attachMcp(options);
    if (exitCode !== null) return exitCode;
  }
  const work = async (plane: Plane, interrupted: AbortSignal) => {
    plane.start();
    await cli.serveMcp(plane, interrupted, withoutUndefined({ mode, names, toolset, server }));
  };
  // It takes notice of trust that its person gives later.
  await withPlane(cli, { ...options, standalone: true }, work, {
    isForClients: true,
    relays: true,
    watch: true,
  });
  return 0;
}
