import { resolve } from "node:path";
import { homeDirectory } from "../../lib/home-directory.ts";
import { redact } from "../../lib/redact.ts";
import { PlaneError } from "../../model/errors.ts";
import { readText } from "../text/read-text.ts";
import { readCommand } from "./read-command.ts";
import { readKeychain } from "./read-keychain.ts";
import type { SecretKind, SecretReference } from "./references.ts";
import type { SecretAnswer } from "./secret-answer.ts";

const readers: Record<SecretKind, (name: string, directory: string) => Promise<SecretAnswer>> = {
  file: readFile,
  command: readCommand,
  keychain: (name) => readKeychain(name),
};

/** What a reference stands for. Relative paths and programs start in `directory`. */
export async function readSecret({ kind, name }: SecretReference, directory: string): Promise<string> {
  const answer = await readers[kind](name, directory);
  if ("secret" in answer) return answer.secret;
  // A command may have been given a secret on its way, so only its program is named.
  const shown = kind === "command" ? `${name.trim().split(/\s/)[0]} …` : redact(name);
  const message = `The secret \${${kind}:${shown}} cannot be read: ${answer.why}. ${answer.remedy}`;
  throw new PlaneError("CONFIG_INVALID", message, { data: { kind, name: shown } });
}

async function readFile(name: string, directory: string): Promise<SecretAnswer> {
  const path = /^~[/\\]/.test(name)
    ? resolve(homeDirectory() ?? "/", name.slice(2))
    : resolve(directory, name);
  const read = readText(path, 1);
  if (!("text" in read)) return { why: `${path}: ${read.message}`, remedy: read.hint };
  const secret = read.text.replace(/\r?\n$/, "");
  return secret === "" ? { why: `${path}: is empty`, remedy: "Write the secret into it." } : { secret };
}
