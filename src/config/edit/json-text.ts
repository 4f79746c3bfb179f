import { applyEdits, type Edit, type Node, type ParseError, parseTree } from "jsonc-parser";
import { type Json, type Path, renderPath } from "../../model/json.ts";
import { createLineIndex } from "../text/document.ts";
import { describeJsonError } from "../text/read-document.ts";
import { lineAt, lineEnd, type TextFormat, TextProblem, wrapValue } from "./text-format.ts";

export function parseJsonTree(text: string): Node | undefined {
  if (endOfGap(text, 0) === text.length) return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return tree;
  const [problem, remedy] = describeJsonError(error.error);
  const { line, column } = createLineIndex(text)(error.offset);
  throw new TextProblem(line, `${problem}. ${remedy}`, column);
}

/** Objects without a prototype: a key named `__proto__` is just a key. */
function toData(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(toData);
  if (node.type !== "object") return node.value;
  const result: Record<string, unknown> = Object.create(null);
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? [];
    if (key && value) result[String(key.value)] = toData(value);
  }
  return result;
}

export function descend(tree: Node, path: Path): { node: Node; missing: Path } {
  let node = tree;
  for (const [depth, key] of path.entries()) {
    const member = memberOf(node, key);
    if (member === undefined) return { node, missing: path.slice(depth) };
    node = member;
  }
  return { node, missing: [] };
}

function memberOf(node: Node, key: string | number): Node | undefined {
  if (typeof key === "number") return node.type === "array" ? node.children?.[key] : undefined;
  if (node.type !== "object") return undefined;
  // Of two equal keys, readers take the last.
  return node.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1];
}

const gap = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const lineComments = /(?:[ \t]|\/\*[^\r\n]*?\*\/)*(?:\/\/[^\r\n]*)?/y;

function endOfGap(text: string, from: number): number {
  return from + matchAt(gap, text, from).length;
}

export function endOfLineComments(text: string, from: number): number {
  return from + matchAt(lineComments, text, from).trimEnd().length;
}

export function commaAfter(text: string, from: number): number | null {
  const index = endOfGap(text, from);
  return text[index] === "," ? index : null;
}

function matchAt(pattern: RegExp, text: string, from: number): string {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? "";
}

/** JSON with comments. The library's own edits reformat lines and drop comments next to a removed entry. */
export const jsonText: TextFormat = { parse, set, remove };

function parse(text: string): unknown {
  const tree = parseJsonTree(text);
  return tree && toData(tree);
}

function set(text: string, path: Path, value: Json): string {
  const tree = parseJsonTree(text);
  if (tree === undefined) return set(`${text}{}${lineEnd(text)}`, path, value);
  const { node, missing } = descend(tree, path);
  const [key, ...below] = missing;
  if (key === undefined || node.type === "null")
    return applyEdits(text, [replacement(text, node, wrapValue(missing, value))]);
  if (node.type !== (typeof key === "number" ? "array" : "object")) {
    const name = renderPath(path.slice(0, path.length - missing.length)) || "the top level";
    throw new TextProblem(
      lineAt(text, node.offset),
      `${name} is not an object that can take '${key}'`,
    );
  }
  const label = typeof key === "number" ? "" : JSON.stringify(key);
  return applyEdits(text, insertion(text, node, label, wrapValue(below, value)));
}

function remove(text: string, path: Path): string | null {
  const tree = parseJsonTree(text);
  if (tree === undefined || path.length === 0) return null;
  const { node, missing } = descend(tree, path);
  if (missing.length > 0) return null;
  const child = node.parent?.type === "property" ? node.parent : node;
  if (child.parent === undefined) return null;
  const edited = applyEdits(text, removal(text, child.parent, child));
  // An object may hold the same key twice; a list only moves up.
  if (typeof path.at(-1) === "number") return edited;
  return remove(edited, path) ?? edited;
}

function replacement(text: string, node: Node, value: Json): Edit {
  const content = isOneLine(text)
    ? JSON.stringify(value)
    : spreadOut(text, value, indentAt(text, node.offset));
  return { offset: node.offset, length: node.length, content };
}

