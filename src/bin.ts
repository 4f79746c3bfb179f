#!/usr/bin/env node
import { version } from "./lib/version.ts";

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
  // Asked for and not imported, because an older Node has no such function.
  process.getBuiltinModule("node:module").enableCompileCache();
  hideExperimentalWarnings();
  process.exitCode = await withGrace(run());
}

async function run(): Promise<number> {
  const [{ createCli }, { runCli }] = await Promise.all([
    import("./local-cli.ts"),
    import("./faces/cli/program.ts"),
  ]);
  return runCli(createCli(argv));
}

/** What is being closed may wait for something that does not keep the process alive, such as a timer in the background. */
async function withGrace(running: Promise<number>): Promise<number> {
  let grace: NodeJS.Timeout | undefined;
  const wait = () => {
    grace = setTimeout(() => undefined, 10_000);
  };
  process.once("beforeExit", wait);
  const exitCode = await running;
  process.off("beforeExit", wait);
  clearTimeout(grace);
  return exitCode;
}

/** Some supported versions of Node call their SQLite experimental. Users of a command need no such warning. */
function hideExperimentalWarnings(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") process.stderr.write(`${name}: ${message}\n`);
  });
}
