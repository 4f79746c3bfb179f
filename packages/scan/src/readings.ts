import { once } from "@toolplane/core/lib/async/once";
import { jumbleOf, vocabulary } from "./lexicon.ts";

/** Readings of texts that are disguised beyond doubt: what they speak of is enough to judge them. */
export function plainReadingsOf(text: string): string[] {
  return [withoutEscapes(text), fromPigLatin(text), respell(text, "collapsed")].filter(
    (reading) => reading !== null,
  );
}

/** Other ways to read a text, each taken only where the text shows signs of it. All are linear; `text` is folded. */
export function readingsOf(text: string): string[] {
  return [...spellOut(text), withoutSeparators(text), everySecond(text), ...acrostics(text)].filter(
    (reading): reading is string => reading !== null && reading !== text,
  );
}

/** The same for a text as it was written, whose capitals matter. */
export function readingsOfCapitals(text: string): string[] {
  const capitals = text.match(/[A-Z]/g) ?? [];
  const rotated = fromRot47(text);
  const readings: string[] = [];
  if (capitals.length >= minInitials) readings.push(capitals.join("").toLowerCase());
  if (rotated) readings.push(rotated);
  return readings;
}

const escapes =
  /%([0-9a-f]{2})|=([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{4})\}?|&#x([0-9a-f]{2,6});|&#(\d{2,7});|\\([0-7]{3})/gi;
const minEscapes = 4;
const mayBeEscape = /[%=\\&]/;

/** A text in which some letters are escaped, and others are not. */
function withoutEscapes(text: string): string | null {
  if (!mayBeEscape.test(text)) return null;
  let count = 0;
  let plain = text;
  for (let round = 0; round < maxRounds && (round === 0 || plain.includes("%")); round++)
    plain = replaceEscapes(plain, () => (count += 1));
  if (count < minEscapes) return null;
  return plain;
}

const maxRounds = 3;
/** By group of `escapes`; all others are hexadecimal. */
const radixOf: Readonly<Record<number, number>> = { 5: 10, 6: 8 };

function replaceEscapes(text: string, count: () => void): string {
  return text.replaceAll(escapes, (escaped, ...groups: (string | undefined)[]) => {
    const [groupIndex, digits] =
      [...groups.slice(0, 7).entries()].find(([, group]) => group !== undefined) ?? [];
    const code = Number.parseInt(digits ?? "", radixOf[groupIndex ?? 0] ?? 16);
    if (!(code >= 32 && code <= 0x10ffff)) return escaped;
    count();
    return String.fromCodePoint(code);
  });
}

const minWords = 4;

/** evioupray: the first consonants moved behind, then "ay". */
function fromPigLatin(text: string): string | null {
  if ((text.match(/ay/g)?.length ?? 0) < minWords) return null;
  let count = 0;
  const knownWords = vocabulary().words;
  const plain = text.replaceAll(/[a-z-]{4,30}/g, (word) => {
    if (!word.endsWith("ay")) return word;
    const [letters, before, after] = [
      word.replace("-", "").slice(0, -2),
      ...word.slice(0, -2).split("-"),
    ];
    if (letters.length < 2) return word;
    const candidates = [0, 1, 2, 3].map(
      (size) => letters.slice(letters.length - size) + letters.slice(0, letters.length - size),
    );
    if (after !== undefined) candidates.unshift(after + before);
    candidates.push(letters.replace(/[wyh]$/, ""));
    count += 1;
    const movedCount = /[bcdfghj-np-tv-z]{0,3}$/.exec(letters)?.[0].length ?? 0;
    return (
      candidates.find((candidate) => knownWords.has(candidate)) ?? candidates[movedCount] ?? word
    );
  });
  if (count < minWords) return null;
  return plain;
}

/** Words without their vowels, with their inner letters out of order, or with letters twice. */
function spellOut(text: string): string[] {
  return [respell(text, "completed"), respell(text, "sorted"), respell(text, "shortened")].filter(
    (reading) => reading !== null,
  );
}

/** What a word may stand for; only what is not the word itself. */
type Respelled = { collapsed?: string; completed?: string; sorted?: string; shortened?: string };
type Respelling = keyof Respelled;

const respelledWords = new Map<string, Respelled | null>();
const maxKnown = 20_000;

