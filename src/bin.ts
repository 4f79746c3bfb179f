#!/usr/bin/env node
import type { Cli, OpenPlaneOptions } from "./faces/cli/cli.ts";
import { version } from "./lib/version.ts";
import type { Plane } from "./model/plane.ts";

const [first, ...others] = process.argv.slice(2);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if ((first === "--version" || first === "-V") && others.length === 0) {
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
  const { runCli } = await import("./faces/cli/run.ts");
  const cli: Cli = {
    argv: process.argv.slice(2),
    openPlane: async (options) =>
      (await findServingPlane(options)) ?? (await import("./local-plane.ts")).openLocalPlane(options),
    async serve(plane, options) {
      const [{ serve }, { createHttpGateway }, { serveSocket }, { findLocalFiles }] = await Promise.all([
        import("./faces/http/serve.ts"),
        import("./faces/gateway/http-gateway.ts"),
        import("./faces/socket/serve-socket.ts"),
        import("./local-files.ts"),
      ]);
      const { files, socket: path } = findLocalFiles(options);
      // What runs without a file has none to be written to.
      const setup = files.length > 0 ? { setup: await cli.openSetup(options) } : {};
      const serving = await serve(plane, {
        ...{ ...options, ...setup, mcp: createHttpGateway(plane) },
        // Beside this file in the package, and where a checkout builds it.
        workbench: process.getBuiltinModule("node:path").join(import.meta.dirname, "../dist/workbench"),
      });
      const socket = await serveSocket(plane, path);
      return {
        ...serving,
        hasSocket: socket !== null,
        close: async (how) => void (await Promise.all([serving.close(how), socket?.close()])),
      };
    },
    serveMcp: async (plane, interrupted, view) => {
      const { serveStdio } = await import("./faces/gateway/serve-stdio.ts");
      await serveStdio(plane, process.stdin, process.stdout, interrupted, view);
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
  process.exitCode = await runCli(cli);
}

/** A plane that serves the same files already, so that there is only one state. */
async function findServingPlane(options: OpenPlaneOptions): Promise<Plane | null> {
  if (options.standalone) return null;
  const { findLocalFiles, localCaller } = await import("./local-files.ts");
  const { socket, files } = findLocalFiles(options);
  if (!process.getBuiltinModule("node:fs").existsSync(socket)) return null;
  const { openRemotePlane } = await import("./faces/socket/remote-plane.ts");
  return openRemotePlane(socket, files, { principal: localCaller(options), face: "cli" });
}

/** Some supported versions of Node call their SQLite experimental; whoever runs a command did not ask. */
function hideExperimentalWarnings(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") process.stderr.write(`${name}: ${message}\n`);
  });
}
