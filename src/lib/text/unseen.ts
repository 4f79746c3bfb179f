/** Characters that a reader does not see, or sees in another place. */
const unseen = new RegExp(
  [
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f]",
    "[\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\u{e0000}-\\u{e0fff}]",
    "\\u034f|[\\u17b4\\u17b5]|[\\u180b-\\u180d\\u180f]|[\\ufe00-\\ufe0f]",
  ].join("|"),
  "gu",
);

export function makeVisible(text: string): string {
  return text.replaceAll(unseen, spellCode);
}

export function spellCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
