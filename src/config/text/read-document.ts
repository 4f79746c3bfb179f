import { extname } from "node:path";
import { printParseErrorCode, visit } from "jsonc-parser";
import { createFindings, type Findings, type ReadDocument, tooDeep } from "./findings.ts";
import { createLineIndex } from "./line-index.ts";
import { type Container, maxLevels, type Place } from "./place.ts";
import { readText } from "./read-text.ts";

const meanings: Readonly<Record<string, string>> = {
  InvalidSymbol: "a word or sign that JSON does not have",
  InvalidNumberFormat: "a number that JSON does not have",
  PropertyNameExpected: "a key in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing after a key",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "there is more after the end",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a text has no closing quote",
  UnexpectedEndOfNumber: "a number is cut off",
  InvalidUnicode: "a \\u needs four hexadecimal digits",
  InvalidEscapeCharacter: "a backslash before a character that needs none",
  InvalidCharacter: "a control character in a text",
};
const hint =
  "Comments and trailing commas are fine; keys and texts need double quotes; commas and brackets must match.";

/** JSON with comments and trailing commas as data that knows its lines. */
export function parseJson(file: string, text: string): ReadDocument {
  const findings = createFindings(file, createLineIndex(text));
  return findings.conclude(readTree(text, findings));
}

/** Ends the walk: the parser calls itself for every level and has no other way out. */
class Stop extends Error {}

function readTree(text: string, findings: Findings): Place | null {
  const builder = createBuilder(findings);
  let unknownSign = false;
  const open = (kind: Container["kind"]) => (offset: number) => builder.open(kind, offset);
  const visitor = {
    onObjectBegin: open("object"),
    onArrayBegin: open("list"),
    onObjectProperty: builder.key,
    onLiteralValue: (value: unknown, offset: number) => builder.add({ offset, kind: "scalar", value }),
    onObjectEnd: builder.close,
    onArrayEnd: builder.close,
    onSeparator() {
      unknownSign = false;
    },
    onError(code: number, offset: number) {
      const name = printParseErrorCode(code);
      // The parser skips what it does not know, and then misses what should have stood there.
      if (unknownSign && (name === "ValueExpected" || name === "PropertyNameExpected")) return;
      unknownSign = name === "InvalidSymbol";
      findings.error(offset, `is not valid JSON: ${meanings[name]}`, hint);
      if (findings.full()) throw new Stop();
    },
  };
  try {
    visit(text, visitor, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (thrown) {
    if (!(thrown instanceof Stop)) throw thrown;
  }
  return builder.root();
}

type Level = { container: Container; key: string | number; keyOffset: number };

function createBuilder(findings: Findings) {
  const levels: Level[] = [];
  let root: Place | null = null;

  function add(place: Place): void {
    const level = levels.at(-1);
    if (level === undefined) {
      root = place;
      return;
    }
    const { inside, kind } = level.container;
    const isList = kind === "list";
    if (isList) level.key = inside.size;
    const earlier = inside.get(level.key);
    if (earlier)
      findings.duplicateKey(
        earlier.offset,
        level.keyOffset,
        levels.map(({ key }) => key),
      );
    inside.set(level.key, isList ? place : { ...place, offset: level.keyOffset });
  }

  return {
    add,
    key(key: string, keyOffset: number): void {
      Object.assign(levels.at(-1) ?? {}, { key, keyOffset });
    },
    open(kind: Container["kind"], offset: number): void {
      if (levels.length === maxLevels) {
        findings.error(offset, tooDeep.message, tooDeep.hint);
        throw new Stop();
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
const extensions: Readonly<Record<string, "json" | "yaml">> = {
  ".json": "json",
  ".jsonc": "json",
  ".yaml": "yaml",
  ".yml": "yaml",
};

/** One file as data that knows its lines, or the problems that make it unreadable. */
export async function readDocument(file: string): Promise<ReadDocument> {
  const read = readText(file, limitMebibytes);
  if (!("text" in read)) {
    return { document: null, problems: [{ file, path: "", severity: "error", ...read }] };
  }
  const format = extensions[extname(file).toLowerCase()] ?? formatOf(read.text);
  if (format === "json") return parseJson(file, read.text);
  // Most files are JSON, and the YAML parser takes longer to load than to run.
  const { parseYaml } = await import("./parse-yaml.ts");
  return parseYaml(file, read.text);
}

/** A comment in the manner of JavaScript is no YAML either. */
function formatOf(text: string): "json" | "yaml" {
  return /^\s*(?:[{[]|\/[/*])/.test(text) ? "json" : "yaml";
}
