import type { Cli, GlobalOptions, McpView, OpenPlaneOptions } from "./faces/cli/cli.ts";
import { type Terminal, terminal } from "./faces/cli/terminal/terminal.ts";
import { withoutUndefined } from "./lib/json/plain-data.ts";
import type { Plane } from "./model/plane.ts";

/** Null when the client needs a plane of its own. */
async function attachMcp(options: GlobalOptions & McpView): Promise<number | null> {
  const [{ attachClient }, { Interrupted, untilInterrupted }] = await Promise.all([
    import("./local-attach.ts"),
    import("./faces/cli/terminal/terminal.ts"),
  ]);
  const {
    config: files = [],
    dataDir: dataDirectory,
    group: groups = [],
    logLevel,
    user,
    persona,
    workspace,
    compliance,
    mode,
    names,
    toolset,
    server,
  } = options;
  const say = (text: string) => {
    if (logLevel !== "error") terminal.stderr.write(`${text}\n`);
  };
  const interruption = untilInterrupted();
  const { signal } = interruption;
  const failed = await attachClient({
    files,
    dataDirectory,
    directory: terminal.directory(),
    user,
    groups,
    persona,
    workspace,
    compliance,
    logLevel,
    input: terminal.stdin,
    output: terminal.stdout,
    signal,
    say,
    view: withoutUndefined({ mode, names, toolset, server }),
  });
  interruption[Symbol.dispose]();
  if (failed !== null) {
    if (!failed.isUsage) say(`This client runs a plane of its own: ${failed.why}.`);
    return null;
  }
  return signal.reason instanceof Interrupted ? signal.reason.exitCode : 0;
}

/** The command line of this machine. */
export function createCli(argv: readonly string[], ownTerminal?: Terminal): Cli {
  const cli: Cli = {
    argv,
    ...withoutUndefined({ terminal: ownTerminal }),
    attachMcp,
    async openPlane(options) {
      // Most commands run where no person can be asked.
      if (terminal.stdin.isTTY && !options.asksNothing)
        await (await import("./faces/cli/commands/trust.ts")).askForTrust(cli, options);
      return (
        (await findServingPlane(options, argv)) ??
        (await import("./local-plane.ts")).openLocalPlane(options)
      );
    },
    async serve(plane, options) {
      const [{ serveHttp }, { createHttpGateway }, { findLocalFiles }, { ownFile }] =
        await Promise.all([
          import("./faces/http/serve.ts"),
          import("./faces/gateway/http-gateway.ts"),
          import("./local-files.ts"),
          import("./lib/own-files.ts"),
        ]);
      const { files } = findLocalFiles(options);
      // What runs without a file has none to be written to.
      const setup =
        files.length > 0
          ? { setup: await (await import("./local-setup.ts")).openLocalSetup(options) }
          : {};
      const serving = await serveHttp(plane, {
        ...options,
        ...setup,
        mcp: createHttpGateway(plane),
        workbench: ownFile("workbench"),
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
      await serveStdio(plane, { input: terminal.stdin, output: terminal.stdout, signal, view });
    },
    openState: async (options) => (await import("./local-plane.ts")).openLocalState(options),
    openSetup: async (options) => (await import("./local-setup.ts")).openRecordedSetup(options),
    async findsClients() {
      const [{ findLocalFiles }, { findingServers, processEnvironment }, { bundled }] =
        await Promise.all([
          import("./local-files.ts"),
          import("./config/config.ts"),
          import("./bundled.ts"),
        ]);
      const directory = terminal.directory();
      const { files } = findLocalFiles({ files: [], directory, dataDirectory: undefined });
      const environment = processEnvironment();
      const sources = { named: [], files, directory, environment };
      return (await findingServers(sources, bundled.import)) !== null;
    },
    runDemoServer: async () => (await import("../servers/demo/server.ts")).serveDemo(),
    runPlannerServer: async () => (await import("../servers/planner/server.ts")).servePlanner(),
    dataDirectory: async ({ dataDir }) => {
      const { findLocalFiles } = await import("./local-files.ts");
      return findLocalFiles({ files: [], directory: ".", dataDirectory: dataDir }).dataDirectory;
    },
  };
  return cli;
}

type SocketPlace = {
  files: readonly string[];
  directory: string;
  dataDirectory: string | undefined;
};

/** Where commands and clients of this user find the plane. */
async function openSocket(plane: Plane, localPlace: SocketPlace, idleMs: number | null) {
  const [{ serveSocket }, { serveStdio }, { claimPlace }] = await Promise.all([
    import("./faces/socket/serve-socket.ts"),
    import("./faces/gateway/serve-stdio.ts"),
    import("./local-files.ts"),
  ]);
  const planePlace = claimPlace(localPlace);
  return serveSocket(plane, {
    place: planePlace,
    idleMs,
    directory: idleMs === null || planePlace.isFound ? localPlace.directory : null,
    environment: terminal.env,
    serveClient: ({ stream, ...client }) =>
      serveStdio(plane, { ...client, input: stream, output: stream }),
  });
}

/** A plane that serves the same files already, so that there is only one state. */
async function findServingPlane(
  options: OpenPlaneOptions,
  argv: readonly string[],
): Promise<Plane | null> {
  if (options.standalone) return null;
  const { findPlace, localCaller } = await import("./local-files.ts");
  const planePlace = findPlace(options);
  if (!process.getBuiltinModule("node:fs").existsSync(planePlace.record)) return null;
  const { openRemotePlane } = await import("./faces/socket/remote-plane.ts");
  const directory = planePlace.isBorrowed ? null : options.directory;
  const plane = await openRemotePlane(
    planePlace,
    { principal: localCaller(options), face: "cli" },
    directory,
    terminal.env,
  );
  const isAnnounced =
    terminal.stderr.isTTY || argv.some((argument) => argument.startsWith("--log-level"));
  if (plane !== null && planePlace.isBorrowed && isAnnounced)
    terminal.stderr.write(`Uses the plane that serves ${planePlace.files.join(" and ")}.\n`);
  return plane;
}
