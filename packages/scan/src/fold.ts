import { once } from "../../../src/lib/async/once.ts";
import { confusables } from "./confusables.ts";

/** A text in plain small letters, and where each of them stood. */
export type Folded = { text: string; at(index: number): number };

/** Look-alikes, letters in boxes and circles, flags' letters, and letters that are upside down. */
const doubles = once(() => {
  const all = new Map(
    Object.entries(confusables).flatMap(([latin, alike]) => [...alike].map((one) => [one, latin])),
  );
  for (const first of [0x1f130, 0x1f150, 0x1f170, 0x1f1e6])
    for (let at = 0; at < 26; at++)
      all.set(String.fromCodePoint(first + at), String.fromCharCode(97 + at));
  for (const [at, turned] of [..."ɐɔǝɟƃɥᴉɾʞʅɯɹʇʌʍʎ"].entries())
    all.set(turned, "acefghijklmrtvwy"[at] ?? "");
  return all;
});

const unseen = /[\p{Cf}\p{M}\u115f\u1160\u3164\uffa0\u2800]/gu;
const known = new Map<string, string>();
const isAscii = /^[\0-\x7f]*$/;

/** Unicode's compatible forms, without marks and what is not seen, and with the Latin double of a letter. */
function foldCharacter(character: string): string {
  const before = known.get(character);
  if (before !== undefined) return before;
  const plain = [
    ...(doubles().get(character) ?? character).normalize("NFKD").replaceAll(unseen, ""),
  ];
  const folded = plain.map((one) => doubles().get(one) ?? lower(one)).join("");
  known.set(character, folded);
  return folded;
}

function lower(one: string): string {
  const lowered = one.toLowerCase();
  if (lowered === one) return one;
  return [...lowered.normalize("NFKD").replaceAll(unseen, "")]
    .map((small) => doubles().get(small) ?? small)
    .join("");
}

export function foldText(text: string): Folded {
  if (isAscii.test(text)) return { text: text.toLowerCase(), at: (index) => index };
  const places: number[] = [];
  const parts: string[] = [];
  let from = 0;
  for (const character of text) {
    const folded = character < "\x80" ? character.toLowerCase() : foldCharacter(character);
    parts.push(folded);
    for (let at = 0; at < folded.length; at++) places.push(from);
    from += character.length;
  }
  return { text: parts.join(""), at: (index) => places[index] ?? text.length };
}
