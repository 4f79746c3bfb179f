import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import {
  type Container,
  createFindings,
  type Findings,
  maxLevels,
  type ReadDocument,
  type TextNode,
} from "./document.ts";

/** The parser takes 2 to 13 microseconds for a character, and most of a millisecond for a hundred marks: `"`, `[`, `:`, `!tag`. */
const maxLength = 256 * 1024;
const maxMarks = 50_000;
/** A file that repeats more values through aliases counts as an attack on memory. */
const maxRepeated = 10_000;

type Reading = {
  findings: Findings;
  anchors: Map<string, TextNode>;
  path: (string | number)[];
  /** How many values are written, and how many keys '<<' took over. */
  writtenValues: number;
  mergedKeys: number;
};

function readYamlTree(root: ParsedNode, findings: Findings): TextNode {
  const reading: Reading = {
    findings,
    anchors: new Map(),
    path: [],
    writtenValues: 0,
    mergedKeys: 0,
  };
  const tree = readNode(reading, root, 0);
  const isFit =
    reading.mergedKeys <= maxRepeated &&
    isSmall(tree, reading.writtenValues + maxRepeated, findings);
  if (!isFit) {
    const message = `aliases repeat more than ${maxRepeated} values`;
    findings.error(tree.offset, message, "Write out what is needed instead of aliases of aliases.");
  }
  return tree;
}

function readNode(reading: Reading, node: ParsedNode | null, fallbackOffset: number): TextNode {
  reading.writtenValues++;
  const offset = node?.range[0] ?? fallbackOffset;
  if (isAlias(node)) return { ...resolveAlias(reading, node.source, offset), offset };
  const textNode =
    isMap(node) || isSeq(node) ? readContainer(reading, node, offset) : scalar(node, offset);
  if (node?.anchor) reading.anchors.set(node.anchor, textNode);
  return textNode;
}

function scalar(node: ParsedNode | null, offset: number): TextNode {
  return { offset, kind: "scalar", value: isScalar(node) ? node.value : null };
}

function resolveAlias({ anchors, findings }: Reading, anchor: string, offset: number): TextNode {
  const anchored = anchors.get(anchor);
  if (anchored) return anchored;
  const message = `invalid YAML: the alias *${anchor} has no anchor before it`;
  findings.error(offset, message, `Mark the value it stands for with &${anchor}, further up.`);
  return scalar(null, offset);
}

function readContainer(
  reading: Reading,
  node: YAMLMap.Parsed | YAMLSeq.Parsed,
  offset: number,
): TextNode {
  if (reading.path.length >= maxLevels) {
    reading.findings.tooDeep(offset);
    return scalar(null, offset);
  }
  const container: Container = { offset, kind: isMap(node) ? "object" : "list", inside: new Map() };
  if (isMap(node)) readPairs(reading, node, container);
  else readItems(reading, node, container);
  return container;
}

function readItems(
  reading: Reading,
  { items }: YAMLSeq.Parsed,
  { inside, offset }: Container,
): void {
  for (const [index, item] of items.entries()) {
    reading.path.push(index);
    // A pair that stands in a list by itself comes as a mapping of one, so every item is a node.
    inside.set(index, readNode(reading, item as ParsedNode, offset));
    reading.path.pop();
  }
}

function readPairs(
  reading: Reading,
  { items }: YAMLMap.Parsed,
  { inside, offset }: Container,
): void {
  const { path, findings } = reading;
  const ownKeys = new Set<string>();
  for (const { key: keyNode, value } of items) {
    const keyOffset = keyNode?.range[0] ?? offset;
    const key = readKey(reading, keyNode, keyOffset);
    path.push(key);
    const textNode = readNode(reading, value, keyOffset);
    if (isMergeKey(keyNode)) merge(reading, inside, textNode, keyOffset);
    else {
      if (ownKeys.has(key)) findings.duplicateKey(inside.get(key)?.offset ?? 0, keyOffset, path);
      ownKeys.add(key);
      inside.set(key, { ...textNode, offset: keyOffset });
    }
    path.pop();
  }
}

