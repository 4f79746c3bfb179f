export const maxPieceLength = 500;

/** Does it load what it cannot be seen to name? */
export function namesAtRunTime(text: string): boolean {
  if (/\bcreateRequire\b/.test(text)) return true;
  for (const { 0: call, index } of text.matchAll(/\b(?:import|require(?:\.resolve)?)\b/g)) {
    const next = withoutComments(text.slice(index + call.length, index + call.length + 600));
    if (next.startsWith("(") && !/^\(\s*(["'])[^"'`\\\n]*\1\s*[),]/.test(next)) return true;
  }
  return false;
}

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|\/\/[^\n]*/g, "").trimStart();

export type Piece = { text: string; isImported: boolean };

/** What stands between two quotes, from every quote on: a sign that is misread hides none. */
export function literalsOf(text: string): Piece[] {
  const pieces = new Map<string, Piece>();
  for (const quote of ['"', "'", "`"]) {
    const parts = text.split(quote);
    for (const [index, part] of parts.entries()) {
      if (part === "" || part.length > maxPieceLength || part.includes("\n")) continue;
      const name = part.includes("\\") ? unescaped(part) : part;
      const before = withoutComments((parts[index - 1] ?? "").slice(-300)).trimEnd();
      const isImported = /\b(?:from|import|require)\s*\(?$/.test(before);
      if (isImported || !pieces.has(name)) pieces.set(name, { text: name, isImported });
    }
  }
  return [...pieces.values()];
}

function unescaped(text: string): string {
  const letters = text.replaceAll(
    /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^ux\n]))/g,
    (_whole, long?: string, four?: string, two?: string, sign?: string) => {
      const code = Number.parseInt(long ?? four ?? two ?? "", 16);
      return sign ?? (code <= 0x10ffff ? String.fromCodePoint(code) : "");
    },
  );
  return letters;
}
