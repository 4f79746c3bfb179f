import { extname } from "node:path";
import { type ParseErrorCode, printParseErrorCode, visit } from "jsonc-parser";
import {
  type Container,
  createFindings,
  documentFormats,
  type Findings,
  maxLevels,
  type ReadDocument,
  type TextNode,
} from "./document.ts";
import { readFileText } from "./read-file-text.ts";

const brackets = "Check that every '{' has a '}' and every '[' a ']'.";
const quotes = "Put keys and strings in double quotes.";
const separators =
  "Put a comma between two entries; comments and a comma after the last one are allowed.";

/** By the parser's name of an error: what is wrong, and what to do. */
const meanings: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  InvalidSymbol: ["a word or character that is not allowed here", quotes],
  InvalidNumberFormat: [
    "this is not a number",
    "Write it as 1 or 0.5, or in double quotes as a string.",
  ],
  PropertyNameExpected: ["a key in double quotes is missing", quotes],
  ValueExpected: ["a value is missing", "Give the key a value, or remove it."],
  ColonExpected: ["a colon is missing after a key", "Put a colon between the key and its value."],
  CommaExpected: ["a comma is missing before this", separators],
  CloseBraceExpected: ["a closing '}' is missing", brackets],
  CloseBracketExpected: ["a closing ']' is missing", brackets],
  EndOfFileExpected: ["there is text after the end", brackets],
  UnexpectedEndOfComment: ["a comment is not closed", "End it with '*/'."],
  UnexpectedEndOfString: [
    "a string has no closing quote",
    "End it with a double quote on the same line.",
  ],
  UnexpectedEndOfNumber: ["a number is incomplete", "Write it out, as in 1.0 or 1e6."],
  InvalidUnicode: [
    "\\u needs four hexadecimal digits",
    "Write it as in \\u00e9, or write the character itself.",
  ],
  InvalidEscapeCharacter: [
    "a backslash before a character that cannot be escaped",
    "Write \\\\ for a backslash.",
  ],
  InvalidCharacter: [
    "a control character in a string",
    "Write \\n for a line break and \\t for a tab.",
  ],
};

export function describeJsonError(
  code: ParseErrorCode,
): readonly [problem: string, remedy: string] {
  const [problem, remedy] = meanings[printParseErrorCode(code)] ?? [
    "it cannot be parsed",
    brackets,
  ];
  return [`invalid JSON: ${problem}`, remedy];
}

export function parseJson(file: string, text: string): ReadDocument {
  const findings = createFindings(file, text);
  return findings.conclude(readTree(text, findings));
}

/** Ends the walk: the parser calls itself for every level and has no other way out. */
class StopWalk extends Error {}

function readTree(text: string, findings: Findings): TextNode | null {
  const builder = createBuilder(findings);
  let isAfterUnknownSign = false;
  const open = (kind: Container["kind"]) => (offset: number) => builder.open(kind, offset);
  const visitor = {
    onObjectBegin: open("object"),
    onArrayBegin: open("list"),
    onObjectProperty: builder.key,
    onLiteralValue: (value: unknown, offset: number) =>
      builder.add({ offset, kind: "scalar", value }),
    onObjectEnd: builder.close,
    onArrayEnd: builder.close,
    onSeparator() {
      isAfterUnknownSign = false;
    },
    onError(code: number, offset: number) {
      const name = printParseErrorCode(code);
      // The parser skips what it does not know, and then misses what should have stood there.
      if (isAfterUnknownSign && (name === "ValueExpected" || name === "PropertyNameExpected"))
        return;
      isAfterUnknownSign = name === "InvalidSymbol";
      findings.error(offset, ...describeJsonError(code));
      if (findings.full()) throw new StopWalk();
    },
  };
  try {
    visit(text, visitor, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (thrown) {
    if (!(thrown instanceof StopWalk)) throw thrown;
  }
  return builder.root();
}

type Level = { container: Container; key: string | number; keyOffset: number };

function createBuilder(findings: Findings) {
  const levels: Level[] = [];
  let root: TextNode | null = null;

  function add(node: TextNode): void {
    const level = levels.at(-1);
    if (level === undefined) {
      root = node;
      return;
    }
    const { inside, kind } = level.container;
    const isList = kind === "list";
    if (isList) level.key = inside.size;
    const previous = inside.get(level.key);
    if (previous)
      findings.duplicateKey(
        previous.offset,
        level.keyOffset,
        levels.map(({ key }) => key),
      );
    inside.set(level.key, isList ? node : { ...node, offset: level.keyOffset });
  }

  return {
    add,
    key(key: string, keyOffset: number): void {
      Object.assign(levels.at(-1) ?? {}, { key, keyOffset });
    },
    open(kind: Container["kind"], offset: number): void {
      if (levels.length === maxLevels) {
        findings.tooDeep(offset);
        throw new StopWalk();
      }
      const container: Container = { offset, kind, inside: new Map() };
      add(container);
      levels.push({ container, key: "", keyOffset: offset });
    },
    close(): void {
      levels.pop();
    },
    root: () => root,
  };
}

const limitMebibytes = 5;

/** `text`: instead of what the file says. */
export async function readDocument(file: string, text?: string): Promise<ReadDocument> {
  const content = text === undefined ? readFileText(file, limitMebibytes) : { text };
  if (!("text" in content)) {
    return { document: null, problems: [{ file, path: "", severity: "error", ...content }] };
  }
  const format = documentFormats.get(extname(file).toLowerCase()) ?? formatOf(content.text);
  if (format === "json") return parseJson(file, content.text);
  // Most files are JSON, and the YAML parser takes longer to load than to run.
  const { parseYaml } = await import("./parse-yaml.ts");
  return parseYaml(file, content.text);
}

/** A comment in the manner of JavaScript is no YAML either. */
function formatOf(text: string): "json" | "yaml" {
  return /^\s*(?:[{[]|\/[/*])/.test(text) ? "json" : "yaml";
}
