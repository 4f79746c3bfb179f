/** Like `slice`, and never cuts a surrogate pair. */
export function sliceText(text: string, from: number, to: number): string {
  return text.slice(characterStart(text, from), characterStart(text, to));
}

/** A line end, or else a word end, is cut at only where it leaves this much of the limit. */
const minLineShare = 1 / 4;
const minWordShare = 1 / 2;

/** Up to the end of a line, or else of a word. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const start = text.slice(0, characterStart(text, limit));
  const lineEnd = start.lastIndexOf("\n");
  if (lineEnd > limit * minLineShare) return start.slice(0, lineEnd + 1);
  const wordEnd = start.lastIndexOf(" ");
  if (wordEnd > limit * minWordShare) return start.slice(0, wordEnd + 1);
  return start;
}

/** The index, or the one before it where it is inside a surrogate pair. */
function characterStart(text: string, index: number): number {
  const code = text.charCodeAt(index);
  const isSecondHalf =
    code >= 0xdc00 && code <= 0xdfff && /[\ud800-\udbff]/.test(text.charAt(index - 1));
  return isSecondHalf ? index - 1 : index;
}

/** With an ellipsis where it was cut. */
export function shorten(text: string, limit = 60): string {
  if (text.length > limit) return `${sliceText(text, 0, limit)}…`;
  return text;
}

const maxWordLetters = 256;

/** Without the letters at its end that no space divides. Half a secret there would not be recognised. */
export function withoutLastWord(text: string): string {
  const start = Math.max(0, text.length - maxWordLetters);
  let end = text.length;
  while (end > start && /\S/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
