import { plainText } from "../../lib/plain-text.ts";
import { isObject } from "../../model/json.ts";

/** What is written for readers. All else may be compared letter by letter and stays as it is. */
const written = new Set(["title", "description", "$comment"]);

/**
 * A definition whose texts hide nothing: people and models read the same. What was hidden is told by the review, which
 * sees the definition as it was listed. A definition that hides nothing is returned itself.
 */
export function readable<T>(definition: T): T {
  return visit(definition, 0) as T;
}

const deepest = 70;

function visit(node: unknown, depth: number): unknown {
  if (depth > deepest) return node;
  if (Array.isArray(node)) {
    let copy: unknown[] | undefined;
    for (let at = 0; at < node.length; at++) {
      const item: unknown = node[at];
      if (typeof item !== "object" || item === null) continue;
      const read = visit(item, depth + 1);
      if (read === item) continue;
      copy ??= [...node];
      copy[at] = read;
    }
    return copy ?? node;
  }
  if (!isObject(node)) return node;
  let copy: Record<string, unknown> | undefined;
  for (const key in node) {
    const value = node[key];
    const read =
      typeof value === "string" ? (written.has(key) ? plainText(value) : value) : visit(value, depth + 1);
    if (read === value) continue;
    copy ??= { ...node };
    copy[key] = read;
  }
  return copy ?? node;
}
