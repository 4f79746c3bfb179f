import { type Inline, readInline } from "./markdown-inline.ts";

export type ListEntry = { at: number; isDone: boolean | null; blocks: Block[] };

/** A part of a text. `at` tells parts apart. */
export type Block =
  | { kind: "paragraph"; at: number; inside: Inline[] }
  | { kind: "heading"; at: number; level: number; inside: Inline[] }
  | { kind: "code"; at: number; language: string; text: string }
  | { kind: "quote"; at: number; blocks: Block[] }
  | { kind: "list"; at: number; start: number | null; entries: ListEntry[] }
  | { kind: "table"; at: number; head: Inline[][]; rows: Inline[][][]; right: boolean[] }
  | { kind: "rule"; at: number };

const maxDepth = 8;
// Each is linear: no two of its parts that follow each other can take the same characters.
const fence = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/;
const heading = /^ {0,3}(#{1,6})\s+(.*)$/s;
const rule = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const entry = /^( {0,3})([-*+]|\d{1,9}[.)])(?:\s+|$)/;
const divider = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;

/** The parts of a Markdown text: the usual ones, and no HTML. */
export function readMarkdown(text: string): Block[] {
  return readBlocks(text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n"), 0);
}

/** Whether Markdown would look better than the text itself. */
export function looksLikeMarkdown(text: string): boolean {
  return /^(#{1,6} \S|```|[ \t]*[-*] \S|[ \t]*\d+\. \S|> \S|\|.+\|\s*$)|\*\*\S(?:[^\n*]*[^\s*])?\*\*|\]\(https?:\/\//m.test(
    text,
  );
}

type Read = { block: Block; next: number };
type Reader = (lines: readonly string[], at: number, depth: number) => Read | null;

const readers: readonly Reader[] = [readCode, readHeading, readRule, readQuote, readList, readTable];

function readBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.trim() === "") {
      at += 1;
      continue;
    }
    const read = firstOf(lines, at, depth) ?? readParagraph(lines, at, depth);
    blocks.push(read.block);
    at = read.next;
  }
  return blocks;
}

function firstOf(lines: readonly string[], at: number, depth: number): Read | null {
  for (const reader of readers) {
    const read = reader(lines, at, depth);
    if (read !== null) return read;
  }
  return null;
}

function readParagraph(lines: readonly string[], at: number, depth: number): Read {
  let next = at + 1;
  while (next < lines.length && lines[next]?.trim() !== "" && firstOf(lines, next, depth) === null) next += 1;
  const text = lines.slice(at, next).map((line) => line.trimStart());
  return { block: { kind: "paragraph", at, inside: readInline(text.join("\n").trimEnd()) }, next };
}

function readCode(lines: readonly string[], at: number): Read | null {
  const [, mark = "", about = ""] = fence.exec(lines[at] ?? "") ?? [];
  if (mark === "") return null;
  const isEnd = (line: string) => line.trim().startsWith(mark) && /^(`+|~+)$/.test(line.trim());
  const [language = ""] = about.trim().split(/\s/, 1);
  let stop = at + 1;
  // While it is being written, it has no end yet.
  while (stop < lines.length && !isEnd(lines[stop] ?? "")) stop += 1;
  return { block: { kind: "code", at, language, text: lines.slice(at + 1, stop).join("\n") }, next: stop + 1 };
}

function readHeading(lines: readonly string[], at: number): Read | null {
  const [, marks, text = ""] = heading.exec(lines[at] ?? "") ?? [];
  if (marks === undefined) return null;
  const title = text.trimEnd().replace(/(?<!\s)\s+#+$/, "");
  return { block: { kind: "heading", at, level: marks.length, inside: readInline(title) }, next: at + 1 };
}

function readRule(lines: readonly string[], at: number): Read | null {
  return rule.test(lines[at] ?? "") ? { block: { kind: "rule", at }, next: at + 1 } : null;
}

function readQuote(lines: readonly string[], at: number, depth: number): Read | null {
  const isQuoted = (line: string | undefined) => line !== undefined && /^ {0,3}>/.test(line);
  if (depth > maxDepth || !isQuoted(lines[at])) return null;
  let next = at;
  while (isQuoted(lines[next])) next += 1;
  const inner = lines.slice(at, next).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { block: { kind: "quote", at, blocks: readBlocks(inner, depth + 1) }, next };
}

function readList(lines: readonly string[], at: number, depth: number): Read | null {
  const first = entry.exec(lines[at] ?? "");
  if (depth > maxDepth || first === null) return null;
  const isNumbered = /\d/.test(first[2] ?? "");
  const entries: ListEntry[] = [];
  let next = at;
  while (next < lines.length) {
    const match = entry.exec(lines[next] ?? "");
    if (match === null || /\d/.test(match[2] ?? "") !== isNumbered || rule.test(lines[next] ?? "")) break;
    const width = match[0].length;
    const end = endOfEntry(lines, next + 1, Math.min(width, 2));
    const [line = "", ...rest] = lines.slice(next, end);
    entries.push(readEntry(next, line.slice(width), rest, width, depth));
    next = end;
  }
  const start = isNumbered ? Number.parseInt(first[2] ?? "1", 10) : null;
  return { block: { kind: "list", at, start, entries }, next };
}

/** As far as lines are indented, or go on with a sentence. */
function endOfEntry(lines: readonly string[], from: number, indent: number): number {
  let next = from;
  while (next < lines.length) {
    const line = lines[next] ?? "";
    const isBlank = line.trim() === "";
    const follows = isBlank ? lines[next + 1] : line;
    const isIndented = follows !== undefined && follows.trim() !== "" && follows.search(/\S/) >= indent;
    const isLazy =
      !isBlank && next > 0 && lines[next - 1]?.trim() !== "" && firstOf(lines, next, maxDepth + 1) === null;
    if (!isIndented && (!isLazy || entry.test(line))) break;
    next += 1;
  }
  return next;
}

function readEntry(at: number, first: string, rest: readonly string[], width: number, depth: number): ListEntry {
  const [, mark] = /^\[([ xX])\]\s/.exec(first) ?? [];
  const indents = rest.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const outdent = Math.min(width, ...indents);
  const inner = rest.map((line) => line.slice(Math.min(outdent, line.search(/\S|$/))));
  const text = mark === undefined ? first : first.slice(4);
  return { at, isDone: mark === undefined ? null : mark !== " ", blocks: readBlocks([text, ...inner], depth + 1) };
}

function readTable(lines: readonly string[], at: number): Read | null {
  const [head = "", marks = ""] = [lines[at], lines[at + 1]];
  if (!head.includes("|") || !marks.includes("-") || !divider.test(marks)) return null;
  const titles = cellsOf(head);
  if (titles.length !== cellsOf(marks).length) return null;
  let next = at + 2;
  while (lines[next]?.includes("|")) next += 1;
  const rows = lines.slice(at + 2, next).map((line) => {
    const cells = cellsOf(line).slice(0, titles.length);
    return cells.map((cell) => readInline(cell));
  });
  const right = cellsOf(marks).map((mark) => /-:$/.test(mark));
  return { block: { kind: "table", at, head: titles.map((title) => readInline(title)), rows, right }, next };
}

function cellsOf(line: string): string[] {
  const bare = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
