export const maxPieceLength = 500;

const maxGap = 600;
/** Of one text that is written often. Beyond them it counts as imported. */
const maxUses = 50;

/** Does it load what it cannot be seen to name? */
export function namesAtRunTime(text: string): boolean {
  if (/\bcreateRequire\b/.test(text)) return true;
  for (const { 0: call, index } of text.matchAll(/\b(?:import|require(?:\.resolve)?)\b/g)) {
    const code = codeAfter(text, index + call.length);
    // A gap that is longer than any that a person writes hides what follows.
    if (code === null) return true;
    if (!code.startsWith("(")) continue;
    const argument = codeAfter(code, 1);
    if (argument === null || !/^(["'])[^"'`\\\n]{0,500}\1\s{0,50}[),]/.test(argument)) return true;
  }
  return false;
}

/** What stands behind spaces and comments; null where they do not end. */
function codeAfter(text: string, index: number): string | null {
  let code = text.slice(index, index + maxGap).trimStart();
  while (code.startsWith("/*") || code.startsWith("//")) {
    const end = code.startsWith("/*") ? "*/" : "\n";
    const stop = code.indexOf(end, 2);
    if (stop < 0) return null;
    code = code.slice(stop + end.length).trimStart();
  }
  return code;
}

/** What stands before spaces and comments. */
function codeBefore(text: string): string {
  let code = text.trimEnd();
  for (let round = 0; round < maxUses; round += 1) {
    const line = code.lastIndexOf("\n") + 1;
    const comment = code.endsWith("*/") ? code.lastIndexOf("/*") : code.indexOf("//", line);
    if (comment < 0) return code;
    code = code.slice(0, comment).trimEnd();
  }
  return code;
}

/** A text between two quotes, with what stands before it wherever it is written. */
export type Literal = { text: string; before: string[] };

/** What stands between two quotes, from every quote on: a sign that is misread hides none. */
export function literalsOf(text: string): Literal[] {
  const literals = new Map<string, Literal>();
  for (const quote of ['"', "'", "`"]) {
    const parts = text.split(quote);
    for (const [index, part] of parts.entries()) {
      if (part === "" || part.length > maxPieceLength || part.includes("\n")) continue;
      const name = part.includes("\\") ? unescaped(part) : part;
      const literal = literals.get(name) ?? { text: name, before: [] };
      if (literal.before.length <= maxUses)
        literal.before.push((parts[index - 1] ?? "").slice(-300));
      literals.set(name, literal);
    }
  }
  return [...literals.values()];
}

/** Is it written where an import names what it loads? */
export function isImported({ before }: Literal): boolean {
  if (before.length > maxUses) return true;
  return before.some((text) => /\b(?:from|import|require)\s{0,50}\(?$/.test(codeBefore(text)));
}

function unescaped(text: string): string {
  const letters = text.replaceAll(
    /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^ux\n]))/g,
    (_match, braced?: string, fourDigits?: string, twoDigits?: string, sign?: string) => {
      const code = Number.parseInt(braced ?? fourDigits ?? twoDigits ?? "", 16);
      return sign ?? (code <= 0x10ffff ? String.fromCodePoint(code) : "");
    },
  );
  return letters;
}
