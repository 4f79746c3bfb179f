import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { redact } from "../../../lib/redact.ts";

/** Newest first; none where there is no file yet. */
export function loadHistory(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

/** What looks like a secret is not written down. That it cannot be written is no reason to end a conversation. */
export function keepHistory(file: string, history: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const kept = history.filter((line) => redact(line) === line && !line.includes("\n"));
    writeFileSync(file, `${kept.join("\n")}\n`, { mode: 0o600 });
  } catch {
    // A directory that cannot be written to costs the history and nothing else.
  }
}
