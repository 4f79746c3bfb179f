import type { Stats } from "node:fs";
import { extname } from "node:path";
import { parse, stringify, TomlError } from "smol-toml";
import { stableJson } from "../../lib/json/stable-json.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type Json, listOrEmpty, type Path } from "../../model/json.ts";
import { arrangeJson } from "./json-list.ts";
import { jsonText } from "./json-text.ts";
import {
  type ListItem,
  lineEnd,
  type TextFormat,
  TextProblem,
  valueAt,
  wrapValue,
} from "./text-format.ts";
import { writeAtomically } from "./write-file.ts";
import { arrangeYaml, yamlText } from "./yaml-text.ts";

/** TOML by whole tables, as text: everything outside the table stays as it is. */
export const tomlText: TextFormat = {
  parse: (text) => (text.trim() === "" ? undefined : readToml(text)),
  set(text, path, value) {
    const remaining = remove(text, path) ?? text;
    const end = lineEnd(text);
    const table = stringify(wrapValue(path, value)).trim().replaceAll("\n", end);
    const edited = `${remaining}${gapAfter(remaining, end)}${table}${end}`;
    try {
      parse(edited);
      return edited;
    } catch {
      throw notATable(path);
    }
  },
  remove,
};

/** A blank line between two tables. */
function gapAfter(text: string, end: string): string {
  if (text === "") return "";
  return /\n$/.test(text) ? end : end + end;
}

function remove(text: string, path: Path): string | null {
  if (valueAt(readToml(text), path) === undefined) return null;
  const tables = tablesOf(text).filter((table) =>
    path.every((key, index) => table.path[index] === key),
  );
  const withoutTables = tables.reduceRight(
    (remaining, { start, end }) => withoutLines(remaining, start, end),
    text,
  );
  if (valueAt(readToml(withoutTables), path) === undefined) return withoutTables;
  throw notATable(path);
}

function withoutLines(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const isLast = after.trim() === "" || /^\r?\n/.test(after);
  return (isLast ? before.replace(/(\n)\r?\n$/, "$1") : before) + after;
}

function notATable(path: Path): TextProblem {
  const name = path.join(".");
  return new TextProblem(
    1,
    `holds '${name}' in a form that we do not edit; write it as a table [${name}]`,
  );
}

function readToml(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: "asNeeded" });
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const reason = thrown.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    throw new TextProblem(thrown.line, `invalid TOML: ${reason}`, thrown.column);
  }
}

type Table = { path: string[]; start: number; end: number };