function respellingsOf(word: string): Respelled | null {
  const knownRespellings = respelledWords.get(word);
  if (knownRespellings !== undefined) return knownRespellings;
  const { words, skeletons, jumbles } = vocabulary();
  const bare = word.replaceAll(/[*_.#-]/g, "");
  const candidates: Record<Respelling, string | undefined> = {
    collapsed: collapse(word),
    completed: /[aeiou]/.test(bare) || bare.length < 2 ? undefined : skeletons.get(bare),
    sorted: words.has(word) ? undefined : jumbles.get(jumbleOf(word)),
    shortened: withoutSyllables(word, words),
  };
  const changed = Object.entries(candidates).filter(
    ([, spelled]) => spelled !== undefined && spelled !== word,
  );
  const respellings = changed.length === 0 ? null : (Object.fromEntries(changed) as Respelled);
  if (respelledWords.size >= maxKnown) respelledWords.clear();
  respelledWords.set(word, respellings);
  return respellings;
}

/** Every letter twice, or three times. */
function collapse(word: string): string | undefined {
  for (const times of [3, 2]) {
    if (word.length % times !== 0) continue;
    const letters = [...word].filter((_, index) => index % times === 0);
    if (letters.map((letter) => letter.repeat(times)).join("") === word) return letters.join("");
  }
  return undefined;
}

/** Syllables that were put before each vowel, as children do. */
function withoutSyllables(word: string, words: ReadonlySet<string>): string | undefined {
  if (words.has(word)) return undefined;
  for (const syllable of syllables) {
    const plain = word.replaceAll(syllable, "");
    if (plain !== word && words.has(plain)) return plain;
  }
  return undefined;
}

const syllables = ["ub", "ob", "op", "ag", "idig", "egg"].map(
  (syllable) => new RegExp(`${syllable}(?=[aeiouy])`, "g"),
);

const minRespelled = 3;
const spelledWords = /[a-z][a-z*_#]{1,48}/g;

let lastCounted: { text: string; counts: Partial<Record<Respelling, number>> } | undefined;

/** How many words of a text can be spelled in each way; asked for each way in turn. */
function countRespellings(text: string): Partial<Record<Respelling, number>> {
  if (lastCounted?.text === text) return lastCounted.counts;
  const counts: Partial<Record<Respelling, number>> = {};
  for (const word of text.match(spelledWords) ?? []) {
    const respellings = respellingsOf(word);
    if (respellings === null) continue;
    for (const kind of Object.keys(respellings) as Respelling[])
      counts[kind] = (counts[kind] ?? 0) + 1;
  }
  lastCounted = { text, counts };
  return counts;
}

function respell(text: string, kind: Respelling): string | null {
  if ((countRespellings(text)[kind] ?? 0) < minRespelled) return null;
  return text.replaceAll(spelledWords, (word) => respellingsOf(word)?.[kind] ?? word);
}

/** ig-no-re, i1g2n3o4r5e, ig|nore: signs or digits within words. */
function withoutSeparators(text: string): string | null {
  const signs = text.match(/[a-z][-~|^*+=:·•_'`\d\\/](?=[a-z]|\d?\b)/g)?.length ?? 0;
  // Names with a hyphen here and there are none.
  if (signs < minSeparators || signs * 4 < (text.match(/\s/g)?.length ?? 0)) return null;
  return text.replaceAll(
    /(?<=[a-z])(?:[-~|^*+=:·•_.'`\\/]{1,2}(?=[a-z])|\d{1,2}(?=[a-z]|\s|$))/g,
    "",
  );
}

const minSeparators = 4;

const maxHalved = 4;

/** Letters of a long word of which every second is another's. */
function everySecond(text: string): string | null {
  const runs = text.match(/[!-~]{40,}/g) ?? [];
  const halves = runs
    .slice(0, maxHalved)
    .flatMap((run) =>
      [0, 1].map((from) => [...run].filter((_, index) => index % 2 === from).join("")),
    );
  if (halves.length === 0) return null;
  return halves.join(" ; ");
}

const minInitials = 18;

/** The first and the last letters of words, sentences and lines, and the first words of lines, one after the other. */
function acrostics(text: string): string[] {
  const lines = text
    .split(/\n+/)
    .map((line) => line.replace(/^[\s\d.)*#>•-]{0,20}/, ""))
    .filter(Boolean);
  const sentences = text.split(/[.!?;:\n]+\s{0,9}/).filter(Boolean);
  const words = text.match(/[a-z]+/g) ?? [];
  // A part gives one letter at most.
  const spell = (parts: readonly string[], letterOf: (part: string) => string) =>
    parts.length < minInitials ? "" : parts.map(letterOf).join("");
  const initialsOf = (parts: readonly string[]) =>
    spell(parts, (part) => /[a-z]/.exec(part)?.[0] ?? "");
  const finalsOf = (parts: readonly string[]) => spell(parts, (part) => part.at(-1) ?? "");
  const letters = [
    initialsOf(words),
    finalsOf(words),
    initialsOf(sentences),
    initialsOf(lines),
  ].filter((run) => run.length >= minInitials);
  if (lines.length < minWords) return letters;
  const edges = [/^[^\s,]+/, /(?<![^\s,])[^\s,]+$/].map((edge) =>
    lines.map((line) => edge.exec(line)?.[0] ?? "").join(" "),
  );
  return [...letters, ...edges];
}

const rot47 = (text: string) =>
  text.replaceAll(/[!-~]/g, (sign) =>
    String.fromCharCode(33 + ((sign.charCodeAt(0) - 33 + 47) % 94)),
  );

const inRot47 = once(
  () =>
    new Set(
      [
        "the",
        "user",
        "all",
        "instructions",
        "previous",
        "you",
        "not",
        "and",
        "this",
        "send",
        "to",
        "tell",
      ].map(rot47),
    ),
);

/** Needs its capitals: given as it was written. */
function fromRot47(text: string): string | null {
  const signs = text.split(/\s+/).filter((word) => inRot47().has(word)).length;
  if (signs < 2) return null;
  return rot47(text);
}
