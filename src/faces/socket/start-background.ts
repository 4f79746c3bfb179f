import { spawn } from "node:child_process";
import { closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import type { PlanePlace } from "./plane-place.ts";
import type { StartedPlane } from "./reach-plane.ts";

/** What a background plane has said is kept up to this size; a new one begins with an empty file then. */
const maxLogBytes = 1024 * 1024;

/** Starts this program as the plane of this place: in a session of its own, so that it outlives the client that needs it first. */
export async function startBackground(
  place: PlanePlace,
  program: readonly string[],
  words: readonly string[],
  directory: string,
): Promise<StartedPlane> {
  const [command = process.execPath, ...args] = program;
  const log = openLog(place.log);
  try {
    const child = spawn(command, [...args, ...words], {
      cwd: directory,
      stdio: ["ignore", log, log],
      detached: true,
      windowsHide: true,
    });
    let failure: number | null = null;
    child.on("error", () => {
      failure = 127;
    });
    child.unref();
    return {
      exitCode: () => failure ?? child.exitCode ?? (child.signalCode === null ? null : 128),
    };
  } finally {
    closeSync(log);
  }
}

/** Never through a link of another user. */
function openLog(file: string): number {
  const noLink = constants.O_NOFOLLOW ?? 0;
  const log = openSync(
    file,
    constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | noLink,
    0o600,
  );
  if (fstatSync(log).size > maxLogBytes) ftruncateSync(log, 0);
  return log;
}