const token =
  /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\n|[^"'#[\]{}\n]+/g;

/** The tables with the text they reach over; comments above the next table belong to that one. */
function tablesOf(text: string): Table[] {
  const tables: Table[] = [];
  let depth = 0;
  let lineStart = 0;
  for (const { 0: piece, index } of text.matchAll(token)) {
    if (piece === "\n") {
      if (depth === 0) lineStart = index + 1;
      continue;
    }
    if (piece.trim() === "" || piece.startsWith("#")) continue;
    if (piece === "[" && depth === 0 && text.slice(lineStart, index).trim() === "") {
      const path = headerPath(text.slice(index, endOfLine(text, index)));
      tables.push({ path, start: lineStart, end: index });
    }
    if (piece === "[" || piece === "{") depth++;
    if (piece === "]" || piece === "}") depth--;
    const current = tables.at(-1);
    if (current) current.end = endOfLine(text, index + piece.length);
  }
  return tables;
}

function headerPath(header: string): string[] {
  const path: string[] = [];
  let inner: unknown = parse(header);
  while (isObject(inner)) {
    const [entry] = Object.entries(inner);
    if (entry === undefined) break;
    path.push(entry[0]);
    inner = entry[1];
  }
  return path;
}

function endOfLine(text: string, from: number): number {
  const index = text.indexOf("\n", from);
  return index === -1 ? text.length : index + 1;
}

export function removeFromFile(file: string, path: Path): boolean {
  const bytes = readBytes(file);
  if (bytes === null) return false;
  const edited = removeFromText(file, decode(file, bytes), path);
  if (edited === null) return false;
  writeAtomically(file, edited);
  return true;
}

/** Sets one value and removes others in one write. Paths to remove come last first, so that none moves another. */
export function setInFile(
  file: string,
  path: Path,
  value: Json,
  removed: readonly Path[] = [],
): void {
  const bytes = readBytes(file);
  const text = bytes === null ? "" : decode(file, bytes);
  const remaining = removed.reduce(
    (current, removedPath) => removeFromText(file, current, removedPath) ?? current,
    text,
  );
  const edited = setInText(file, remaining, path, value);
  if (bytes === null || edited !== text) writeAtomically(file, edited);
}

export function setInText(file: string, text: string, path: Path, value: Json): string {
  return edit(file, text, (format, body) => format.set(body, path, value)) ?? text;
}

/** A list as it should be. Entries that stood in it before take their comments along. */
export function arrangeInText(
  file: string,
  text: string,
  path: Path,
  values: readonly Json[],
): string {
  const previous = valueAt(textData(file, text), path);
  const items = pairUp(listOrEmpty(previous) as Json[], values);
  const edited = edit(file, text, (format, body) => {
    if (format === tomlText) return null;
    const arrange = format === yamlText ? arrangeYaml : arrangeJson;
    const arranged = arrange(body, path, items);
    if (arranged === null) return null;
    if (sameData(valueAt(format.parse(arranged), path), values)) return arranged;
    return null;
  });
  return edited ?? setInText(file, text, path, [...values]);
}

function textData(file: string, text: string): unknown {
  return withFileName(file, () => formatOf(file).parse(text.replace(byteOrderMark, "")));
}

const sameData = (a: unknown, b: unknown) => stableJson(a) === stableJson(b);

/** Equal entries are the same; of the others, those that have most in common. */
function pairUp(previous: readonly Json[], values: readonly Json[]): ListItem[] {
  const unpaired = new Set(previous.keys());
  const pair = (index: number | undefined) => {
    if (index === undefined || !unpaired.delete(index)) return null;
    return index;
  };
  const items = values.map((value) => ({
    value,
    was: pair([...unpaired].find((index) => sameData(previous[index], value))),
  }));
  for (const item of items) {
    if (item.was !== null) continue;
    const [closest] = [...unpaired]
      .map((index) => ({ index, score: inCommon(previous[index], item.value) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score);
    item.was = pair(closest?.index);
  }
  return items;
}

function inCommon(a: unknown, b: unknown): number {
  if (!isObject(a) || !isObject(b)) return 0;
  return Object.entries(a).filter(([key, value]) => key !== "verdict" && sameData(value, b[key]))
    .length;
}

/** What `removeFromFile` would make of a text; null when there is nothing to remove. */
export function removeFromText(file: string, text: string, path: Path): string | null {
  return edit(file, text, (format, body) => format.remove(body, path));
}

export function readData(file: string): unknown {
  const bytes = readBytes(file);
  return bytes === null ? undefined : parseFileData(file, bytes);
}

export function parseFileData(file: string, bytes: Buffer): unknown {
  return textData(file, decode(file, bytes));
}

/** Some clients keep their history in the same file. */
const maxFileBytes = 32 * 1024 * 1024;

function whyNotRead(stats: Stats): string | null {
  if (!stats.isFile()) return "it is not a regular file";
  if (stats.size <= maxFileBytes) return null;
  return `it has more than ${maxFileBytes} bytes`;
}

export function readBytes(file: string): Buffer | null {
  try {
    const bytes = readRegularFile(file, whyNotRead);
    if (Buffer.isBuffer(bytes)) return bytes;
    const why = bytes;
    throw new PlaneError("CONFIG_INVALID", `${file} cannot be read: ${why}. Check the path.`, {
      data: { file },
    });
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    const error = thrown as NodeJS.ErrnoException;
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    const details = { data: { file }, cause: thrown };
    throw new PlaneError("CONFIG_INVALID", `${file} cannot be read: ${error.message}.`, details);
  }
}

const byteOrderMark = /^\ufeff/;

function edit(
  file: string,
  text: string,
  change: (format: TextFormat, body: string) => string | null,
): string | null {
  const mark = byteOrderMark.exec(text)?.[0] ?? "";
  const edited = withFileName(file, () => change(formatOf(file), text.slice(mark.length)));
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

function withFileName<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof TextProblem)) throw thrown;
    const { line, column, message } = thrown;
    const position = column === null ? `${line}` : `${line}:${column}`;
    const text = message.endsWith(".") ? message : `${message}.`;
    throw new PlaneError("CONFIG_INVALID", `${file}:${position}: ${text}`, {
      data: { file, line },
    });
  }
}
