/** Where a reader of shell text stands. */
export type Cursor = { readonly text: string; at: number; line: number };

export type ShellWord = {
  /** What the shell makes of it. */
  text: string;
  /** As it is written. */
  source: string;
  line: number;
  /** Why nobody can tell what it means before it runs; null when its text is exact. */
  doubt: string | null;
};

const ends = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);
const startsExpansion = /[A-Za-z0-9_@*#?$!{(\-"]/;
const escapes: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", e: "\u001b", f: "\f", v: "\v" },
  ...{ "\\": "\\", "'": "'", '"': '"' },
};

/** One word from where the cursor stands, or null when a quote in it is never closed. */
export function readWord(cursor: Cursor): ShellWord | null {
  const { text, at: start, line } = cursor;
  const word: ShellWord = { text: "", source: "", line, doubt: null };
  while (cursor.at < text.length && !ends.has(text[cursor.at] as string)) if (!readPiece(cursor, word)) return null;
  word.source = text.slice(start, cursor.at);
  return word;
}

/** Goes on by one character or one quotation; false when that is never closed. */
function readPiece(cursor: Cursor, word: ShellWord): boolean {
  const { text, at } = cursor;
  const character = text[at] as string;
  const next = text[at + 1] ?? "";
  if (character === "'") return readLiteral(cursor, word);
  if (character === '"') return readDoubleQuoted(cursor, word);
  if (character === "$" && next === "'") return readEscaped(cursor, word);
  if (character === "`" || (character === "$" && startsExpansion.test(next))) return skipExpansion(cursor, word);
  if (character === "\\") {
    if (next === "\n") cursor.line += 1;
    else word.text += next || character;
    cursor.at += next === "" ? 1 : 2;
    return true;
  }
  if ("*?[".includes(character)) doubt(word, `'${character}' stands for names of files`);
  if (character === "{" && next !== "}") doubt(word, "'{' may stand for several words");
  if (character === "\r") doubt(word, "a carriage return is a part of it");
  if (character === "~" && /[\s;&|=:]/.test(text[at - 1] ?? " ")) doubt(word, "'~' stands for a directory");
  word.text += character;
  cursor.at += 1;
  return true;
}

function readLiteral(cursor: Cursor, word: ShellWord): boolean {
  const end = cursor.text.indexOf("'", cursor.at + 1);
  if (end < 0) return false;
  take(cursor, word, cursor.text.slice(cursor.at + 1, end));
  cursor.at = end + 1;
  return true;
}

function readDoubleQuoted(cursor: Cursor, word: ShellWord): boolean {
  const { text } = cursor;
  cursor.at += 1;
  while (cursor.at < text.length) {
    const character = text[cursor.at] as string;
    const next = text[cursor.at + 1] ?? "";
    if (character === '"') {
      cursor.at += 1;
      return true;
    }
    if (character === "`" || (character === "$" && next !== '"' && startsExpansion.test(next))) {
      if (!skipExpansion(cursor, word)) return false;
      continue;
    }
    const isEscape = character === "\\" && '$`"\\\n'.includes(next) && next !== "";
    if (isEscape && next === "\n") cursor.line += 1;
    else take(cursor, word, isEscape ? next : character);
    cursor.at += isEscape ? 2 : 1;
  }
  return false;
}

/** `$'…'`, with the escapes that are the same in every locale. */
function readEscaped(cursor: Cursor, word: ShellWord): boolean {
  const { text } = cursor;
  cursor.at += 2;
  while (cursor.at < text.length) {
    const character = text[cursor.at] as string;
    const next = text[cursor.at + 1] ?? "";
    if (character === "'") {
      cursor.at += 1;
      return true;
    }
    if (character === "\\" && escapes[next] === undefined)
      doubt(word, `the escape '\\${next}' is not one that is read here`);
    const meant = character === "\\" ? escapes[next] : undefined;
    take(cursor, word, meant ?? character);
    // Also where it is not known: it may be what keeps a quote from being the last.
    cursor.at += character === "\\" ? 2 : 1;
  }
  return false;
}

/** What the shell would put in its place nobody knows; where it ends is found well enough to go on reading. */
function skipExpansion(cursor: Cursor, word: ShellWord): boolean {
  const { text, at } = cursor;
  const opener = text[at] === "`" ? "`" : text.slice(at, at + 2);
  const closer = { "`": "`", "$(": ")", "${": "}" }[opener];
  const name = /^\$(\w+|.)/s.exec(text.slice(at, at + 80))?.[0] ?? opener;
  doubt(word, `what '${closer === undefined ? name : `${opener}…${closer}`}' stands for is known only when it runs`);
  if (closer === undefined) {
    cursor.at += name.length;
    return true;
  }
  const end = closing(text, at + opener.length, opener, closer);
  if (end < 0) return false;
  cursor.line += text.slice(at, end).split("\n").length - 1;
  cursor.at = end + 1;
  return true;
}

function closing(text: string, from: number, opener: string, closer: string): number {
  const opens = opener.at(-1) as string;
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "\\") at += 1;
    else if (character === "'" && opener === "$(") {
      const end = text.indexOf("'", at + 1);
      if (end > 0) at = end;
    } else if (character === closer && --depth === 0) return at;
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
