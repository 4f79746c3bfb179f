import { sliceText } from "../../../lib/text/cut-text.ts";

const around = 60;

/** What no reader sees, or sees in another place than it stands: from, to. */
const unseen: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xe0000, 0xe0fff],
];

/** Every invisible character as its number. */
export function makeVisible(text: string): string {
  return Array.from(text, (one) => {
    const code = one.codePointAt(0) ?? 0;
    return unseen.some(([from, to]) => code >= from && code <= to) && one !== "\r" ? spellCode(one) : one;
  }).join("");
}

export function spellCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** The place in a text and a little of what stands around it. */
export function excerptOf(text: string, from: number, to = from): string {
  const start = Math.max(0, from - around);
  const end = Math.min(text.length, Math.min(to, from + 2 * around) + around);
  const shown = makeVisible(sliceText(text, start, end)).replaceAll(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`;
}
