import { plainText } from "../lib/text/plain-text.ts";
import { redact } from "../lib/text/redact.ts";
import type { ServerLogLine } from "../model/servers/server-schema.ts";

const maxCharacters = 64 * 1024;
const maxLineLength = 4 * 1024;
/** Even the shortest line takes room. */
const lineCharacters = 64;

export type LogWriter = {
  /** A piece of a text stream, wherever it was cut. */
  addText(text: string): void;
  add(line: Omit<ServerLogLine, "at">): void;
};

export type ServerLog = ReturnType<typeof createServerLog>;

type LogEntry = { user: string | null; line: ServerLogLine };

/** Kept as it came; made safe when read. Writes for the shared session. */
export function createServerLog(hide: (text: string) => string) {
  const entries: LogEntry[] = [];
  const unfinished = new Map<string | null, string>();
  const listeners = new Set<(logEntry: LogEntry) => void>();
  const isFor = (user: string | null) => (logEntry: LogEntry) =>
    logEntry.user === null || logEntry.user === user;
  const safe = ({ line }: LogEntry): ServerLogLine => ({
    ...line,
    text: redact(hide(plainText(line.text))),
  });
  let characters = 0;

  function add(user: string | null, line: Omit<ServerLogLine, "at">): void {
    const text = cutEnd(line.text);
    const logEntry = { user, line: { ...line, text, at: new Date().toISOString() } };
    entries.push(logEntry);
    for (const listener of listeners) listener(logEntry);
    characters += text.length + lineCharacters;
    while (characters > maxCharacters)
      characters -= (entries.shift()?.line.text.length ?? 0) + lineCharacters;
  }

  const writer = (user: string | null): LogWriter => ({
    addText(text) {
      // Of a flood only the end stays, so the rest is not cut into lines.
      const unread = (unfinished.get(user) ?? "") + text;
      const lines = cutStart(unread, maxCharacters).split("\n");
      unfinished.set(user, cutStart(lines.pop() ?? "", maxLineLength));
      for (const line of lines) if (line.trim() !== "") add(user, { source: "stderr", text: line });
    },
    add: (line) => add(user, line),
  });

  return {
    ...writer(null),
    of: writer,
    /** Of the shared session and of this user. */
    lines(user: string | null = null): ServerLogLine[] {
      const readAt = new Date().toISOString();
      const unfinishedEntries = [...unfinished]
        .filter(([, text]) => text.trim() !== "")
        .map(
          ([owner, text]): LogEntry => ({
            user: owner,
            line: { at: readAt, source: "stderr", text },
          }),
        );
      return [...entries, ...unfinishedEntries].filter(isFor(user)).map(safe);
    },
    /** Complete lines that this user may read, until the returned function is called. */
    follow(user: string | null, listener: (line: ServerLogLine) => void): () => void {
      const tell = (logEntry: LogEntry) => {
        if (isFor(user)(logEntry)) listener(safe(logEntry));
      };
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
  };
}

// A cut word may be part of a secret that is no longer recognised.
function cutEnd(text: string): string {
  if (text.length <= maxLineLength) return text;
  return `${text.slice(0, maxLineLength).replace(/(?<!\S)\S*$/, "")}…`;
}

function cutStart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(-limit).replace(/^\S*/, "…");
}
