#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import type { Cli } from "./faces/cli/cli.ts";
import { version } from "./lib/version.ts";

const [first, ...others] = process.argv.slice(2);

if ((first === "--version" || first === "-V") && others.length === 0) {
  process.stdout.write(`${version}\n`);
} else {
  enableCompileCache();
  hideExperimentalWarnings();
  const { runCli } = await import("./faces/cli/run.ts");
  const cli: Cli = {
    argv: process.argv.slice(2),
    openPlane: async (options) => (await import("./local-plane.ts")).openLocalPlane(options),
    serve: async (plane, options) => (await import("./faces/http/serve.ts")).serve(plane, options),
    serveMcp: async (plane, interrupted) => {
      const { serveStdio } = await import("./faces/gateway/serve-stdio.ts");
      await serveStdio(plane, process.stdin, process.stdout, interrupted);
    },
    openSetup: async (options) => (await import("./local-setup.ts")).openSetup(options),
    runDemoServer: async () => (await import("../servers/demo/server.ts")).serveDemo(),
  };
  process.exitCode = await runCli(cli);
}

/** Some supported versions of Node call their SQLite experimental; whoever runs a command did not ask. */
function hideExperimentalWarnings(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") process.stderr.write(`${name}: ${message}\n`);
  });
}
