import { once } from "../../../src/lib/async/once.ts";
import { jumbleOf, vocabulary } from "./lexicon.ts";

/** Readings of texts that are disguised beyond doubt: what they speak of is enough to judge them. */
export function plainReadingsOf(text: string): string[] {
  return [withoutEscapes(text), fromPigLatin(text), respell(text, "collapsed")].filter(
    (one) => one !== null,
  );
}

/** Other ways to read a text, each taken only where the text shows signs of it. All are linear; `text` is folded. */
export function readingsOf(text: string): string[] {
  return [...spellOut(text), withoutSeparators(text), everySecond(text), ...acrostics(text)].filter(
    (one): one is string => one !== null && one !== text,
  );
}

/** The same for a text as it was written, whose capitals matter. */
export function readingsOfCapitals(text: string): string[] {
  const capitals = text.match(/[A-Z]/g) ?? [];
  const turned = fromRot47(text);
  return [
    ...(capitals.length >= minInitials ? [capitals.join("").toLowerCase()] : []),
    ...(turned ? [turned] : []),
  ];
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
  return count >= minEscapes ? plain : null;
}

const maxRounds = 3;

function replaceEscapes(text: string, count: () => void): string {
  return text.replaceAll(escapes, (whole, ...groups: (string | undefined)[]) => {
    const [at, digits] =
      [...groups.slice(0, 7).entries()].find(([, one]) => one !== undefined) ?? [];
    const code = Number.parseInt(digits ?? "", at === 5 ? 10 : at === 6 ? 8 : 16);
    if (!(code >= 32 && code <= 0x10ffff)) return whole;
    count();
    return String.fromCodePoint(code);
  });
}

const minWords = 4;

/** evioupray: the first consonants moved behind, then "ay". */
function fromPigLatin(text: string): string | null {
  if ((text.match(/ay/g)?.length ?? 0) < minWords) return null;
  let count = 0;
  const known = vocabulary().words;
  const plain = text.replaceAll(/[a-z-]{4,30}/g, (word) => {
    if (!word.endsWith("ay")) return word;
    const [whole, before, after] = [
      word.replace("-", "").slice(0, -2),
      ...word.slice(0, -2).split("-"),
    ];
    if (whole.length < 2) return word;
    const ways = [0, 1, 2, 3].map(
      (size) => whole.slice(whole.length - size) + whole.slice(0, whole.length - size),
    );
    if (after !== undefined) ways.unshift(after + before);
    ways.push(whole.replace(/[wyh]$/, ""));
    count += 1;
    const moved = /[bcdfghj-np-tv-z]{0,3}$/.exec(whole)?.[0].length ?? 0;
    return ways.find((way) => known.has(way)) ?? ways[moved] ?? word;
  });
  return count >= minWords ? plain : null;
}

/** Words without their vowels, with their inner letters out of order, or with letters twice. */
function spellOut(text: string): string[] {
  return [respell(text, "completed"), respell(text, "sorted"), respell(text, "shortened")].filter(
    (one) => one !== null,
  );
}

/** What a word may stand for; only what is not the word itself. */
type Respelled = { collapsed?: string; completed?: string; sorted?: string; shortened?: string };
type Way = keyof Respelled;

const respelledWords = new Map<string, Respelled | null>();
const maxKnown = 20_000;

function waysOf(word: string): Respelled | null {
  const before = respelledWords.get(word);
  if (before !== undefined) return before;
  const { words, skeletons, jumbles } = vocabulary();
  const bare = word.replaceAll(/[*_.#-]/g, "");
  const ways: Record<Way, string | undefined> = {
    collapsed: collapse(word),
    completed: /[aeiou]/.test(bare) || bare.length < 2 ? undefined : skeletons.get(bare),
    sorted: words.has(word) ? undefined : jumbles.get(jumbleOf(word)),
    shortened: withoutSyllables(word, words),
  };
  const other = Object.entries(ways).filter(
    ([, spelled]) => spelled !== undefined && spelled !== word,
  );
  const made = other.length === 0 ? null : (Object.fromEntries(other) as Respelled);
  if (respelledWords.size >= maxKnown) respelledWords.clear();
  respelledWords.set(word, made);
  return made;
}

/** Every letter twice, or three times. */
function collapse(word: string): string | undefined {
  for (const times of [3, 2]) {
    if (word.length % times !== 0) continue;
    const letters = [...word].filter((_, at) => at % times === 0);
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
  (one) => new RegExp(`${one}(?=[aeiouy])`, "g"),
);

const minRespelled = 3;
const spelledWords = /[a-z][a-z*_#]{1,48}/g;

let counted: { text: string; counts: Partial<Record<Way, number>> } | undefined;

/** How many words of a text can be spelled in each way; asked for each way in turn. */
function countWays(text: string): Partial<Record<Way, number>> {
  if (counted?.text === text) return counted.counts;
  const counts: Partial<Record<Way, number>> = {};
  for (const word of text.match(spelledWords) ?? []) {
    const ways = waysOf(word);
    if (ways === null) continue;
    for (const way of Object.keys(ways) as Way[]) counts[way] = (counts[way] ?? 0) + 1;
  }
  counted = { text, counts };
  return counts;
}

function respell(text: string, way: Way): string | null {
  if ((countWays(text)[way] ?? 0) < minRespelled) return null;
  return text.replaceAll(spelledWords, (word) => waysOf(word)?.[way] ?? word);
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
    .flatMap((run) => [0, 1].map((from) => [...run].filter((_, at) => at % 2 === from).join("")));
  return halves.length > 0 ? halves.join(" ; ") : null;
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
  const first = (parts: readonly string[]) => spell(parts, (part) => /[a-z]/.exec(part)?.[0] ?? "");
  const last = (parts: readonly string[]) => spell(parts, (part) => part.at(-1) ?? "");
  const letters = [first(words), last(words), first(sentences), first(lines)].filter(
    (run) => run.length >= minInitials,
  );
  const edges =
    lines.length < minWords
      ? []
      : [/^[^\s,]+/, /(?<![^\s,])[^\s,]+$/].map((edge) =>
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
  return signs >= 2 ? rot47(text) : null;
}
