import { looksSecret } from "../../lib/looks-secret.ts";
import { redact } from "../../lib/redact.ts";
import type { ServerDefinition } from "../../model/server.ts";

/** What to type to start the server by hand, without its secrets. */
export function renderCommandLine({ command = "", args, env, cwd }: ServerDefinition): string {
  const variables = Object.entries(env).map(
    ([name, value]) => `${name}=${looksSecret(name) ? "'[redacted]'" : quote(redact(value))}`,
  );
  const words = [...variables, ...[command, ...args].map((word) => quote(redact(word)))].join(" ");
  return cwd === undefined ? words : `cd ${quote(cwd)} && ${words}`;
}

/** One word for a shell. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
