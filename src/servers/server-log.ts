import { plainText } from "../lib/plain-text.ts";
import { redact } from "../lib/redact.ts";
import type { ServerLogLine } from "../model/server.ts";

const keptCharacters = 64 * 1024;
const longestLine = 4 * 1024;

export type ServerLog = {
  /** A piece of a text stream, wherever it was cut. */
  addText(text: string): void;
  add(line: Omit<ServerLogLine, "at">): void;
  lines(): ServerLogLine[];
};

/** The last things a server said, as they came; made safe to print when they are read. */
export function createServerLog(hide: () => (text: string) => string): ServerLog {
  const lines: ServerLogLine[] = [];
  let kept = 0;
  let unfinished = "";

  function add(line: Omit<ServerLogLine, "at">): void {
    const text = line.text.slice(0, longestLine);
    lines.push({ ...line, text, at: new Date().toISOString() });
    kept += text.length;
    while (kept > keptCharacters) kept -= lines.shift()?.text.length ?? 0;
  }

  return {
    addText(text) {
      // Of a flood only the end can stay, so the rest is not even cut into lines.
      const parts = (unfinished + text).slice(-keptCharacters).split("\n");
      unfinished = (parts.pop() ?? "").slice(-longestLine);
      for (const line of parts) if (line.trim() !== "") add({ source: "stderr", text: line });
    },
    add,
    lines() {
      const last = unfinished.trim() === "" ? [] : [{ source: "stderr" as const, text: unfinished }];
      const all = [...lines, ...last.map((line) => ({ ...line, at: new Date().toISOString() }))];
      return all.map((line) => ({ ...line, text: redact(hide()(plainText(line.text))) }));
    },
  };
}
