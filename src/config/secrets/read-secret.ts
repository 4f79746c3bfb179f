import { type ExecFileException, execFile } from "node:child_process";
import { resolve } from "node:path";
import { limited } from "../../lib/async/limited.ts";
import { abortable } from "../../lib/async/signals.ts";
import { homeDirectory } from "../../lib/files.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { redact } from "../../lib/text/redact.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ReadSecret } from "../../model/extensions/extension.ts";
import { readFileText } from "../text/read-file-text.ts";
import type { BuiltInSecret, SecretKind, SecretReference } from "./references.ts";

const escapable = /["'\\\s]/;

/**
 * A command line as a shell would split it, with single and double quotes and a backslash before a quote, a space
 * or a backslash; any other backslash stays, for the sake of Windows paths. Null when a quote is not closed.
 */
export function splitCommand(text: string): string[] | null {
  const commandWords: string[] = [];
  let currentWord: string | null = null;
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === "\\" && quote !== "'" && escapable.test(text.charAt(index + 1))) {
      currentWord = (currentWord ?? "") + text.charAt(++index);
    } else if (quote === "" ? /["']/.test(character) : character === quote) {
      quote = quote === "" ? character : "";
      currentWord ??= "";
    } else if (quote === "" && /\s/.test(character)) {
      if (currentWord !== null) commandWords.push(currentWord);
      currentWord = null;
    } else {
      currentWord = (currentWord ?? "") + character;
    }
  }
  if (currentWord !== null) commandWords.push(currentWord);
  return quote === "" ? commandWords : null;
}

const maxOutputBytes = 1024 * 1024;

export async function readCommand(
  command: string,
  directory: string,
  limitMs = 10_000,
): Promise<SecretAnswer> {
  const commandLine = splitCommand(command);
  if (commandLine === null) return { why: "a quote is not closed", remedy: "Close it." };
  const [program, ...programArguments] = commandLine;
  if (!program)
    return { why: "no program is named", remedy: `Write it as \${command:program argument …}.` };
  const options = {
    cwd: directory,
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: maxOutputBytes,
    windowsHide: true,
  } as const;
  return new Promise((resolve) => {
    const child = execFile(program, programArguments, options, (error, output) => {
      if (error) resolve(explain(error, program, limitMs));
      else resolve(firstLine(output));
    });
    // A program that asks a question gets no answer, and says so instead of waiting for one.
    child.stdin?.end();
  });
}

function firstLine(output: string): SecretAnswer {
  const [secret = ""] = output.split(/\r?\n/, 1);
  if (secret !== "") return { secret };
  return { why: "its first line is empty", remedy: "Let it print the secret on the first line." };
}

/** What the program printed is left out: it may be the secret. */
function explain(error: ExecFileException, program: string, limitMs: number): SecretAnswer {
  const { code, signal } = error;
  if (code === "ENOENT") {
    return { why: `there is no program '${program}'`, remedy: "Install it or give its full path." };
  }
  if (code === "EACCES")
    return { why: `'${program}' may not be run`, remedy: "Make it executable." };
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return { why: "it prints more than 1 MiB", remedy: "Let it print the secret alone." };
  const remedy = "Run it yourself to see why.";
  if (error.killed) return { why: `it took longer than ${limitMs / 1000} seconds`, remedy };
  return { why: signal ? `it was ended by ${signal}` : `it failed with ${code}`, remedy };
}

export type Keyring = {
  AsyncEntry: new (
    service: string,
    account: string,
  ) => { getPassword(): Promise<string | null | undefined> };
};

/** Long enough for a person to unlock it. */
const limitMs = 60_000;
const alternative = `or keep the secret elsewhere and write \${file:…} or \${command:…}.`;

