import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Path } from "../../model/path.ts";
import { lineAt, TextProblem } from "./text-format.ts";

/** The tree of a JSON text with comments; undefined when there is nothing but space and comments. */
export function readTree(text: string): Node | undefined {
  if (endOfGap(text, 0) === text.length) return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return tree;
  const what = printParseErrorCode(first.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
  throw new TextProblem(lineAt(text, first.offset), `is not valid JSON: ${what.toLowerCase()}`);
}

/** Objects without a prototype: a key named `__proto__` is just a key. */
export function toData(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(toData);
  if (node.type !== "object") return node.value;
  const result: Record<string, unknown> = Object.create(null);
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? [];
    if (key && value) result[String(key.value)] = toData(value);
  }
  return result;
}

/** As far down the path as the tree goes, and what is left of the path there. */
export function descend(tree: Node, path: Path): { node: Node; rest: Path } {
  let node = tree;
  for (const [at, key] of path.entries()) {
    const next = memberOf(node, key);
    if (next === undefined) return { node, rest: path.slice(at) };
    node = next;
  }
  return { node, rest: [] };
}

function memberOf(node: Node, key: string | number): Node | undefined {
  if (typeof key === "number") return node.type === "array" ? node.children?.[key] : undefined;
  if (node.type !== "object") return undefined;
  // Of two equal keys, readers take the last.
  return node.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1];
}

const gap = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const restOfLine = /(?:[ \t]|\/\*[^\r\n]*?\*\/)*(?:\/\/[^\r\n]*)?/y;

/** Where space and comments from here on end. */
export function endOfGap(text: string, from: number): number {
  return from + matchAt(gap, text, from).length;
}

/** Behind the comments that stand on the same line. */
export function endOfLineComments(text: string, from: number): number {
  return from + matchAt(restOfLine, text, from).trimEnd().length;
}

/** Where the comma behind a value stands. */
export function commaAfter(text: string, from: number): number | null {
  const at = endOfGap(text, from);
  return text[at] === "," ? at : null;
}

function matchAt(pattern: RegExp, text: string, from: number): string {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? "";
}
