import { type Cursor, readWord, type ShellWord } from "./shell-word.ts";

/** A simple command, or what stands in the place of one. */
export type ShellCommand = {
  line: number;
  words: ShellWord[];
  /** What makes it more than a command with words; null when it is just that. */
  problem: string | null;
};

/**
 * The commands of a shell text, one after the other. It is a part of the language: what is beyond it is told,
 * and never taken for something else.
 */
export function readShell(text: string): ShellCommand[] {
  const cursor: Cursor = { text, at: 0, line: 1 };
  const commands: ShellCommand[] = [];
  let current: ShellCommand | null = null;
  let isOpen = false;
  const command = (): ShellCommand => {
    current ??= { line: cursor.line, words: [], problem: null };
    return current;
  };
  const finish = () => {
    if (current !== null) commands.push(current);
    current = null;
  };
  /** Ends a command, and is an error where there is none. */
  const separate = (operator: string) => {
    if (current === null) command().problem = `'${operator}' without a command before it`;
    isOpen = operator === "&&";
    finish();
    cursor.at += operator.length;
  };

  while (cursor.at < text.length) {
    if (skipGap(cursor)) continue;
    const character = text[cursor.at] as string;
    if (character === "#") skipComment(cursor);
    else if (character === "\n") {
      finish();
      cursor.at += 1;
      cursor.line += 1;
    } else if (isNext(cursor, "&&")) separate("&&");
    else if (character === ";" && !isNext(cursor, ";;")) separate(";");
    else {
      isOpen = false;
      if (!operatorStarts.has(character)) addWord(cursor, command());
      else {
        command().problem ??= nameOf(cursor);
        skipOperator(cursor);
      }
    }
  }
  if (isOpen) command().problem = "'&&' without a command after it";
  finish();
  return commands;
}

function addWord(cursor: Cursor, command: ShellCommand): void {
  const { line } = cursor;
  const word = readWord(cursor);
  if (word) {
    command.words.push(word);
    return;
  }
  command.problem ??= `a quote that begins in line ${line} and is never closed`;
  cursor.at = cursor.text.length;
}

/** Spaces, and a line that goes on in the next one. */
function skipGap(cursor: Cursor): boolean {
  const character = cursor.text[cursor.at];
  if (character === " " || character === "\t") cursor.at += 1;
  else if (isNext(cursor, "\\\n")) {
    cursor.at += 2;
    cursor.line += 1;
  } else return false;
  return true;
}

function skipComment(cursor: Cursor): void {
  const end = cursor.text.indexOf("\n", cursor.at);
  cursor.at = end < 0 ? cursor.text.length : end;
}

const operators: readonly [operator: string, name: string][] = [
  ["<<", "a here-document ('<<')"],
  ["||", "an alternative ('||')"],
  ["|", "a pipe ('|')"],
  ["&", "work in the background ('&')"],
  [";;", "a case (';;')"],
  ["<", "a redirection ('<')"],
  [">", "a redirection ('>')"],
  ["(", "a subshell or function ('(')"],
  [")", "a subshell or function (')')"],
];

const operatorStarts = new Set(";&|<>()");

function nameOf(cursor: Cursor): string {
  return operators.find(([operator]) => isNext(cursor, operator))?.[1] ?? "an operator";
}

function skipOperator(cursor: Cursor): void {
  if (isNext(cursor, "<<") && !isNext(cursor, "<<<")) return skipHereDocument(cursor);
  cursor.at += operators.find(([operator]) => isNext(cursor, operator))?.[0].length ?? 1;
}

/** Its lines are no commands; one that never ends goes on to the end. */
function skipHereDocument(cursor: Cursor): void {
  const { text, at } = cursor;
  const [start, delimiter] = /^<<-?[ \t]*\\?["']?([\w-]+)["']?/.exec(text.slice(at)) ?? ["<<"];
  const from = at + start.length;
  const end = delimiter === undefined ? null : endOf(delimiter).exec(text.slice(from));
  cursor.at = end === null ? text.length : from + end.index + end[0].length;
  cursor.line += text.slice(from, cursor.at).split("\n").length - 1;
}

function endOf(delimiter: string): RegExp {
  return new RegExp(`\\n\\t*${delimiter}(?=\\n|$)`);
}

function isNext(cursor: Cursor, text: string): boolean {
  return cursor.text.startsWith(text, cursor.at);
}