function insertion(text: string, parent: Node, label: string, value: Json): Edit[] {
  const last = parent.children?.at(-1);
  const close = parent.offset + parent.length - 1;
  const interior = text.slice(parent.offset + 1, close);
  const isInline =
    !interior.includes("\n") && (last !== undefined || isInnerOfOneLine(text, parent));
  const valueEnd = last ? last.offset + last.length : parent.offset + 1 + interior.trimEnd().length;
  const comma = last ? commaAfter(text, valueEnd) : null;
  const anchor = endOfLineComments(text, comma === null ? valueEnd : comma + 1);
  const edits = last && comma === null ? [{ offset: valueEnd, length: 0, content: "," }] : [];
  const end = comma === null ? "" : ",";
  if (isInline) {
    const space = /[,:] /.test(text) ? " " : "";
    const entry = `${label && `${label}:${space}`}${JSON.stringify(value)}`;
    return [...edits, { offset: anchor, length: 0, content: `${last ? space : ""}${entry}${end}` }];
  }
  const indent = indentOfChild(text, parent, last);
  const entry = `${label && `${label}: `}${spreadOut(text, value, indent)}`;
  const lead = `${lineEnd(text)}${indent}`;
  const closesHere = !text.slice(anchor, close).includes("\n");
  const tail = closesHere ? `${lineEnd(text)}${indentAt(text, parent.offset)}` : "";
  const length = closesHere ? close - anchor : 0;
  return [...edits, { offset: anchor, length, content: `${lead}${entry}${end}${tail}` }];
}

function removal(text: string, parent: Node, child: Node): Edit[] {
  const end = child.offset + child.length;
  const siblings = parent.children ?? [];
  const previous = siblings[siblings.indexOf(child) - 1];
  const commaBehind = commaAfter(text, end);
  if (siblings.length === 1) {
    const close = parent.offset + parent.length - 1;
    const remaining =
      text.slice(parent.offset + 1, child.offset) +
      text.slice(commaBehind === null ? end : commaBehind + 1, close);
    if (remaining.trim() === "") return [cut(parent.offset + 1, close)];
  }
  if (commaBehind !== null) {
    if (text.slice(end, commaBehind).trim() === "")
      return [cut(...wholeLines(text, child.offset, commaBehind + 1, true))];
    return [cut(child.offset, end), cut(commaBehind, commaBehind + 1)];
  }
  const commaInFront = previous ? commaAfter(text, previous.offset + previous.length) : null;
  if (commaInFront === null) return [cut(...wholeLines(text, child.offset, end, false))];
  if (text.slice(commaInFront + 1, child.offset).trim() === "") return [cut(commaInFront, end)];
  return [cut(commaInFront, commaInFront + 1), cut(...wholeLines(text, child.offset, end, false))];
}

/** Takes the line along when nothing else is left on it, else the space on one side. */
function wholeLines(text: string, from: number, to: number, isFollowed: boolean): [number, number] {
  const start = from - (/(?<![ \t])[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0);
  const stop = to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0);
  const startsLine = start === 0 || text[start - 1] === "\n";
  const end = /^\r?\n/.exec(text.slice(stop, stop + 2))?.[0];
  if (startsLine && end !== undefined) return [start, stop + end.length];
  return startsLine || isFollowed ? [from, stop] : [start, to];
}

function cut(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: "" };
}

export function spreadOut(text: string, value: Json, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll(
    "\n",
    `${lineEnd(text)}${indent}`,
  );
}

function isOneLine(text: string): boolean {
  return !text.trim().includes("\n");
}

function isInnerOfOneLine(text: string, node: Node): boolean {
  return node.parent !== undefined && isOneLine(text);
}

function indentOfChild(text: string, parent: Node, last: Node | undefined): string {
  const lastIndent = last ? indentAt(text, last.offset) : "";
  const startsLine = last !== undefined && text.slice(0, last.offset).endsWith(`\n${lastIndent}`);
  if (startsLine) return lastIndent;
  return indentAt(text, parent.offset) + indentUnit(text);
}

export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function indentUnit(text: string): string {
  return /\n([ \t]+)["[{\]}]/.exec(text)?.[1] ?? "  ";
}
