#!/usr/bin/env node
import type { QuickCall } from "./faces/cli/quick-words.ts";
import { version } from "./lib/version.ts";
import { type Given, isListing, recallListing } from "./local-listing.ts";

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
} else if (!printKept()) {
  // Asked for and not imported, because the shortest commands need neither of the two modules.
  process.getBuiltinModule("node:module").enableCompileCache();
  hideExperimentalWarnings();
  process.exitCode = await withGrace(run());
}

/** What `tools list` printed last, where nothing has changed since: loads nothing else. */
function printKept(): boolean {
  const kept = isListing(argv) ? recallListing(given()) : null;
  if (kept !== null) process.stdout.write(kept);
  return kept !== null;
}

function given(): Given {
  const { isTTY = false, columns } = process.stdout;
  return { argv, directory: process.cwd(), environment: process.env, output: isTTY ? `${columns}` : "" };
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

async function run(): Promise<number> {
  if (argv[0] === "call") {
    const call = (await import("./faces/cli/quick-words.ts")).readCallWords(argv);
    if (call !== null) return runCall(call);
  }
  const local = await import("./local-cli.ts");
  const mayBeQuick = argv.includes("mcp") || argv[1] === "--background";
  const quick = mayBeQuick ? await runQuickly(local) : null;
  if (quick !== null) return quick;
  const { runCli } = await import("./faces/cli/program.ts");
  return isListing(argv) ? local.runListing(argv, given(), runCli) : runCli(local.createCli(argv));
}

/** One call without the other commands. */
async function runCall(call: QuickCall): Promise<number> {
  const { startServerOf } = await import("./local-early.ts");
  const end = startServerOf(given(), call.tool, call.options);
  const [local, quick] = await Promise.all([import("./local-cli.ts"), import("./faces/cli/quick-call.ts")]);
  const exitCode = await quick.runCall(local.createCli(argv), call);
  await end(exitCode === 0);
  return exitCode;
}

/** Clients attach and start their plane without all commands being loaded, as long as their words are the usual ones. */
async function runQuickly({ attachMcp, createCli }: typeof import("./local-cli.ts")): Promise<number | null> {
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
