import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { claimDirectory } from "../lib/private-directory.ts";
import { shellQuote } from "../lib/text/shell.ts";
import { PlaneError } from "../model/errors.ts";
import type { Environment } from "./environment.ts";

type Program = readonly [command: string, ...args: string[]];
type Place = {
  dataDirectory: string | undefined;
  environment: Environment;
  platform: NodeJS.Platform;
};

export type LastingProgram = {
  program: Program;
  /** Writes what it starts. */
  prepare(): void;
};

/** A directory of one version, which goes with the next one, or of one session of a shell. */
const passingDirectory =
  /[\\/](?:v?\d+\.\d+(?:\.\d+)?[^\\/]*|[^\\/]*@\d[^\\/]*|fnm_multishells|_npx)(?:[\\/]|$)/;

/**
 * How a client starts this program, also after an upgrade of Node or of the program. Version managers have both in a
 * directory of the version: then the client starts a script of ours, which looks for them where they are now.
 */
export function lastingProgram(
  program: Program,
  { dataDirectory, environment, platform }: Place,
): LastingProgram {
  const [node, ...args] = program;
  const lastingNode = linkTo(node, environment) ?? node;
  const asIs = { program: [lastingNode, ...args] as const, prepare: () => undefined };
  const [script = ""] = args;
  if (!passingDirectory.test(lastingNode) && !passingDirectory.test(script)) return asIs;
  if (platform === "win32" || dataDirectory === undefined || args.length !== 1) return asIs;
  const file = join(dataDirectory, "bin", "toolplane");
  return { program: [file], prepare: () => write(file, launcher(node, script)) };
}

/** What PATH calls it, where that leads to the same one. */
function linkTo(node: string, { PATH = "" }: Environment): string | null {
  const candidates = PATH.split(delimiter).map((directory) => join(directory, "node"));
  return (
    candidates.find(
      (candidate) => !passingDirectory.test(candidate) && sameFile(candidate, node),
    ) ?? null
  );
}

function sameFile(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}

function launcher(node: string, script: string): string {
  const lines = [
    "#!/bin/sh",
    "# Written by 'toolplane connect' for the clients of this user: starts Toolplane where it is now.",
    `if [ -x ${shellQuote(node)} ] && [ -e ${shellQuote(script)} ]; then`,
    `  exec ${shellQuote(node)} ${shellQuote(script)} "$@"`,
    "fi",
    "# Node or Toolplane was upgraded since. The newest of a version manager comes first, then what PATH and others have.",
    'newest=$(ls -dt "$HOME"/.nvm/versions/node/*/bin/toolplane "$HOME"/.local/share/fnm/node-versions/*/installation/bin/toolplane \\',
    '  "$HOME"/.asdf/installs/nodejs/*/bin/toolplane "$HOME"/.local/share/mise/installs/node/*/bin/toolplane \\',
    '  "$HOME"/n/bin/toolplane 2>/dev/null | head -n 1)',
    'for one in "$newest" "$(command -v toolplane)" "$HOME/.volta/bin/toolplane" /opt/homebrew/bin/toolplane \\',
    "  /usr/local/bin/toolplane /usr/bin/toolplane; do",
    '  if [ -n "$one" ] && [ -x "$one" ] && ! [ "$one" -ef "$0" ]; then',
    '    PATH="$(dirname "$one"):$PATH" exec "$one" "$@"',
    "  fi",
    "done",
    "echo \"Toolplane is not where it was, and not found elsewhere. Install it, then run 'toolplane connect' again.\" >&2",
    "exit 127",
  ];
  return `${lines.join("\n")}\n`;
}

function write(file: string, text: string): void {
  const directory = dirname(file);
  const problem = claimDirectory(dirname(directory)) ?? claimDirectory(directory);
  if (problem !== null)
    throw new PlaneError("CONFIG_INVALID", `The client cannot be connected: ${problem}.`);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  // A client may be about to run the one that is there.
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, text, { mode: 0o700 });
  renameSync(temporaryFile, file);
}
