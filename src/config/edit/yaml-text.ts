import {
  type Document,
  isMap,
  isNode,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { stableJson } from "../../lib/json/stable-json.ts";
import { isObject, type Json, type Path } from "../../model/json.ts";
import { type ListItem, lineEnd, type TextFormat, TextProblem, wrapValue } from "./text-format.ts";

/** Edits by line where entries have lines of their own, else through the document, which keeps comments and order. */
export const yamlText: TextFormat = {
  parse: (text) => readDocument(text).toJS() ?? undefined,
  set(text, path, value) {
    const document = readDocument(text);
    const spliced = spliceIn(document, text, path, value);
    setInDocument(document, path, value);
    return ifAgreeing(spliced, document) ?? render(document, text);
  },
  remove(text, path) {
    const document = readDocument(text);
    if (path.length === 0 || !document.hasIn(path)) return null;
    const spliced = spliceOut(document, text, path);
    document.deleteIn(path);
    return ifAgreeing(spliced, document) ?? render(document, text);
  },
};

/** As `arrangeJson`: the document keeps the comments of each entry with it. */
export function arrangeYaml(text: string, path: Path, items: readonly ListItem[]): string | null {
  const document = readDocument(text);
  const list = document.getIn(path, true);
  if (!isSeq(list) || list.items.length === 0 || items.length === 0) return null;
  const nodes = [...list.items];
  commentFirst(list, nodes[0]);
  list.items = items.map(({ value, was }) => {
    const node = was === null ? undefined : nodes[was];
    if (!isNode(node)) return document.createNode(value);
    if (stableJson(node.toJS(document)) === stableJson(value)) return node;
    if (!isMap(node) || !isObject(value)) return document.createNode(value);
    const previous = node.toJS(document);
    for (const key of Object.keys(previous)) if (!Object.hasOwn(value, key)) node.delete(key);
    for (const [key, field] of Object.entries(value))
      if (stableJson(previous[key]) !== stableJson(field))
        node.set(key, document.createNode(field));
    return node;
  });
  return render(document, text);
}

/** What stands above the first entry belongs to it; above a blank line, to the list. */
function commentFirst(list: YAMLSeq, firstEntry: unknown): void {
  const { commentBefore } = list;
  if (!commentBefore || !isNode(firstEntry)) return;
  const gap = commentBefore.lastIndexOf("\n\n");
  firstEntry.commentBefore = commentBefore.slice(gap === -1 ? 0 : gap + 2);
  if (gap === -1) list.commentBefore = null;
  else list.commentBefore = commentBefore.slice(0, gap + 1);
}

function readDocument(text: string): Document {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [error] = document.errors;
  if (error === undefined) return document;
  const reason = error.message.split(/ at line |\n/)[0]?.replace(/[.:]$/, "") ?? "";
  const { line, col } = lineCounter.linePos(error.pos[0]);
  throw new TextProblem(line, `invalid YAML: ${reason}`, col);
}

function setInDocument(document: Document, path: Path, value: Json): void {
  for (let length = 0; length < path.length; length++) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isMap(node) || isSeq(node)) continue;
    if (document.getIn(path.slice(0, length)) != null)
      throw new TextProblem(
        1,
        `${path.slice(0, length).join(".") || "the top level"} is not a map`,
      );
    const created = document.createNode(wrapValue(path.slice(length), value));
    if (length === 0) document.contents = created;
    else document.setIn(path.slice(0, length), created);
    return;
  }
  document.setIn(path, document.createNode(value));
}

function ifAgreeing(text: string | null, document: Document): string | null {
  if (text === null) return null;
  const reparsed = parseDocument(text);
  const isRight =
    reparsed.errors.length === 0 && stableJson(reparsed.toJS()) === stableJson(document.toJS());
  return isRight ? text : null;
}

function render(document: Document, text: string): string {
  const rendered = document.toString({
    lineWidth: 0,
    indent: indentUnit(text),
    indentSeq: !/^( *)[^\s#-][^\r\n]*:[ \t]*\r?\n\1- /m.test(text),
    flowCollectionPadding: !/[:-] [{[][^\s\]}]/.test(text),
  });
  const withEnd = text === "" || /\n$/.test(text) ? rendered : rendered.replace(/\n$/, "");
  if (lineEnd(text) === "\n") return withEnd;
  return withEnd.replaceAll("\n", "\r\n");
}

type Collection = YAMLMap | YAMLSeq;

function spliceIn(document: Document, text: string, path: Path, value: Json): string | null {
  const depth = path.findIndex((_, index) => !document.hasIn(path.slice(0, index + 1)));
  const parent = depth === -1 ? undefined : collectionAt(document, path.slice(0, depth));
  const indent = parent && indentOf(text, parent);
  const end = parent?.range?.[1];
  if (indent === undefined || end === undefined) return null;
  const insertAt = endOfContent(text, end);
  const lines = stringify(wrapValue(path.slice(depth), value), {
    lineWidth: 0,
    indent: indentUnit(text),
  })
    .trimEnd()
    .replaceAll(/^/gm, indent)
    .replaceAll("\n", lineEnd(text));
  const isEnded = text[insertAt - 1] === "\n";
  const entry = isEnded ? `${lines}${lineEnd(text)}` : `${lineEnd(text)}${lines}`;
  return text.slice(0, insertAt) + entry + text.slice(insertAt);
}

function spliceOut(document: Document, text: string, path: Path): string | null {
  const parent = collectionAt(document, path.slice(0, -1));
  if (parent === undefined || indentOf(text, parent) === undefined) return null;
  const key = path.at(-1);
  const value = document.getIn(path, true);
  const keyNode = isMap(parent)
    ? parent.items.find((pair) => isNode(pair.key) && pair.key.toJSON() === key)?.key
    : value;
  const start = isNode(keyNode) ? keyNode.range?.[0] : undefined;
  const end =
    (isNode(value) ? value.range?.[1] : undefined) ?? (keyNode as Node | undefined)?.range?.[1];
  if (start === undefined || end === undefined) return null;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  return text.slice(0, lineStart) + text.slice(endOfContent(text, end));
}

function indentUnit(text: string): number {
  return /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
}

function collectionAt(document: Document, path: Path): Collection | undefined {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isMap(node) || isSeq(node) ? node : undefined;
}

function indentOf(text: string, { flow, items, range }: Collection): string | undefined {
  if (flow || items.length === 0 || !range) return undefined;
  const lineStart = text.slice(text.lastIndexOf("\n", range[0] - 1) + 1, range[0]);
  return /^ *$/.test(lineStart) ? lineStart : undefined;
}

/** The end of the line in which the last visible character before an offset stands. */
function endOfContent(text: string, offset: number): number {
  const last = text.slice(0, offset).trimEnd().length;
  const newline = text.indexOf("\n", last);
  return newline === -1 ? text.length : newline + 1;
}
