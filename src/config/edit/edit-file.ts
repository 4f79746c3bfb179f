import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { PlaneError } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import { jsonText } from "./json-text.ts";
import { type TextFormat, TextProblem } from "./text-format.ts";
import { tomlText } from "./toml-text.ts";
import { writeAtomically } from "./write-atomically.ts";
import { yamlText } from "./yaml-text.ts";

/** Sets one value in a configuration file and keeps the rest of it; creates what is missing. */
export function setInFile(file: string, path: Path, value: Json): void {
  const bytes = readBytes(file);
  const text = bytes === null ? "" : decode(file, bytes);
  const edited = setInText(file, text, path, value);
  if (bytes === null || edited !== text) writeAtomically(file, edited);
}

/** False when there was nothing to remove. */
export function removeFromFile(file: string, path: Path): boolean {
  const bytes = readBytes(file);
  if (bytes === null) return false;
  const edited = removeFromText(file, decode(file, bytes), path);
  if (edited === null) return false;
  writeAtomically(file, edited);
  return true;
}

/** Sets one value and removes others in one write. Paths to remove come last first, so that none moves another. */
export function replaceInFile(file: string, path: Path, value: Json, removed: readonly Path[]): void {
  const bytes = readBytes(file);
  const text = bytes === null ? "" : decode(file, bytes);
  const kept = removed.reduce((before, one) => removeInText(file, before, one), text);
  const edited = setInText(file, kept, path, value);
  if (bytes === null || edited !== text) writeAtomically(file, edited);
}

function removeInText(file: string, text: string, path: Path): string {
  return edit(file, text, (format, body) => format.remove(body, path)) ?? text;
}

/** What `setInFile` would make of a text. */
export function setInText(file: string, text: string, path: Path, value: Json): string {
  return edit(file, text, (format, body) => format.set(body, path, value)) ?? text;
}

/** What `removeFromFile` would make of a text; null when there is nothing to remove. */
export function removeFromText(file: string, text: string, path: Path): string | null {
  return edit(file, text, (format, body) => format.remove(body, path));
}

/** A configuration file as data; undefined when it is missing or holds nothing. */
export function readData(file: string): unknown {
  const bytes = readBytes(file);
  return bytes === null ? undefined : parseData(file, bytes);
}

export function parseData(file: string, bytes: Buffer): unknown {
  const text = decode(file, bytes).replace(byteOrderMark, "");
  return naming(file, () => formatOf(file).parse(text));
}

/** Null when there is no such file. */
export function readBytes(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (thrown) {
    const error = thrown as NodeJS.ErrnoException;
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new PlaneError("CONFIG_INVALID", `${file} cannot be read: ${error.message}.`, {
      data: { file },
      cause: thrown,
    });
  }
}

const byteOrderMark = /^\ufeff/;

function edit(
  file: string,
  text: string,
  change: (format: TextFormat, body: string) => string | null,
): string | null {
  const mark = byteOrderMark.exec(text)?.[0] ?? "";
  const edited = naming(file, () => change(formatOf(file), text.slice(mark.length)));
  return edited === null ? null : mark + edited;
}

function formatOf(file: string): TextFormat {
  const extension = extname(file).toLowerCase();
  if (extension === ".yaml" || extension === ".yml") return yamlText;
  return extension === ".toml" ? tomlText : jsonText;
}

/** A text with bytes that are not UTF-8 would come back damaged. */
export function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PlaneError("CONFIG_INVALID", `${file} is not UTF-8 text. Save it as UTF-8.`, {
      data: { file },
    });
  }
}

function naming<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof TextProblem)) throw thrown;
    throw new PlaneError("CONFIG_INVALID", `${file}:${thrown.line}: ${thrown.message}.`, {
      data: { file, line: thrown.line },
    });
  }
}