export async function readKeychain(name: string, load = loadKeyring): Promise<SecretAnswer> {
  const slash = name.lastIndexOf("/");
  const service = name.slice(0, Math.max(slash, 0));
  const account = name.slice(slash + 1);
  if (service === "" || account === "") {
    return {
      why: "it does not name service and account",
      remedy: `Write it as \${keychain:service/account}.`,
    };
  }
  const keyring = await load().catch(() => null);
  if (keyring === null) {
    const why = "the package @napi-rs/keyring is not installed or does not support this system";
    return { why, remedy: `Install it, ${alternative}` };
  }
  try {
    const entry = new keyring.AsyncEntry(service, account);
    const secret = await abortable(entry.getPassword(), AbortSignal.timeout(limitMs));
    if (secret) return { secret };
    return { why: "the keychain has no such entry", remedy: `Add it, ${alternative}` };
  } catch {
    const why = "this system has no keychain, or it is locked";
    return { why, remedy: `Unlock it, ${alternative}` };
  }
}

/** Rejects with why not, and what else there is. */
export async function writeKeychain(
  service: string,
  account: string,
  secret: string,
): Promise<void> {
  try {
    const { AsyncEntry } = await import("@napi-rs/keyring");
    await abortable(
      new AsyncEntry(service, account).setPassword(secret),
      AbortSignal.timeout(limitMs),
    );
  } catch (thrown) {
    const why = "The keychain did not take it: this system has none, or it is locked.";
    throw new PlaneError("USAGE", `${why} Keep it in a file instead: --secrets file.`, {
      cause: thrown,
    });
  }
}

function loadKeyring(): Promise<Keyring> {
  return import("@napi-rs/keyring");
}

type Reader = (name: string, directory: string) => Promise<SecretAnswer>;

const builtInReaders: Readonly<Record<BuiltInSecret, Reader>> = {
  file: readFile,
  command: readCommand,
  keychain: (name) => readKeychain(name),
};

const readers: ReadonlyMap<string, Reader> = new Map(Object.entries(builtInReaders));

/** How extensions read the kinds of secrets that they have added. */
export type AddedReaders = (kind: SecretKind) => ReadSecret | undefined;

/** What a reference stands for. Relative paths and programs start in `directory`. */
export async function readSecret(
  { kind, name }: SecretReference,
  directory: string,
  addedReader: AddedReaders = () => undefined,
): Promise<string> {
  const ownReader = readers.get(kind);
  const answer = await (ownReader
    ? ownReader(name, directory)
    : readAdded(addedReader(kind), name, directory));
  if ("secret" in answer) return answer.secret;
  // A command may have been given a secret on its way, so only its program is named.
  const shownName = kind === "command" ? `${name.trim().split(/\s/)[0]} …` : redact(name);
  const message = `The secret \${${kind}:${shownName}} cannot be read: ${answer.why}. ${answer.remedy}`;
  throw new PlaneError("CONFIG_INVALID", message, { data: { kind, name: shownName } });
}

async function readAdded(
  read: ReadSecret | undefined,
  name: string,
  directory: string,
): Promise<SecretAnswer> {
  if (read === undefined) {
    const why = "the extension that reads it is not in use";
    return { why, remedy: "'toolplane extensions list' says why." };
  }
  const reading = new AbortController();
  try {
    const secret: unknown = await limited(
      () => read(name, { directory, signal: reading.signal }),
      limitMs,
    );
    if (typeof secret !== "string" || secret === "")
      return {
        why: "the extension that reads it gave no text",
        remedy: "Look at what it is given.",
      };
    if (secret.length <= maxOutputBytes) return { secret };
    return {
      why: "the extension that reads it gave more than 1 MiB",
      remedy: "Name the secret alone.",
    };
  } catch (thrown) {
    const why = redact(errorText(thrown)).replace(/(?<![.!?])[.!?]+$/, "");
    return { why, remedy: "The extension that reads it says so." };
  } finally {
    reading.abort();
  }
}

async function readFile(name: string, directory: string): Promise<SecretAnswer> {
  const path = /^~[/\\]/.test(name)
    ? resolve(homeDirectory() ?? "/", name.slice(2))
    : resolve(directory, name);
  const content = readFileText(path, 1);
  if (!("text" in content)) return { why: `${path}: ${content.message}`, remedy: content.hint };
  const secret = content.text.replace(/\r?\n$/, "");
  if (secret === "") return { why: `${path}: is empty`, remedy: "Write the secret into it." };
  return { secret };
}

/** The secret, or what is in its way. Neither part of the reason may hold what was read. */
type SecretAnswer = { secret: string } | { why: string; remedy: string };
