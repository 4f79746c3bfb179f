import { createLru } from "@toolplane/core/lib/lru";

/** Endings of nouns, adjectives and infinitives as they are written without accents: one is cut, the longest that leaves three letters. */
const cyrillic =
  /^(\p{Script=Cyrillic}{3,}?)(?:иями|ями|ами|иям|иях|иеи|ого|его|ому|ему|ыми|ими|ить|ать|ять|еть|уть|ите|аите|яите|ов|ев|еи|ои|ии|ыи|аи|ам|ям|ах|ях|ую|юю|ая|яя|ое|ее|ые|ие|ию|ия|ы|и|а|я|о|е|у|ю|ь)$/u;

/** Porter's algorithm of 1980, in its own five steps. Words in Cyrillic letters lose their ending. */
export function stemWord(word: string): string {
  if (word.length < 3) return word;
  if (!/^[a-z]+$/.test(word)) return cyrillic.exec(word)?.[1] ?? word;
  const plain = cutPast(cutPlural(word));
  const long =
    plain.endsWith("y") && hasVowel(plain.slice(0, -1)) ? `${plain.slice(0, -1)}i` : plain;
  return tidyEnd(cutSuffix(replaceSuffix(replaceSuffix(long, doubleSuffixes), singleSuffixes)));
}

const minKnown = 100_000;
const knownStems = createLru<string>(minKnown);

export function stemOf(word: string): string {
  const knownStem = knownStems.get(word);
  if (knownStem !== undefined) return knownStem;
  const stem = stemWord(word);
  knownStems.set(word, stem);
  return stem;
}

/** `v` and `c` for vowels and consonants; `y` is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = "";
  for (const letter of word) {
    const isVowel = "aeiou".includes(letter) || (letter === "y" && shape.endsWith("c"));
    shape += isVowel ? "v" : "c";
  }
  return shape;
}

/** How often a consonant follows a vowel. */
function measure(word: string): number {
  return shapeOf(word).match(/vc/g)?.length ?? 0;
}

function hasVowel(word: string): boolean {
  return shapeOf(word).includes("v");
}

function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && shapeOf(word).endsWith("c");
}

/** Like `hop`, and unlike `box` or `play`. */
function endsShort(word: string): boolean {
  return shapeOf(word).endsWith("cvc") && !/[wxy]$/.test(word);
}

function cutPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function cutPast(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const base = word.replace(/(?:ed|ing)$/, "");
  if (base === word || !hasVowel(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (endsDouble(base) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  return measure(base) === 1 && endsShort(base) ? `${base}e` : base;
}

type Replacements = readonly (readonly [suffix: string, replacement: string])[];

// Longer suffixes come first: of two that match, the longer counts.
const doubleSuffixes = readReplacements(`
  ational:ate ization:ize iveness:ive fulness:ful ousness:ous tional:tion biliti:ble entli:ent ousli:ous ation:ate
  alism:al aliti:al iviti:ive enci:ence anci:ance izer:ize alli:al ator:ate logi:log bli:ble eli:e
`);
const singleSuffixes = readReplacements("icate:ic ative: alize:al iciti:ic ical:ic ness: ful:");

function readReplacements(table: string): Replacements {
  return table
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(":") as [string, string]);
}

function replaceSuffix(word: string, replacements: Replacements): string {
  const replacement = replacements.find(([suffix]) => word.endsWith(suffix));
  if (replacement === undefined) return word;
  const base = word.slice(0, -replacement[0].length);
  return measure(base) > 0 ? base + replacement[1] : word;
}

const lastSuffix =
  /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|(?<=[st])ion|al|er|ic|ou)$/;

function cutSuffix(word: string): string {
  const base = word.replace(lastSuffix, "");
  return measure(base) > 1 ? base : word;
}

function tidyEnd(word: string): string {
  const base = word.slice(0, -1);
  const size = measure(base);
  const isSpare = word.endsWith("e") && (size > 1 || (size === 1 && !endsShort(base)));
  const stem = isSpare ? base : word;
  return stem.endsWith("l") && endsDouble(stem) && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}
