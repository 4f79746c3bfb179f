import type { Node } from "jsonc-parser";
import { stableJson } from "../../lib/json/stable-json.ts";
import { isObject, type Json, type Path } from "../../model/json.ts";
import {
  commaAfter,
  descend,
  endOfLineComments,
  indentAt,
  jsonText,
  parseJsonTree,
  spreadOut,
} from "./json-text.ts";
import { type ListItem, lineEnd } from "./text-format.ts";

/** One entry with the comments that belong to it: those above it, and those behind it on its line. */
type Entry = { lead: string; body: string; gap: string; tail: string };

/** Rewrites a list; null where there is none with entries. What an entry says about itself goes along with it. */
export function arrangeJson(text: string, path: Path, items: readonly ListItem[]): string | null {
  const tree = parseJsonTree(text);
  const { node, missing } = tree ? descend(tree, path) : { node: undefined, missing: path };
  if (node?.type !== "array" || missing.length > 0 || !node.children?.length) return null;
  const { entries, foot, isOpenEnded } = readEntries(text, node);
  const { isLong, indent, newLine, header, close } = layoutOf(text, node, entries, foot);
  const isSpread = entries.some(({ body }) => body.includes("\n"));
  const write = (value: Json) => {
    if (isSpread) return spreadOut(text, value, indent);
    return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  };
  const startOf = (lead: string, index: number) => {
    if (!isLong) return index === 0 ? "" : " ";
    return lead.includes("\n") ? lead : newLine + lead.trimStart();
  };
  const arranged = items.map(({ value, was }, index) => {
    const entry = was === null ? undefined : entries[was];
    const { lead = newLine, gap = "", tail = "" } = entry ?? {};
    const body = entry ? change(entry.body, value) : write(value);
    const comma = index < items.length - 1 || isOpenEnded ? "," : "";
    return `${startOf(lead, index)}${body}${gap}${comma}${tail}`;
  });
  const isEmpty = items.length === 0 && `${header}${close}`.trim() === "";
  const list = isEmpty ? "[]" : `[${header}${arranged.join("")}${close}]`;
  return text.slice(0, node.offset) + list + text.slice(node.offset + node.length);
}

type Layout = { isLong: boolean; indent: string; newLine: string; header: string; close: string };

/** Of a list on one line, or on several. */
function layoutOf(text: string, node: Node, entries: Entry[], foot: string): Layout {
  const isLong = text.slice(node.offset + 1, node.offset + node.length - 1).includes("\n");
  if (!isLong) return { isLong, indent: "", newLine: "", header: "", close: foot };
  const indent = indentAt(text, node.children?.[0]?.offset ?? 0);
  const lastLine = lineEnd(text) + indentAt(text, node.offset) + foot.trimStart();
  return {
    isLong,
    indent,
    newLine: lineEnd(text) + indent,
    header: headerOf(entries),
    close: foot.includes("\n") ? foot : lastLine,
  };
}

function readEntries(text: string, { offset, length, children = [] }: Node) {
  let entryStart = offset + 1;
  let isOpenEnded = false;
  const entries = children.map((child): Entry => {
    const end = child.offset + child.length;
    const comma = commaAfter(text, end);
    const lead = text.slice(entryStart, child.offset);
    const after = comma === null ? end : comma + 1;
    entryStart = endOfLineComments(text, after);
    isOpenEnded = comma !== null;
    return {
      lead,
      body: text.slice(child.offset, end),
      gap: text.slice(end, after - 1),
      tail: text.slice(after, entryStart),
    };
  });
  return { entries, foot: text.slice(entryStart, offset + length - 1), isOpenEnded };
}

/** A comment above a blank line is about the list: it stays at the top. */
function headerOf([first]: Entry[]): string {
  const [, header = ""] = /^([\s\S]*\S[ \t]*\r?\n[ \t]*)\r?\n/.exec(first?.lead ?? "") ?? [];
  if (first) first.lead = first.lead.slice(header.length);
  return header;
}

/** Only the keys that differ, so that comments inside stay. */
function change(body: string, value: Json): string {
  const previous = jsonText.parse(body);
  if (stableJson(previous) === stableJson(value)) return body;
  if (!isObject(previous) || !isObject(value)) return jsonText.set(body, [], value);
  const remaining = Object.keys(previous)
    .filter((key) => !Object.hasOwn(value, key))
    .reduce((text, key) => jsonText.remove(text, [key]) ?? text, body);
  return Object.entries(value)
    .filter(([key, field]) => stableJson(previous[key]) !== stableJson(field))
    .reduce((text, [key, field]) => jsonText.set(text, [key], field as Json), remaining);
}
