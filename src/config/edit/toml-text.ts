import { parse, stringify, TomlError } from "smol-toml";
import { isObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import { lineEnd, type TextFormat, TextProblem, wrapValue } from "./text-format.ts";
import { valueAt } from "./value-at.ts";

/** TOML by whole tables, as text: everything outside the table stays as it is. */
export const tomlText: TextFormat = {
  parse: (text) => (text.trim() === "" ? undefined : readToml(text)),
  set(text, path, value) {
    const rest = remove(text, path) ?? text;
    const end = lineEnd(text);
    const table = stringify(wrapValue(path, value)).trim().replaceAll("\n", end);
    const gap = rest === "" ? "" : /\n$/.test(rest) ? end : end + end;
    return checked(`${rest}${gap}${table}${end}`, path);
  },
  remove,
};

function remove(text: string, path: Path): string | null {
  if (valueAt(readToml(text), path) === undefined) return null;
  const tables = tablesOf(text).filter((table) => path.every((key, at) => table.path[at] === key));
  const result = tables.reduceRight((rest, { start, end }) => withoutLines(rest, start, end), text);
  if (valueAt(readToml(result), path) === undefined) return result;
  throw notATable(path);
}

function withoutLines(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const isLast = after.trim() === "" || /^\r?\n/.test(after);
  return (isLast ? before.replace(/(\n)\r?\n$/, "$1") : before) + after;
}

function checked(text: string, path: Path): string {
  try {
    parse(text);
  } catch {
    throw notATable(path);
  }
  return text;
}

function notATable(path: Path): TextProblem {
  const name = path.join(".");
  return new TextProblem(1, `holds '${name}' in a form that we do not edit; write it as a table [${name}]`);
}

function readToml(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: "asNeeded" });
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const what = thrown.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    throw new TextProblem(thrown.line, `is not valid TOML: ${what}`);
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
  for (const { 0: part, index } of text.matchAll(token)) {
    if (part === "\n") {
      if (depth === 0) lineStart = index + 1;
      continue;
    }
    if (part.trim() === "" || part.startsWith("#")) continue;
    if (part === "[" && depth === 0 && text.slice(lineStart, index).trim() === "") {
      const path = headerPath(text.slice(index, endOfLine(text, index)));
      tables.push({ path, start: lineStart, end: index });
    }
    if (part === "[" || part === "{") depth++;
    if (part === "]" || part === "}") depth--;
    const current = tables.at(-1);
    if (current) current.end = endOfLine(text, index + part.length);
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
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at + 1;
}
