import { useEffect, useState } from "react";
import type { ServerLogLine } from "../../../../src/model/servers/server-schema.ts";
import { ApiError, readProblem } from "../../api/client.ts";
import { sendOperation } from "../../api/operations.ts";
import { readServerSentEvents } from "../../api/server-sent-events.ts";

/** `number` counts all lines, so that a line keeps its key when older ones are dropped. */
export type LogLine = ServerLogLine & { number: number };
export type ServerLog = { lines: readonly LogLine[]; isLive: boolean; error: unknown };

const maxLines = 2_000;
const retryMs = 2_000;

/**
 * A server's log, live. A browser opens at most six connections to a host, so a hidden page closes its stream and
 * reopens it when visible.
 */
export function useServerLog(server: string): ServerLog | null {
  const [log, setLog] = useState<ServerLog | null>(null);
  useEffect(() => {
    // Drop the lines of the previous server.
    setLog(null);
    let leaving = new AbortController();
    const follow = () => {
      leaving.abort();
      leaving = new AbortController();
      if (document.visibilityState === "visible")
        void keepFollowing(server, leaving.signal, setLog);
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
    // A refusal is final.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

async function followOnce(server: string, signal: AbortSignal, setLog: SetLog): Promise<undefined> {
  const headers = { accept: "text/event-stream" };
  const response = await sendOperation("servers.logs", { name: server }, { signal, headers });
  if (!response.ok || !response.body) throw await readProblem(response);
  await readServerSentEvents(response.body, ({ name, data }) => {
    const logLines = JSON.parse(data) as ServerLogLine[];
    setLog((before) => ({
      isLive: true,
      error: null,
      lines: name === "kept" ? numberLines(logLines, 0) : withLines(before?.lines ?? [], logLines),
    }));
  });
}

function withLines(
  before: readonly LogLine[],
  added: readonly ServerLogLine[],
): readonly LogLine[] {
  return [...before, ...numberLines(added, (before.at(-1)?.number ?? -1) + 1)].slice(-maxLines);
}

const numberLines = (lines: readonly ServerLogLine[], from: number): LogLine[] =>
  lines.map((line, index) => ({ ...line, number: from + index }));
