#!/usr/bin/env node
import { version } from "./lib/version.ts";
import { attachMcp, createCli } from "./local-cli.ts";

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
  process.exitCode = quick ?? (await (await import("./faces/cli/program.ts")).runCli(createCli(argv)));
}

/** Clients attach, and start their plane, without all commands being loaded, as long as their words are the usual ones. */
async function runQuickly(): Promise<number | null> {
  const { readBackgroundWords, readMcpWords } = await import("./faces/cli/quick-words.ts");
  const background = readBackgroundWords(argv);
  if (background !== null)
    return (await import("./faces/cli/start/serving.ts")).serveInBackground(createCli(argv), background);
  const words = readMcpWords(argv);
  if (words === null) return null;
  const exitCode = await attachMcp(words);
  // It was tried, and said why it cannot be.
  if (exitCode === null) argv.push("--standalone");
  return exitCode;
}

/** Some supported versions of Node call their SQLite experimental. Users of a command need no such warning. */
function hideExperimentalWarnings(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    if (name !== "ExperimentalWarning") process.stderr.write(`${name}: ${message}\n`);
  });
}
