import { useEffect, useState } from "react";
import type { ServerLogLine } from "../../../../src/model/servers/server.ts";
import { ApiError, part, readProblem, send } from "../../api/client.ts";
import { readServerSentEvents } from "../../api/server-sent-events.ts";

/** `number` counts all lines that ever came, so that a line stays the same when those before it are forgotten. */
export type LogLine = ServerLogLine & { number: number };
export type ServerLog = { lines: readonly LogLine[]; isLive: boolean; error: unknown };

const maxLines = 2_000;
const againMs = 2_000;

/**
 * What a server wrote, and what it writes as it does. A browser opens six connections to a host and no more, so a page
 * that nobody looks at gives its own back, and has all of it again when somebody does.
 */
export function useServerLog(server: string): ServerLog | null {
  const [log, setLog] = useState<ServerLog | null>(null);
  useEffect(() => {
    // What another server wrote is not shown as if this one had.
    setLog(null);
    let leaving = new AbortController();
    const follow = () => {
      leaving.abort();
      leaving = new AbortController();
      if (document.visibilityState === "visible") void keepFollowing(server, leaving.signal, setLog);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      leaving.abort();
    };
  }, [server]);
  return log;
}

type SetLog = (change: (before: ServerLog | null) => ServerLog) => void;

async function keepFollowing(server: string, signal: AbortSignal, setLog: SetLog): Promise<void> {
  while (!signal.aborted) {
    const error = await followOnce(server, signal, setLog).catch((thrown: unknown) => thrown);
    if (signal.aborted) return;
    setLog((before) => ({ lines: before?.lines ?? [], isLive: false, error: error ?? null }));
    // What was refused stays refused.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

async function followOnce(server: string, signal: AbortSignal, setLog: SetLog): Promise<undefined> {
  const headers = { accept: "text/event-stream" };
  const response = await send("GET", `/servers/${part(server)}/logs`, { signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  await readServerSentEvents(response.body, ({ name, data }) => {
    const said = JSON.parse(data) as ServerLogLine[];
    setLog((before) => ({
      ...{ isLive: true, error: null },
      lines: name === "kept" ? numbered(said, 0) : withLines(before?.lines ?? [], said),
    }));
  });
}

function withLines(before: readonly LogLine[], added: readonly ServerLogLine[]): readonly LogLine[] {
  return [...before, ...numbered(added, (before.at(-1)?.number ?? -1) + 1)].slice(-maxLines);
}

const numbered = (lines: readonly ServerLogLine[], from: number): LogLine[] =>
  lines.map((line, at) => ({ ...line, number: from + at }));
