import { once } from "@toolplane/core/lib/async/once";
import { confusables } from "./confusables.ts";

/** A text in plain small letters, and where each of them stood. */
export type Folded = { text: string; sourceIndex(index: number): number };

/** Look-alikes, letters in boxes and circles, flags' letters, and letters that are upside down. */
const latinDoubles = once(() => {
  const doublesByLetter = new Map(
    Object.entries(confusables).flatMap(([latin, lookalikes]) =>
      [...lookalikes].map((letter) => [letter, latin]),
    ),
  );
  for (const first of [0x1f130, 0x1f150, 0x1f170, 0x1f1e6])
    for (let offset = 0; offset < 26; offset++)
      doublesByLetter.set(String.fromCodePoint(first + offset), String.fromCharCode(97 + offset));
  for (const [index, turned] of [..."ɐɔǝɟƃɥᴉɾʞʅɯɹʇʌʍʎ"].entries())
    doublesByLetter.set(turned, "acefghijklmrtvwy"[index] ?? "");
  return doublesByLetter;
});

const unseen = /[\p{Cf}\p{M}\u115f\u1160\u3164\uffa0\u2800]/gu;
const foldedCharacters = new Map<string, string>();
const isAscii = /^[\0-\x7f]*$/;

/** Unicode's compatible forms, without marks and what is not seen, and with the Latin double of a letter. */
function foldCharacter(character: string): string {
  const knownFold = foldedCharacters.get(character);
  if (knownFold !== undefined) return knownFold;
  const plain = [
    ...(latinDoubles().get(character) ?? character).normalize("NFKD").replaceAll(unseen, ""),
  ];
  const folded = plain.map((letter) => latinDoubles().get(letter) ?? lowerCase(letter)).join("");
  foldedCharacters.set(character, folded);
  return folded;
}

function lowerCase(character: string): string {
  const lowered = character.toLowerCase();
  if (lowered === character) return character;
  return [...lowered.normalize("NFKD").replaceAll(unseen, "")]
    .map((letter) => latinDoubles().get(letter) ?? letter)
    .join("");
}

export function foldText(text: string): Folded {
  if (isAscii.test(text)) return { text: text.toLowerCase(), sourceIndex: (index) => index };
  const sourceIndexes: number[] = [];
  const parts: string[] = [];
  let from = 0;
  for (const character of text) {
    const folded = character < "\x80" ? character.toLowerCase() : foldCharacter(character);
    parts.push(folded);
    for (let offset = 0; offset < folded.length; offset++) sourceIndexes.push(from);
    from += character.length;
  }
  return { text: parts.join(""), sourceIndex: (index) => sourceIndexes[index] ?? text.length };
}
