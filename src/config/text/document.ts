import type { ConfigProblem } from "../../model/config/config.ts";
import { type Path, renderPath } from "../../model/json.ts";
import type { ConfigDocument } from "../shapes/reading.ts";

/** More than anyone nests by hand, and less than a recursive walk can overflow on. */
export const maxLevels = 200;
/** Most problems after these follow from the first. */
const maxProblems = 20;

/** How a file is read, by its ending; any other is read as what its text looks like. */
export const documentFormats: ReadonlyMap<string, "json" | "yaml"> = new Map([
  [".json", "json"],
  [".jsonc", "json"],
  [".yaml", "yaml"],
  [".yml", "yaml"],
]);

/** A value with its offset in the text; inside an object that is the offset of its key. */
export type TextNode =
  | { offset: number; kind: "scalar"; value: unknown }
  | { offset: number; kind: "list" | "object"; inside: Map<string | number, TextNode> };

export type Container = Extract<TextNode, { inside: unknown }>;

/** The data of a file, unless it has errors, and all its problems. */
export type ReadDocument = {
  document: ConfigDocument | null;
  problems: ConfigProblem[];
  isEmpty?: boolean;
};

export type Findings = ReturnType<typeof createFindings>;

export function createFindings(file: string, text: string) {
  const positionOf = createLineIndex(text);
  const lineAt = (offset: number) => positionOf(offset).line;
  const errors: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  const findings = {
    error(offset: number, message: string, hint: string): void {
      const { line, column } = positionOf(offset);
      // What follows on the same line is most often the parser finding its way back.
      if (findings.full() || line === errors.at(-1)?.line) return;
      errors.push({ file, line, column, path: "", severity: "error", message, hint });
    },
    tooDeep: (offset: number): void =>
      findings.error(
        offset,
        `nested deeper than ${maxLevels} levels`,
        "Take levels out; no setting stands that deep.",
      ),
    warning(offset: number, path: Path, message: string, hint: string): void {
      if (warnings.length >= maxProblems) return;
      warnings.push({
        file,
        line: lineAt(offset),
        path: renderPath(path),
        severity: "warning",
        message,
        hint,
      });
    },
    duplicateKey(first: number, second: number, path: Path): void {
      const lines = `on lines ${lineAt(first)} and ${lineAt(second)}`;
      const message = `'${path.at(-1)}' is given twice, ${lines}; the last one counts`;
      findings.warning(second, path, message, "Remove or rename one of them.");
    },
    full: () => errors.length >= maxProblems,
    conclude(root: TextNode | null): ReadDocument {
      const isEmpty = errors.length === 0 && root === null;
      if (isEmpty) findings.error(0, "the file is empty", 'Start with { "mcpServers": { … } }.');
      const problems = [...errors, ...warnings];
      if (root === null || errors.length > 0) return { document: null, problems, isEmpty };
      const lineOf = (path: Path) => lineAt(nearestNode(root, path).offset);
      return { document: { file, data: toData(root), lineOf }, problems };
    },
  };
  return findings;
}

/** Line and column of an offset, from 1. Lines end with LF, CRLF or CR, as editors count them. */
export function createLineIndex(
  text: string,
): (offset: number) => { line: number; column: number } {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function nearestNode(root: TextNode, path: Path): TextNode {
  let node = root;
  for (const key of path) {
    const child = node.kind === "scalar" ? undefined : node.inside.get(key);
    if (child === undefined) return node;
    node = child;
  }
  return node;
}

/** Objects without a prototype: a key named `__proto__` is just a key. */
function toData(node: TextNode): unknown {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return [...node.inside.values()].map(toData);
  const fields: { [key: string]: unknown } = Object.create(null);
  for (const [key, child] of node.inside) fields[key] = toData(child);
  return fields;
}
