import { readFileSync } from "node:fs";
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { ConfigProblem } from "../model/config.ts";

export type ConfigFile = {
  file: string;
  data: unknown;
  lineOf(path: readonly (string | number)[]): number | null;
};

/** One file as data that knows its lines, or the problem that makes it unreadable. */
export function readConfigFile(file: string): ConfigFile | ConfigProblem {
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (thrown) {
    return unreadable(file, thrown as NodeJS.ErrnoException);
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) return broken(file, lineAt(text, first.offset), printParseErrorCode(first.error));
  if (!tree) return broken(file, 1, "the file is empty");
  return { file, data: toData(tree), lineOf: (path) => lineOf(text, tree, path) };
}

function lineOf(text: string, tree: Node, path: readonly (string | number)[]): number | null {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return lineAt(text, node.parent?.type === "property" ? node.parent.offset : node.offset);
  }
  return 1;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
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

function unreadable(file: string, error: NodeJS.ErrnoException): ConfigProblem {
  const message = error.code === "ENOENT" ? "no such file" : `cannot be read: ${error.message}`;
  return {
    file,
    line: null,
    path: "",
    severity: "error",
    message,
    hint: "Check the path given with --config.",
  };
}

function broken(file: string, line: number, code: string): ConfigProblem {
  const message = code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return {
    file,
    line,
    path: "",
    severity: "error",
    message: `is not valid JSON: ${message}`,
    hint: "Comments and trailing commas are fine; quotes, commas and brackets must match.",
  };
}
