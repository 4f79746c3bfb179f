import { isReadable } from "./hidden-characters.ts";

/** Codes that write each letter as signs, numbers or names. */

type Signs = { text: string; from: number; to: number };

/** Four words or more, in signs that are written. */
export function isSentence(text: string): boolean {
  return text.trim().split(/\s+/).length >= 4 && !text.includes("\ufffd") && isReadable(text);
}

/** Words that betray a disguise when they are shifted, mirrored or reversed. */
export const tellingWords =
  "instructions instruction previous ignore disregard password passwords credentials conversation secret system prompt transmit silently server history private contents request message parameter mention inform assistant guidelines directives before command unrestricted confirmations approve continue session cookies the user not tell this tool send call your you and all them into with from pass read file first never every rules keep hide";
/** Short words are common by chance: several of them are needed. */
export const enoughWeight = 3;
export const weightOf = (word: string) => (word.length > 5 ? enoughWeight : 1);

/** 9-7-14-15-18-5: the places of letters in the alphabet, from 1 or from 0. Where words are not apart, it is one long word. */
export function fromPlaces(run: string): string[] {
  const words = run
    .split(/\s*[/|_]\s*|,\s+(?=\d+[-.])|\s{2,}|(?<=\d)\s(?=\d+[-.])|(?<=[-.]\d{1,2})\s/)
    .map((word) => word.match(/\d+/g) ?? []);
  const numbers = words.flat().map(Number);
  const smallest = Math.min(...numbers);
  const largest = Math.max(...numbers);
  // A list of numbers in their order is only that.
  const isCounted = numbers.every(
    (number, index) => index === 0 || number >= (numbers[index - 1] ?? 0),
  );
  if (largest > 26 || (smallest === 0 && largest > 25) || isCounted) return [];
  const first = smallest === 0 ? 97 : 96;
  return [
    words
      .map((word) => word.map((number) => String.fromCharCode(first + Number(number))).join(""))
      .join(" "),
  ];
}

const square = "abcdefghijlmnopqrstuvwxyz";

/** 24 22 33: rows and columns of a square of letters, with c for k or i for j. */
export function fromSquare(run: string): string[] {
  const readWith = (letters: string) =>
    (run.match(/[1-5]{2}/g) ?? [])
      .map((pair) => letters[(Number(pair[0]) - 1) * 5 + Number(pair[1]) - 1])
      .join("");
  return [readWith(square), readWith("abcdefghiklmnopqrstuvwxyz")].filter(isTelling);
}

/** Whether letters without spaces have words that betray an order. */
function isTelling(letters: string): boolean {
  const present = tellingWords.split(" ").filter((word) => letters.includes(word));
  return present.reduce((sum, word) => sum + weightOf(word), 0) >= enoughWeight;
}

export function fromNamedBits(run: string): string[] {
  const bits = run.toLowerCase().match(/zero|one/g) ?? [];
  return [fromBinary(bits.map((bit) => (bit === "one" ? "1" : "0")).join(""))];
}

const spelling = new Map(
  "alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu"
    .split(" ")
    .map((word) => [word, word[0] ?? ""]),
);

/** India Golf November: letters by the names that radio operators call them. */
export function fromSpelling(run: string): string[] {
  const words = run.toLowerCase().match(/[a-z]+/g) ?? [];
  const letters = words.map((word) => spelling.get(word) ?? " ");
  if (letters.filter((letter) => letter !== " ").length < minSpelled) return [];
  return [letters.join("").trim()];
}

const minSpelled = 10;
const spelledLetters = new RegExp([...spelling.keys()].join("|"), "gi");

/** Has the text so many of these names at all? */
export function mayBeSpelled(text: string): boolean {
  return (text.match(spelledLetters)?.length ?? 0) >= minSpelled;
}

/** Bits, or Bacon's five of a letter, as any two signs: each stretch that has no third. */
export function fromTwoSigns(text: string): Signs[] {
  if (!hasTwoSigns(text)) return [];
  const stretches: Signs[] = [];
  let stretch: { sign: string; position: number }[] = [];
  let first = "";
  let second = "";
  const endStretch = () => {
    if (second !== "" && stretch.length >= minSigns && stretches.length < maxStretches) {
      const from = stretch[0]?.position ?? 0;
      const decoded = readSigns(
        stretch.slice(0, maxSigns).map(({ sign }) => (sign === second ? 1 : 0)),
      );
      if (decoded) stretches.push({ text: decoded, from, to: stretch.at(-1)?.position ?? from });
    }
    [stretch, first, second] = [[], "", ""];
  };
  let position = 0;
  for (const sign of text) {
    if (!/[\s,;|/]/.test(sign) && sign !== "\ufe0f") {
      if (sign !== first && sign !== second) {
        if (first === "") first = sign;
        else if (second === "") second = sign;
        else {
          // The signs just before may be the first of the next stretch.
          const previous = stretch.at(-1)?.sign ?? "";
          const carried = stretch.slice(
            stretch.findLastIndex((written) => written.sign !== previous) + 1,
          );
          endStretch();
          [stretch, first, second] = [carried, previous, sign];
        }
      }
      stretch.push({ sign, position });
    }
    position += sign.length;
  }
  endStretch();
  return stretches;
}