/** As it is written: a server named 1.0 is not the server 1. */
function readKey(reading: Reading, node: ParsedNode | null, offset: number): string {
  const textNode = isMap(node) || isSeq(node) ? null : readNode(reading, node, offset);
  if (isScalar(node)) return node.source ?? String(node.value);
  if (textNode?.kind === "scalar") return String(textNode.value);
  const message = "a list or a mapping cannot be a key of the configuration";
  reading.findings.error(offset, message, "Name it with a string.");
  return "";
}

function isMergeKey(node: ParsedNode | null): boolean {
  return isScalar(node) && node.value === "<<" && node.type === "PLAIN";
}

/** What is written, or was merged before, goes before what is merged. */
function merge(
  reading: Reading,
  target: Container["inside"],
  merged: TextNode,
  offset: number,
): void {
  for (const source of merged.kind === "list" ? merged.inside.values() : [merged]) {
    if (source.kind !== "object") {
      const message = "invalid YAML: '<<' merges mappings only";
      reading.findings.error(offset, message, "Give it an alias of a mapping, or a list of them.");
    } else if (reading.mergedKeys <= maxRepeated) {
      reading.mergedKeys += source.inside.size;
      for (const [key, child] of source.inside) if (!target.has(key)) target.set(key, child);
    }
  }
}

/** Aliases can say in ten lines what would fill the memory, or nest what is deep already. */
function isSmall(root: TextNode, limit: number, findings: Findings): boolean {
  let valuesLeft = limit;
  const walk = (textNode: TextNode, level: number): void => {
    valuesLeft--;
    if (textNode.kind === "scalar" || valuesLeft < 0) return;
    if (level > maxLevels) findings.tooDeep(textNode.offset);
    else for (const child of textNode.inside.values()) walk(child, level + 1);
  };
  walk(root, 1);
  return valuesLeft >= 0;
}

const options = {
  schema: "core",
  // Tags beyond the core would make dates, bytes and sets, which no setting takes.
  resolveKnownTags: false,
  // Compares every key with every other; we find duplicates ourselves.
  uniqueKeys: false,
  prettyErrors: false,
} as const;
const hint = "Indent with spaces, two for each level, and quote strings that contain ': ' or ' #'.";

export function parseYaml(file: string, text: string): ReadDocument {
  const findings = createFindings(file, text);
  if (text.length > maxLength) {
    const message = `has ${text.length} characters of YAML, and we read no more than ${maxLength}`;
    findings.error(0, message, "Split the file, or write it as JSON.");
    return findings.conclude(null);
  }
  const root = readOnlyDocument(text, findings)?.contents ?? null;
  const isEmpty = root === null || root.range[0] === root.range[1];
  return findings.conclude(isEmpty ? null : readYamlTree(root, findings));
}

/** The document of the stream; null when there is none, several, or one with errors. */
function readOnlyDocument(text: string, findings: Findings): Document.Parsed | null {
  const documents = new Composer(options).compose(readTokens(text, findings), true, text.length);
  const document = documents.next().value;
  const secondDocument = documents.next().value;
  if (!document) return null;
  for (const { pos, message } of document.errors)
    findings.error(pos[0], `invalid YAML: ${describe(message)}`, hint);
  for (const { pos, message } of document.warnings)
    findings.warning(pos[0], [], describe(message), "Write the value without it.");
  if (secondDocument) {
    const message = "holds more than one YAML document";
    findings.error(
      secondDocument.range[0],
      message,
      "Keep one document a file and remove the line '---'.",
    );
  }
  if (document.errors.length > 0 || secondDocument) return null;
  return document;
}

/** The composer calls itself for every level, so it never gets to see what would be too deep for it. */
function* readTokens(text: string, findings: Findings): Generator<CST.Token, void> {
  const parser = new Parser();
  let marks = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    marks += 1;
    if (marks > maxMarks) {
      const message = `has more than ${maxMarks} words and signs of YAML up to here`;
      findings.error(parser.offset, message, "Split the file, or write it as JSON.");
      return;
    }
    // The stack also holds the document and the scalar being read; the exact limit is kept by the tree.
    if (parser.stack.length > maxLevels + 2) {
      findings.tooDeep(parser.offset);
      return;
    }
  }
  yield* parser.end();
}

/** In our tone, and without the text of the file, which may be a secret. */
function describe(message: string): string {
  const withoutText = message.endsWith('"') ? message.replace(/:? "[\s\S]*$/, "") : message;
  return withoutText.slice(0, 1).toLowerCase() + withoutText.slice(1);
}
