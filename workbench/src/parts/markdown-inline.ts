/** A piece of a line. `at` tells pieces apart. */
export type Inline =
  | { kind: "text"; at: number; text: string }
  | { kind: "code"; at: number; text: string }
  | { kind: "break"; at: number }
  | { kind: "strong" | "emphasis" | "deleted"; at: number; inside: Inline[] }
  | { kind: "link"; at: number; address: string; inside: Inline[] }
  | { kind: "image"; at: number; address: string; text: string };

/** More is shown as it is: no one writes such a paragraph. */
const maxCharacters = 20_000;
const maxDepth = 6;

const pieces: readonly [Inline["kind"] | "escape" | "bare", RegExp][] = [
  ["escape", /\\([!-/:-@[-`{-~])/y],
  ["code", /(?<!`)(`{1,4})(?!`)([^`]|[^`][\s\S]{0,600}?[^`])\1(?!`)/y],
  ["image", /!\[([^\]\n]{0,300})\]\(\s*<?([^\s()>]{1,100000})>?(?:\s+"[^"\n]{0,300}")?\s*\)/y],
  ["link", /\[((?:[^\][\n]|\[[^\][\n]{0,200}\]){1,500})\]\(\s*<?([^\s)>]{1,2000})>?(?:\s+"[^"\n]{0,300}")?\s*\)/y],
  ["bare", /<(https?:\/\/[^\s<>]{1,2000}|mailto:[^\s<>]{1,200})>|https?:\/\/[^\s<>"'`*|]{1,2000}/y],
  ["strong", /(\*\*|__)(?=\S)([\s\S]{0,600}?\S)\1(?![\w*])/y],
  ["deleted", /(~~)(?=\S)([\s\S]{0,600}?\S)\1/y],
  ["emphasis", /([*_])(?![*_\s])((?:[^*_]|[*_]{2}){1,600}?)(?<![\s*_])\1(?![\w*_])/y],
  ["break", /(?:(?<! ) {2,}|\\)\n/y],
];
/** Where a piece can begin. */
const begins = /[\\`!["<*_~h ]/g;

/** What stands within a paragraph, a heading or a cell. Nothing is ever read as HTML. */
export function readInline(text: string, depth = 0): Inline[] {
  if (text.length > maxCharacters || depth > maxDepth) return text === "" ? [] : [{ kind: "text", at: 0, text }];
  const found: Inline[] = [];
  let plain = "";
  let at = 0;
  const flush = () => {
    if (plain !== "") found.push({ kind: "text", at: at - plain.length, text: plain });
    plain = "";
  };
  while (at < text.length) {
    begins.lastIndex = at;
    const next = begins.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    const piece = isInsideWord(text, at) ? null : pieceAt(text, at, depth);
    if (piece === null) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (piece.made.kind === "text") plain += piece.made.text;
    else {
      flush();
      found.push(piece.made);
    }
    at += piece.length;
  }
  flush();
  return found;
}

/** `snake_case_names` have no emphasis in them, and no address begins within a word. */
function isInsideWord(text: string, at: number): boolean {
  return (text[at] === "_" || text[at] === "h") && /\w/.test(text[at - 1] ?? " ");
}

function pieceAt(text: string, at: number, depth: number): { made: Inline; length: number } | null {
  for (const [kind, pattern] of pieces) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const [whole, first = "", second = ""] = match;
    const made = make(kind, { at, whole, first, second }, depth);
    return {
      made,
      length: made.kind === "link" && kind === "bare" && first === "" ? made.address.length : whole.length,
    };
  }
  return null;
}

type Match = { at: number; whole: string; first: string; second: string };

function make(kind: (typeof pieces)[number][0], { at, whole, first, second }: Match, depth: number): Inline {
  if (kind === "escape") return { kind: "text", at, text: first };
  if (kind === "code") return { kind, at, text: second.replaceAll("\n", " ") };
  if (kind === "break") return { kind, at };
  if (kind === "image") return { kind, at, address: second, text: first };
  if (kind === "link") return linkTo(at, second, readInline(first, depth + 1), whole);
  if (kind === "bare") {
    // A full stop behind an address ends the sentence.
    const address = first || whole.replace(/[.,;:!?)\]]+$/, "");
    return linkTo(at, address, [{ kind: "text", at, text: address }], whole);
  }
  return { kind: kind as "strong", at, inside: readInline(second, depth + 1) };
}

/** Only to the web and to mail; anything else stays the text that it is. */
function linkTo(at: number, address: string, inside: Inline[], whole: string): Inline {
  return /^(https?:\/\/[^/\s]|mailto:[^\s])/i.test(address)
    ? { kind: "link", at, address, inside }
    : { kind: "text", at, text: whole };
}
