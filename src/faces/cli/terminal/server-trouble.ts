import { plainText } from "../../../lib/text/plain-text.ts";
import { sentence } from "../../../lib/text/wording.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { ServerStatus } from "../../../model/servers/server-schema.ts";

/** Why a server is not there, with what it wrote itself. */
export function renderTrouble({
  error,
  stderrTail,
}: Pick<ServerStatus, "error" | "stderrTail">): string | null {
  if (error === null || stderrTail === undefined) return error;
  return `${error}; it last wrote: ${plainText(stderrTail)}`;
}

/** A server that is fine and waits for its first use was not disconnected by a person. */
export function shownState({ state, idle }: Pick<ServerStatus, "state" | "idle">): string {
  return idle ? "idle" : state;
}

export function renderInstalling({ installing }: Pick<ServerStatus, "installing">): string | null {
  if (installing === undefined) return null;
  const { lastLine, since } = installing;
  return `installing: ${lastLine === null ? `since ${since.slice(11, 19)} UTC` : plainText(lastLine)}`;
}

const phases = {
  start: "starting",
  initialize: "in the handshake",
  "tools/list": "listing its tools",
} as const;

/** What it is waited for, of one that is being opened. */
export function renderStarting({ starting }: Pick<ServerStatus, "starting">): string | null {
  if (starting === undefined) return null;
  return `${phases[starting.phase]} since ${starting.since.slice(11, 19)} UTC`;
}

/** The problem of a server, in one sentence; a cached list comes with its age. */
export function describeTrouble({
  name,
  state,
  stale,
  error,
  listedAt,
}: ServerStatus): string | null {
  if (error === null) return null;
  const listTime = stale && listedAt !== null ? timeText(listedAt) : null;
  if (state === "connected" && listTime !== null)
    return `Server '${name}': its list is from ${listTime}; ${sentence(error)}`;
  const listNote = listTime === null ? "" : ` Its list is from ${listTime}.`;
  return `Server '${name}' is not available: ${sentence(error)}${listNote}`;
}

/** The time of today, or the day with it. */
function timeText(moment: string): string {
  const then = new Date(moment);
  const now = new Date();
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  const time = `${twoDigits(then.getHours())}:${twoDigits(then.getMinutes())}`;
  if (then.toDateString() === now.toDateString()) return time;
  return `${then.getFullYear()}-${twoDigits(then.getMonth() + 1)}-${twoDigits(then.getDate())} ${time}`;
}

/** The person here may read the server's log, so its last line joins the error. */
export async function withStderrTail(plane: Plane, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof PlaneError) || thrown.code !== "SERVER_UNAVAILABLE") return thrown;
  const stderrTail = await stderrTailIn(plane, thrown.data.server);
  if (stderrTail === null) return thrown;
  const { code, message, data, cause } = thrown;
  return new PlaneError(code, `${message} ${stderrTail}`, { data, cause });
}

export async function stderrTailIn(
  plane: Plane,
  server: string | null | undefined,
): Promise<string | null> {
  if (typeof server !== "string") return null;
  const status = await plane.servers.get(server).catch(() => null);
  if (status?.stderrTail === undefined) return null;
  return `It last wrote: ${plainText(status.stderrTail)}`;
}
