const plainWord = /^[A-Za-z0-9_][A-Za-z0-9_./:-]*$/;

/** Quotes unless the text is safe beyond doubt. */
export function shellQuote(text: string): string {
  if (plainWord.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

type Cursor = { readonly text: string; index: number; line: number };

export type ShellWord = {
  text: string;
  source: string;
  line: number;
  /** Why its value is unknown before it runs; null when exact. */
  doubt: string | null;
};

const wordEnds = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);
const startsExpansion = /[A-Za-z0-9_@*#?$!{(\-"]/;
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** Null when a quote is never closed. */
function readWord(cursor: Cursor): ShellWord | null {
  const { text, index: start, line } = cursor;
  const word: ShellWord = { text: "", source: "", line, doubt: null };
  while (cursor.index < text.length && !wordEnds.has(text[cursor.index] as string))
    if (!readPiece(cursor, word)) return null;
  word.source = text.slice(start, cursor.index);
  return word;
}

/** One character or one quotation; false when it is never closed. */
function readPiece(cursor: Cursor, word: ShellWord): boolean {
  const { text, index } = cursor;
  const character = text[index] as string;
  const next = text[index + 1] ?? "";
  if (character === "'") return readLiteral(cursor, word);
  if (character === '"') return readDoubleQuoted(cursor, word);
  if (character === "$" && next === "'") return readEscaped(cursor, word);
  if (character === "`" || (character === "$" && startsExpansion.test(next)))
    return skipExpansion(cursor, word);
  if (character === "\\") {
    if (next === "\n") cursor.line += 1;
    else word.text += next || character;
    cursor.index += next === "" ? 1 : 2;
    return true;
  }
  if ("*?[".includes(character)) doubt(word, `'${character}' stands for names of files`);
  if (character === "{" && next !== "}") doubt(word, "'{' may stand for several words");
  if (character === "\r") doubt(word, "a carriage return is a part of it");
  if (character === "~" && /[\s;&|=:]/.test(text[index - 1] ?? " "))
    doubt(word, "'~' stands for a directory");
  word.text += character;
  cursor.index += 1;
  return true;
}

function readLiteral(cursor: Cursor, word: ShellWord): boolean {
  const end = cursor.text.indexOf("'", cursor.index + 1);
  if (end < 0) return false;
  take(cursor, word, cursor.text.slice(cursor.index + 1, end));
  cursor.index = end + 1;
  return true;
}

function readDoubleQuoted(cursor: Cursor, word: ShellWord): boolean {
  const { text } = cursor;
  cursor.index += 1;
  while (cursor.index < text.length) {
    const character = text[cursor.index] as string;
    const next = text[cursor.index + 1] ?? "";
    if (character === '"') {
      cursor.index += 1;
      return true;
    }
    if (character === "`" || (character === "$" && next !== '"' && startsExpansion.test(next))) {
      if (!skipExpansion(cursor, word)) return false;
      continue;
    }
    const isEscape = character === "\\" && '$`"\\\n'.includes(next) && next !== "";
    if (isEscape && next === "\n") cursor.line += 1;
    else take(cursor, word, isEscape ? next : character);
    cursor.index += isEscape ? 2 : 1;
  }
  return false;
}

/** `$'…'`, with the escapes that are the same in every locale. */
function readEscaped(cursor: Cursor, word: ShellWord): boolean {
  const { text } = cursor;
  cursor.index += 2;
  while (cursor.index < text.length) {
    const character = text[cursor.index] as string;
    const next = text[cursor.index + 1] ?? "";
    if (character === "'") {
      cursor.index += 1;
      return true;
    }
    if (character === "\\" && escapes[next] === undefined)
      doubt(word, `the escape '\\${next}' is not one that is read here`);
    const escapedCharacter = character === "\\" ? escapes[next] : undefined;
    take(cursor, word, escapedCharacter ?? character);
    // Also for an unknown escape: it may keep a quote from being the last.
    cursor.index += character === "\\" ? 2 : 1;
  }
  return false;
}

/** Its value is unknown; its end is found well enough to read on. */
function skipExpansion(cursor: Cursor, word: ShellWord): boolean {
  const { text, index } = cursor;
  const opener = text[index] === "`" ? "`" : text.slice(index, index + 2);
  const closer = { "`": "`", "$(": ")", "${": "}" }[opener];
  const name = /^\$(\w+|.)/s.exec(text.slice(index, index + 80))?.[0] ?? opener;
  doubt(
    word,
    `what '${closer === undefined ? name : `${opener}…${closer}`}' stands for is known only when it runs`,
  );
  if (closer === undefined) {
    cursor.index += name.length;
    return true;
  }
  const end = closingIndex(text, index + opener.length, opener, closer);
  if (end < 0) return false;
  cursor.line += text.slice(index, end).split("\n").length - 1;
  cursor.index = end + 1;
  return true;
}

function closingIndex(text: string, from: number, opener: string, closer: string): number {
  const opens = opener.at(-1) as string;
  let depth = 1;
  for (let index = from; index < text.length; index++) {
    const character = text[index] as string;
    if (character === "\\") index += 1;
    else if (character === "'" && opener === "$(") {
      const end = text.indexOf("'", index + 1);
      if (end > 0) index = end;
    } else if (character === closer && --depth === 0) return index;
    else if (character === opens && opens !== closer) depth += 1;
  }
  return -1;
}

function take(cursor: Cursor, word: ShellWord, text: string): void {
  word.text += text;
  for (const character of text) if (character === "\n") cursor.line += 1;
}

function doubt(word: ShellWord, why: string): void {
  word.doubt ??= why;
}

/** A simple command, or what stands in its place. */
export type ShellCommand = {
  line: number;
  words: ShellWord[];
  /** Null for a simple command. */
  problem: string | null;
};

/** A part of the shell language: what is beyond it is reported, never misread. */
export function readShell(text: string): ShellCommand[] {
  const cursor: Cursor = { text, index: 0, line: 1 };
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
  /** Ends a command; an error where there is none. */
  const separate = (operator: string) => {
    if (current === null) command().problem = `'${operator}' without a command before it`;
    isOpen = operator === "&&";
    finish();
    cursor.index += operator.length;
  };

  while (cursor.index < text.length) {
    if (skipGap(cursor)) continue;
    const character = text[cursor.index] as string;
    if (character === "#") skipComment(cursor);
    else if (character === "\n") {
      finish();
      cursor.index += 1;
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
  cursor.index = cursor.text.length;
}

function skipGap(cursor: Cursor): boolean {
  const character = cursor.text[cursor.index];
  if (character === " " || character === "\t") cursor.index += 1;
  else if (isNext(cursor, "\\\n")) {
    cursor.index += 2;
    cursor.line += 1;
  } else return false;
  return true;
}

function skipComment(cursor: Cursor): void {
  const end = cursor.text.indexOf("\n", cursor.index);
  cursor.index = end < 0 ? cursor.text.length : end;
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
  cursor.index += operators.find(([operator]) => isNext(cursor, operator))?.[0].length ?? 1;
}

/** Its lines are no commands; without an end it reaches to the end. */
function skipHereDocument(cursor: Cursor): void {
  const { text, index } = cursor;
  const [start, delimiter] = /^<<-?[ \t]*\\?["']?([\w-]+)["']?/.exec(text.slice(index)) ?? ["<<"];
  const from = index + start.length;
  const end = delimiter === undefined ? null : endOf(delimiter).exec(text.slice(from));
  cursor.index = end === null ? text.length : from + end.index + end[0].length;
  cursor.line += text.slice(from, cursor.index).split("\n").length - 1;
}

function endOf(delimiter: string): RegExp {
  return new RegExp(`\\n\\t*${delimiter}(?=\\n|$)`);
}

function isNext(cursor: Cursor, text: string): boolean {
  return cursor.text.startsWith(text, cursor.index);
}
