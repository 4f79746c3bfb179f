import { Composer, type CST, type Document, Lexer, Parser } from "yaml";
import { createFindings, type Findings, type ReadDocument, tooDeep } from "./findings.ts";
import { createLineIndex } from "./line-index.ts";
import { maxLevels } from "./place.ts";
import { readYamlTree } from "./yaml-tree.ts";

const options = {
  schema: "core",
  // Tags beyond the core would make dates, bytes and sets, which no setting takes.
  resolveKnownTags: false,
  // Compares every key with every other; we find duplicates ourselves.
  uniqueKeys: false,
  prettyErrors: false,
} as const;
const hint = "Indent with spaces, two for each level, and quote texts that hold ': ' or ' #'.";

/** YAML as data that knows its lines. */
export function parseYaml(file: string, text: string): ReadDocument {
  const findings = createFindings(file, createLineIndex(text));
  const root = readOnlyDocument(text, findings)?.contents ?? null;
  const isEmpty = root === null || root.range[0] === root.range[1];
  return findings.conclude(isEmpty ? null : readYamlTree(root, findings));
}

/** The document of the stream; null when there is none, several, or one with errors. */
function readOnlyDocument(text: string, findings: Findings): Document.Parsed | null {
  const composer = new Composer(options);
  const documents = composer.compose(readTokens(text, findings), true, text.length);
  const [only, second] = [documents.next().value, documents.next().value];
  if (!only) return null;
  for (const { pos, message } of only.errors) {
    findings.error(pos[0], `is not valid YAML: ${describe(message)}`, hint);
  }
  for (const { pos, message } of only.warnings) {
    findings.warning(pos[0], [], describe(message), "Write the value without it.");
  }
  if (second) {
    const message = "holds more than one YAML document";
    findings.error(second.range[0], message, "Keep one document a file and remove the line '---'.");
  }
  return only.errors.length > 0 || second ? null : only;
}

/** The composer calls itself for every level, so it never gets to see what would be too deep for it. */
function* readTokens(text: string, findings: Findings): Generator<CST.Token, void> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // The stack also holds the document and the scalar being read; the exact limit is kept by the tree.
    if (parser.stack.length > maxLevels + 2) {
      findings.error(parser.offset, tooDeep.message, tooDeep.hint);
      return;
    }
  }
  yield* parser.end();
}

/** In our tone, and without the text of the file, which may be a secret. */
function describe(message: string): string {
  const plain = message.replace(/:? "[\s\S]*"$/, "");
  return plain.slice(0, 1).toLowerCase() + plain.slice(1);
}