/** Is there any stretch of so many signs without a third? Counts as `fromTwoSigns` does, and keeps nothing. */
function hasTwoSigns(text: string): boolean {
  if (!hasMonotony(text)) return false;
  let first = -1;
  let second = -1;
  let count = 0;
  /** The last sign, and how often it came without another between. */
  let previousSign = -1;
  let repeated = 0;
  for (let position = 0; position < text.length; ) {
    const sign = text.codePointAt(position) ?? 0;
    position += sign > 0xffff ? 2 : 1;
    if (isBetweenSigns(sign)) continue;
    if (sign !== first && sign !== second) {
      if (first === -1) first = sign;
      else if (second === -1) second = sign;
      else [first, second, count] = [previousSign, sign, repeated];
    }
    count += 1;
    repeated = sign === previousSign ? repeated + 1 : 1;
    previousSign = sign;
    if (count >= minSigns) return true;
  }
  return false;
}

/** Long enough that a stretch of `minSigns` covers a whole block. */
const blockSize = 16;
/** Two signs are four units at most. */
const maxUnits = 4;

/** Is there a block of so few signs that it may be of a stretch? Of ordinary text only a few letters in each are looked at. */
function hasMonotony(text: string): boolean {
  for (
    let start = 0;
    start + blockSize <= text.length && text.length >= minSigns;
    start += blockSize
  )
    if (isMonotonous(text, start)) return true;
  return false;
}

function isMonotonous(text: string, start: number): boolean {
  const units: number[] = [];
  for (let index = start; index < start + blockSize; index++) {
    const unit = text.charCodeAt(index);
    if (units.includes(unit) || isBetweenSigns(unit)) continue;
    if (units.length === maxUnits) return false;
    units.push(unit);
  }
  return true;
}

/** The same signs as in `fromTwoSigns`; those below 128 without a search. */
function isBetweenSigns(code: number): boolean {
  if (code < 0x80)
    return (
      (code >= 9 && code <= 13) ||
      code === 32 ||
      code === 44 ||
      code === 47 ||
      code === 59 ||
      code === 124
    );
  return code === 0xfe0f || /\s/.test(String.fromCodePoint(code));
}

const minSigns = 60;
const maxSigns = 20_000;
const maxStretches = 20;

function readSigns(bits: readonly number[]): string | undefined {
  const inverted = bits.map((bit) => 1 - bit);
  const bytes = [8, 7].flatMap((size) =>
    [bits, inverted].map((signs) => String.fromCharCode(...inGroups(signs, size))),
  );
  const bacon = [bits, inverted].map((signs) =>
    inGroups(signs, 5)
      .map((index) => String.fromCharCode(97 + Math.min(index, 25)))
      .join(""),
  );
  return bytes.find((text) => isSentence(text)) ?? bacon.find(isTelling);
}

function inGroups(bits: readonly number[], size: number): number[] {
  const groups: number[] = [];
  for (let start = 0; start + size <= bits.length; start += size)
    groups.push(bits.slice(start, start + size).reduce((sum, bit) => sum * 2 + bit, 0));
  return groups;
}

export function fromBinary(run: string): string {
  const parts = /[\s,]/.test(run) ? run.split(/[\s,]+/) : (run.match(/[01]{8}/g) ?? []);
  return Buffer.from(parts.filter(Boolean).map((bits) => Number.parseInt(bits, 2))).toString(
    "utf8",
  );
}

const morse = new Map(
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
    .split(" ")
    .map((signs, index) => [signs, String.fromCharCode(97 + index)]),
);

export function fromMorse(run: string): string {
  const words = run
    .replaceAll(/[·•]/g, ".")
    .replaceAll(/[−–—_]/g, "-")
    .split(/[/|]| {2,}/)
    .filter((word) => word.trim() !== "");
  return words
    .map((word) =>
      word
        .trim()
        .split(" ")
        .map((signs) => morse.get(signs) ?? "")
        .join(""),
    )
    .join(" ");
}

const braille = new Map(
  [..."⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"].map((cell, index) => [cell, String.fromCharCode(97 + index)]),
);

export function fromBraille(run: string): string {
  return [...run].map((cell) => braille.get(cell) ?? " ").join("");
}
