#!/usr/bin/env node
import type { Cli, GlobalOptions, McpView, OpenPlaneOptions } from "./faces/cli/cli.ts";
import { version } from "./lib/version.ts";
import type { Plane } from "./model/plane.ts";

const argv = process.argv.slice(2);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if ((argv[0] === "--version" || argv[0] === "-V") && argv.length === 1) {
  process.stdout.write(`${version}\n`);
} else if (major < 22 || (major === 22 && minor < 13)) {
  // Said before anything is loaded that an older one would stumble over.
  process.stderr.write(
    `error: Toolplane needs Node 22.13 or newer, and this is ${process.versions.node}. Install a newer one from https://nodejs.org. [USAGE]\n`,
  );
  process.exitCode = 2;
} else {
  // Asked for and not imported, because the shortest commands need neither of the two modules.
  process.getBuiltinModule("node:module").enableCompileCache();
  hideExperimentalWarnings();
  const quick = argv.includes("mcp") || argv[1] === "--background" ? await runQuickly() : null;
  process.exitCode = quick ?? (await (await import("./faces/cli/run.ts")).runCli(createCli()));
}

/** Clients attach, and start their plane, without all commands being loaded, as long as their words are the usual ones. */
async function runQuickly(): Promise<number | null> {
  const { readBackgroundWords, readMcpWords } = await import("./faces/cli/quick-words.ts");
  const background = readBackgroundWords(argv);
  if (background !== null)
    return (await import("./faces/cli/background.ts")).serveInBackground(createCli(), background);
  const words = readMcpWords(argv);
  if (words === null) return null;
  const exitCode = await attachMcp(words);
  // It was tried, and said why it cannot be.
  if (exitCode === null) argv.push("--standalone");
  return exitCode;
}

/** Null when the client needs a plane of its own. */
async function attachMcp(options: GlobalOptions & McpView): Promise<number | null> {
  const [{ attachClient }, { Interrupted, untilInterrupted }] = await Promise.all([
    import("./local-attach.ts"),
    import("./faces/cli/signals.ts"),
  ]);
  const { config: files = [], dataDir: dataDirectory, group: groups = [], logLevel, ...rest } = options;
  const { user, persona, compliance, mode, names, toolset, server } = rest;
  const say = (text: string) => {
    if (logLevel !== "error") process.stderr.write(`${text}\n`);
  };
  const interruption = untilInterrupted();
  const { signal } = interruption;
  const failed = await attachClient({
    ...{ files, dataDirectory, directory: process.cwd(), user, groups, persona, compliance, logLevel },
    ...{ input: process.stdin, output: process.stdout, signal, say },
    view: {
      ...(mode === undefined ? {} : { mode }),
      ...(names === undefined ? {} : { names }),
      ...(toolset === undefined ? {} : { toolset }),
      ...(server === undefined ? {} : { server }),
    },
  });
  interruption[Symbol.dispose]();
  if (failed !== null) {
    if (!failed.isUsage) say(`This client runs a plane of its own: ${failed.why}.`);
    return null;
  }
  return signal.reason instanceof Interrupted ? signal.reason.exitCode : 0;
}

function createCli(): Cli {
  const cli: Cli = {
    argv,
    attachMcp,
    openPlane: async (options) =>
      (await findServingPlane(options)) ?? (await import("./local-plane.ts")).openLocalPlane(options),
    async serve(plane, options) {
      const [{ serve }, { createHttpGateway }, { findLocalFiles }] = await Promise.all([
        import("./faces/http/serve.ts"),
        import("./faces/gateway/http-gateway.ts"),
        import("./local-files.ts"),
      ]);
      const { files } = findLocalFiles(options);
      // What runs without a file has none to be written to.
      const setup = files.length > 0 ? { setup: await cli.openSetup(options) } : {};
      const serving = await serve(plane, {
        ...{ ...options, ...setup, mcp: createHttpGateway(plane) },
        // Beside this file in the package, and where a checkout builds it.
        workbench: process.getBuiltinModule("node:path").join(import.meta.dirname, "../dist/workbench"),
      });
      const socket = await openSocket(plane, options, null);
      return {
        ...serving,
        hasSocket: socket !== null,
        close: async (how) => void (await Promise.all([serving.close(how), socket?.close(how)])),
      };
    },
    serveClients: (plane, options) => openSocket(plane, options, options.idleMs),
    async aboutPlane(options) {
      const [{ askAbout }, { findPlace }] = await Promise.all([
        import("./faces/socket/remote-plane.ts"),
        import("./local-files.ts"),
      ]);
      return askAbout(findPlace(options));
    },
    async stopPlane(options) {
      const about = await cli.aboutPlane(options);
      if (about === null) return null;
      const [{ askToStop }, { findPlace }] = await Promise.all([
        import("./faces/socket/remote-plane.ts"),
        import("./local-files.ts"),
      ]);
      await askToStop(findPlace(options), about.pid);
      return about;
    },
    serveMcp: async (plane, signal, view) => {
      const { serveStdio } = await import("./faces/gateway/serve-stdio.ts");
      await serveStdio(plane, { input: process.stdin, output: process.stdout, signal, view });
    },
    openState: async (options) => (await import("./local-plane.ts")).openLocalState(options),
    openSetup: async (options) => (await import("./local-setup.ts")).openSetup(options),
    runDemoServer: async () => (await import("../servers/demo/server.ts")).serveDemo(),
    runPlannerServer: async () => (await import("../servers/planner/server.ts")).servePlanner(),
    dataDirectory: async ({ dataDir }) => {
      const { findLocalFiles } = await import("./local-files.ts");
      return findLocalFiles({ files: [], directory: ".", dataDirectory: dataDir }).dataDirectory;
    },
  };
  return cli;
}

type SocketPlace = { files: readonly string[]; directory: string; dataDirectory: string | undefined };

/** Where commands and clients of this user find the plane. */
async function openSocket(plane: Plane, place: SocketPlace, idleMs: number | null) {
  const [{ serveSocket }, { serveStdio }, { openPlace }] = await Promise.all([
    import("./faces/socket/serve-socket.ts"),
    import("./faces/gateway/serve-stdio.ts"),
    import("./local-files.ts"),
  ]);
  return serveSocket(plane, {
    place: openPlace(place),
    idleMs,
    directory: place.directory,
    environment: process.env,
    serveClient: ({ stream, ...client }) => serveStdio(plane, { ...client, input: stream, output: stream }),
  });
}

/** A plane that serves the same files already, so that there is only one state. */
async function findServingPlane(options: OpenPlaneOptions): Promise<Plane | null> {
  if (options.standalone) return null;
  const { findPlace, localCaller } = await import("./local-files.ts");
  const place = findPlace(options);
  if (!process.getBuiltinModule("node:fs").existsSync(place.record)) return null;
  const { openRemotePlane } = await import("./faces/socket/remote-plane.ts");
  const plane = await openRemotePlane(place, { principal: localCaller(options), face: "cli" });
  const isTold = process.stderr.isTTY || argv.some((word) => word.startsWith("--log-level"));
  if (plane !== null && place.isBorrowed && isTold)
    process.stderr.write(`Uses the plane that serves ${place.files.join(" and ")}.\n`);
  return plane;
}

/** Some supported versions of Node call their SQLite experimental; whoever runs a command did not ask. */
function hideExperimentalWarnings(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") process.stderr.write(`${name}: ${message}\n`);
  });
}
