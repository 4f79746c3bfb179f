import { plainText } from "../lib/text/plain-text.ts";
import { redact } from "../lib/text/redact.ts";
import type { ServerLogLine } from "../model/servers/server-schema.ts";

const keptCharacters = 64 * 1024;
const maxLine = 4 * 1024;
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
  const said: LogEntry[] = [];
  const unfinished = new Map<string | null, string>();
  const listeners = new Set<(said: LogEntry) => void>();
  const isFor = (user: string | null) => (one: LogEntry) => one.user === null || one.user === user;
  const safe = ({ line }: LogEntry): ServerLogLine => ({
    ...line,
    text: redact(hide(plainText(line.text))),
  });
  let kept = 0;

  function add(user: string | null, line: Omit<ServerLogLine, "at">): void {
    const text = cutEnd(line.text);
    const one = { user, line: { ...line, text, at: new Date().toISOString() } };
    said.push(one);
    for (const tell of listeners) tell(one);
    kept += text.length + lineCharacters;
    while (kept > keptCharacters) kept -= (said.shift()?.line.text.length ?? 0) + lineCharacters;
  }

  const writer = (user: string | null): LogWriter => ({
    addText(text) {
      // Of a flood only the end stays, so the rest is not cut into lines.
      const whole = (unfinished.get(user) ?? "") + text;
      const parts = cutStart(whole, keptCharacters).split("\n");
      unfinished.set(user, cutStart(parts.pop() ?? "", maxLine));
      for (const line of parts) if (line.trim() !== "") add(user, { source: "stderr", text: line });
    },
    add: (line) => add(user, line),
  });

  return {
    ...writer(null),
    of: writer,
    /** Of the shared session and of this user. */
    lines(user: string | null = null): ServerLogLine[] {
      const at = new Date().toISOString();
      const begun = [...unfinished]
        .filter(([, text]) => text.trim() !== "")
        .map(([of, text]): LogEntry => ({ user: of, line: { at, source: "stderr", text } }));
      return [...said, ...begun].filter(isFor(user)).map(safe);
    },
    /** Complete lines that this user may read, until the returned function is called. */
    follow(user: string | null, listener: (line: ServerLogLine) => void): () => void {
      const tell = (one: LogEntry) => isFor(user)(one) && listener(safe(one));
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
  };
}

// A cut word may be part of a secret that is no longer recognised.
function cutEnd(text: string): string {
  return text.length <= maxLine ? text : `${text.slice(0, maxLine).replace(/(?<!\S)\S*$/, "")}…`;
}

function cutStart(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(-limit).replace(/^\S*/, "…");
}
