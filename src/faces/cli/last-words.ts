import { plainText } from "../../lib/plain-text.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { ServerStatus } from "../../model/server.ts";

/** Why a server is not there, with what it wrote itself. */
export function renderTrouble({
  error,
  lastWords,
}: Pick<ServerStatus, "error" | "lastWords">): string | null {
  if (error === null || lastWords === undefined) return error;
  return `${error}; it last wrote: ${plainText(lastWords)}`;
}

/** A server that is fine and waits for its first use is not one that somebody has cut off. */
export function shownState({ state, idle }: Pick<ServerStatus, "state" | "idle">): string {
  return idle ? "idle" : state;
}

/** What the program that fetches it wrote last. */
export function renderInstalling({ installing }: Pick<ServerStatus, "installing">): string | null {
  if (installing === undefined) return null;
  const { lastLine, since } = installing;
  return `installing: ${lastLine === null ? `since ${since.slice(11, 19)} UTC` : plainText(lastLine)}`;
}

/** Whoever sits here may read the server's log, so its last line is told with the error. */
export async function withLastWords(plane: Plane, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof PlaneError) || thrown.code !== "SERVER_UNAVAILABLE") return thrown;
  const added = await lastWordsOf(plane, thrown.data.server);
  if (added === null) return thrown;
  const { code, message, data, cause } = thrown;
  return new PlaneError(code, `${message} ${added}`, { data, cause });
}

/** A sentence, or null when it wrote nothing. */
export async function lastWordsOf(plane: Plane, server: string | null | undefined): Promise<string | null> {
  if (typeof server !== "string") return null;
  const status = await plane.server(server).catch(() => null);
  return status?.lastWords === undefined ? null : `It last wrote: ${plainText(status.lastWords)}`;
}
