import { type Document, isMap, isSeq, LineCounter, parseDocument } from "yaml";
import { stableJson } from "../../lib/stable-json.ts";
import type { Json } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import { lineEnd, type TextFormat, TextProblem, wrapValue } from "./text-format.ts";
import { indentUnit, spliceIn, spliceOut } from "./yaml-splice.ts";

/**
 * YAML by lines where entries have lines of their own, so that nothing else moves; elsewhere by way of its
 * document, which keeps comments, anchors and the order of keys.
 */
export const yamlText: TextFormat = {
  parse: (text) => readDocument(text).toJS() ?? undefined,
  set(text, path, value) {
    const document = readDocument(text);
    const spliced = spliceIn(document, text, path, value);
    setInDocument(document, path, value);
    return agreeing(spliced, document) ?? render(document, text);
  },
  remove(text, path) {
    const document = readDocument(text);
    if (path.length === 0 || !document.hasIn(path)) return null;
    const spliced = spliceOut(document, text, path);
    document.deleteIn(path);
    return agreeing(spliced, document) ?? render(document, text);
  },
};

function readDocument(text: string): Document {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [first] = document.errors;
  if (first === undefined) return document;
  const what = first.message.split(/ at line |\n/)[0]?.replace(/[.:]$/, "") ?? "";
  throw new TextProblem(lineCounter.linePos(first.pos[0]).line, `is not valid YAML: ${what}`);
}

function setInDocument(document: Document, path: Path, value: Json): void {
  for (let length = 0; length < path.length; length++) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isMap(node) || isSeq(node)) continue;
    if (document.getIn(path.slice(0, length)) != null) {
      throw new TextProblem(1, `${path.slice(0, length).join(".") || "the top level"} is not a map`);
    }
    const created = document.createNode(wrapValue(path.slice(length), value));
    if (length === 0) document.contents = created;
    else document.setIn(path.slice(0, length), created);
    return;
  }
  document.setIn(path, document.createNode(value));
}

/** A text is right only when it says what the document says. */
function agreeing(text: string | null, document: Document): string | null {
  if (text === null) return null;
  const read = parseDocument(text);
  const isRight = read.errors.length === 0 && stableJson(read.toJS()) === stableJson(document.toJS());
  return isRight ? text : null;
}

function render(document: Document, text: string): string {
  const rendered = document.toString({
    lineWidth: 0,
    indent: indentUnit(text),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
    flowCollectionPadding: !/[:-] [{[][^\s\]}]/.test(text),
  });
  const ended = text === "" || /\n$/.test(text) ? rendered : rendered.replace(/\n$/, "");
  return lineEnd(text) === "\n" ? ended : ended.replaceAll("\n", "\r\n");
}
