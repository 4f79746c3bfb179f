import { once } from "@toolplane/core/lib/async/once";
import type { Steps } from "@toolplane/core/lib/async/steps";
import {
  fromBase32,
  fromBase45,
  fromBases85,
  fromLargeNumbers,
  fromUuencode,
  textOfBytes,
} from "./base-codes.ts";
import {
  enoughWeight,
  fromBinary,
  fromBraille,
  fromMorse,
  fromNamedBits,
  fromPlaces,
  fromSpelling,
  fromSquare,
  fromTwoSigns,
  isSentence,
  mayBeSpelled,
  tellingWords,
  weightOf,
} from "./sign-codes.ts";

/** What a run of a text says once it is decoded, and where it stands. */
export type Decoded = {
  kind: "encoded_text" | "disguised_text";
  text: string;
  from: number;
  to: number;
};

/** What a run may say, in each way to read it. */
type Codec = {
  kind: Decoded["kind"];
  pattern: RegExp;
  /** What every text has that the pattern fits. */
  needs?: "long word" | "digits" | "spelled letters";
  decode(run: string): (string | Buffer | null)[];
};

const maxRun = 20_000;
/** Of one codec in one text. */
const maxRuns = 20;

const numbersIn = (run: string, base: number) =>
  String.fromCodePoint(
    ...(run.match(/[0-9a-f]+/gi) ?? []).map((digits) =>
      Math.min(Number.parseInt(digits, base) || 32, 0x10ffff),
    ),
  );

/** Every pattern is linear: its parts cannot match the same text in two ways. */
const codecs: readonly Codec[] = [
  {
    kind: "encoded_text",
    pattern: /[A-Za-z0-9+/_-]{24,}(?:[ \n][A-Za-z0-9+/_-]{12,})*/g,
    needs: "long word",
    decode: fromBase64,
  },
  {
    kind: "encoded_text",
    pattern: /[A-Za-z0-9+/]{16,23}(?: [A-Za-z0-9+/]{16,23})+(?: [A-Za-z0-9+/]{1,23})?/g,
    needs: "long word",
    decode: fromBase64,
  },
  {
    // 49 67, 49:67, 49-67, \x49\x67, %49%67, =49=67, 0x49, 0x67
    kind: "encoded_text",
    pattern: /(?<![0-9A-Za-z])(?:(?:\\x|0x|[%=$])?[0-9A-Fa-f]{2}[\s:,;-]{0,2}){12,}/g,
    decode: fromHexadecimal,
  },
  {
    kind: "encoded_text",
    pattern: /\b[A-Z2-7]{24,}={0,6}/g,
    needs: "long word",
    decode: (run) => [fromBase32(run)],
  },
  {
    kind: "encoded_text",
    pattern: /\b[a-z2-7]{24,}={0,6}/g,
    needs: "long word",
    decode: (run) => [fromBase32(run.toUpperCase())],
  },
  {
    kind: "encoded_text",
    pattern: /\b[0-9A-Za-z]{24,}\b/g,
    needs: "long word",
    decode: fromLargeNumbers,
  },
  { kind: "encoded_text", pattern: /[!-~]{20,}/g, needs: "long word", decode: fromBases85 },
  {
    kind: "encoded_text",
    pattern: /<~[!-z\s]{20,}~>/g,
    decode: (run) => fromBases85(run.replaceAll(/\s/g, "")),
  },
  {
    kind: "encoded_text",
    pattern: /(?<![0-9A-Za-z])[0-9A-Z$%*+./: -]{24,}/g,
    decode: (run) => [run, run.replace(/^[ .:/-]+/, ""), run.trim()].map(fromBase45),
  },
  {
    kind: "encoded_text",
    pattern: /(?<=^|\s)[!-M][!-`]{16,84}(?:\n[!-M][!-`]{4,84})*/g,
    needs: "long word",
    decode: (run) => [fromUuencode(run)],
  },
  {
    kind: "encoded_text",
    pattern: /(?:\\?\b[0-3]?[0-7]{2}(?:[\s,;]{1,2}|(?=\\))){11,}\\?[0-3]?[0-7]{2}/g,
    needs: "digits",
    decode: (run) => [numbersIn(run, 8)],
  },
  {
    kind: "disguised_text",
    pattern: /\b(?:[1-5]{2}[\s,;.-]{1,2}){9,}[1-5]{2}\b/g,
    needs: "digits",
    decode: fromSquare,
  },
  {
    kind: "encoded_text",
    pattern: /\b(?:(?:zero|one)[\s,-]{1,2}){39,}(?:zero|one)\b/gi,
    decode: fromNamedBits,
  },
  {
    kind: "disguised_text",
    pattern: /\b(?:\d{1,2}(?:[-., ]|[\s/|_,]{1,3})){11,}\d{1,2}\b/g,
    needs: "digits",
    decode: fromPlaces,
  },
  {
    kind: "disguised_text",
    pattern: /\b(?:[a-z]{3,8}[\s,.-]{1,3}){9,}[a-z]{3,8}\b/gi,
    needs: "spelled letters",
    decode: fromSpelling,
  },
  {
    kind: "encoded_text",
    pattern: /\b(?:[01]{7,8}[\s,]{0,2}){12,}/g,
    needs: "digits",
    decode: (run) => [fromBinary(run)],
  },
  {
    kind: "encoded_text",
    pattern: /\b(?:\d{2,3}[\s,;]{1,2}){12,}\d{2,3}/g,
    needs: "digits",
    decode: (run) => [numbersIn(run, 10)],
  },
  {
    kind: "encoded_text",
    pattern: /(?:&#\d{2,7};){8,}/g,
    needs: "digits",
    decode: (run) => [numbersIn(run, 10)],
  },
  {
    kind: "encoded_text",
    pattern: /(?:&#x[0-9a-f]{2,6};){8,}/gi,
    decode: (run) => [numbersIn(run.replaceAll("&#x", " "), 16)],
  },
  {
    kind: "encoded_text",
    pattern: /(?:\\u\{?[0-9a-f]{4,6}\}?){8,}/gi,
    decode: (run) => [numbersIn(run.replaceAll("\\u", " "), 16)],
  },
  {
    kind: "encoded_text",
    pattern: /(?:[.\-·•−–—_]{1,6}[ /|]{1,3}){12,}[.\-·•−–—_]{0,6}/g,
    decode: (run) => [fromMorse(run)],
  },
  {
    kind: "encoded_text",
    pattern: /[\u2800-\u28ff][\u2800-\u28ff ]{12,}/g,
    decode: (run) => [fromBraille(run)],
  },
  {
    kind: "disguised_text",
    pattern: /(?<![\p{L}\p{N}])(?:\p{L}[ .\-_*·|/\n,]{1,4}){7,}\p{L}(?![\p{L}\p{N}])/gu,
    decode: (run) => [joinLetters(run)],
  },
];

/** Nothing but another code. */
const nested = /^[!-~]{16,}\s*$/;
const maxNested = 2;

const longWord = /[!-~]{16}/;
/** No pattern of digits fits fewer of them. */
const minDigits = 12;
/** No pattern fits a shorter text. */
const minLength = 13;

/** Most texts have nothing that is encoded: three looks at a text save most of the patterns. */
function codecsFor(text: string): Codec[] {
  if (text.length < minLength) return [];
  const has: Record<NonNullable<Codec["needs"]>, boolean> = {
    "long word": longWord.test(text),
    digits: (text.match(/\d/g)?.length ?? 0) >= minDigits,
    "spelled letters": text.length > maxRun || mayBeSpelled(text),
  };
  return codecs.filter(({ needs, pattern }) => {
    if (needs !== undefined && !has[needs]) return false;
    // Cheaper than to begin a search that finds nothing.
    pattern.lastIndex = 0;
    const fits = pattern.test(text);
    pattern.lastIndex = 0;
    return fits;
  });
}

/** In steps, so that a long text does not keep others waiting. */
export function* decodeSteps(text: string): Steps<Decoded[]> {
  const runs: Decoded[] = [];
  const codecs = codecsFor(text);
  yield;
  for (const codec of codecs) {
    for (const { 0: run, index } of text.matchAll(codec.pattern).take(maxRuns)) {
      const decoded = decodeRun(codec, run, 0);
      if (decoded)
        runs.push({ kind: codec.kind, text: decoded, from: index, to: index + run.length });
      yield;
    }
    yield;
  }
  for (const signs of fromTwoSigns(text)) runs.push({ kind: "encoded_text", ...signs });
  return runs;
}

function decodeRun({ kind, decode }: Codec, run: string, depth: number): string | null | undefined {
  return decode(run.slice(0, maxRun))
    .map((decoded) =>
      typeof decoded === "string" || decoded === null ? decoded : textOfBytes(decoded),
    )
    .map((decoded) => (decoded === null ? null : decodeNested(decoded, depth)))
    .find((decoded) => decoded !== null && isPlausible(decoded, kind));
}

/** What is nothing but another code is read once more. */
function decodeNested(text: string, depth: number): string {
  if (depth >= maxNested || !nested.test(text)) return text;
  for (const codec of codecsFor(text))
    for (const [run] of text.matchAll(codec.pattern).take(maxRuns)) {
      const decoded = decodeRun(codec, run, depth + 1);
      if (decoded) return decoded;
    }
  return fromTwoSigns(text)[0]?.text ?? text;
}

function isPlausible(text: string, kind: Decoded["kind"]): boolean {
  if (kind === "disguised_text") return text !== "";
  return isSentence(text);
}

function fromBase64(run: string): (Buffer | null)[] {
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run)) return [];
  const compact = run.replaceAll(/\s/g, "");
  return [compact, [...compact].reverse().join("")].map((spelling) =>
    Buffer.from(spelling, "base64"),
  );
}

function fromHexadecimal(run: string): Buffer[] {
  const compact = run.replaceAll(/\\x|0x|[%=$\s:,;-]/g, "");
  return [compact, [...compact].reverse().join("")].map((spelling) => Buffer.from(spelling, "hex"));
}

/** One sign parts letters, more part words. */
function joinLetters(run: string): string {
  return run
    .replaceAll(/(\p{L})[ .\-_*·|/\n,](?=\p{L})/gu, "$1")
    .replaceAll(/[ .\-_*·|/\n,]{2,}/g, " ");
}

type Turn = (text: string) => string;

const alphabet = "abcdefghijklmnopqrstuvwxyz";

/** Each letter becomes the one at its place in `letters`. */
const spellIn =
  (letters: string): Turn =>
  (text) => {
    let spelled = "";
    for (let index = 0; index < text.length; index++)
      spelled += letters[text.charCodeAt(index) - 97] ?? text[index];
    return spelled;
  };
const shift = (offset: number) => spellIn(alphabet.slice(offset) + alphabet.slice(0, offset));
/** What a hand types that stands one key to the right, or to the left. */
const keyRows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const keysBeside = (offset: number) =>
  [...alphabet]
    .map((letter) => {
      const row = keyRows.find((keys) => keys.includes(letter)) ?? "";
      return row[row.indexOf(letter) + offset] ?? letter;
    })
    .join("");
const reverse: Turn = (text) => [...text].reverse().join("");
const mirror = spellIn(reverse(alphabet));
const reverseWords: Turn = (text) => text.replaceAll(/[a-z]+/g, reverse);

/** By a word in disguise, the turns that bring it back. */
const turns = once(() => {
  const shifts = Array.from({ length: 25 }, (_, index) => ({
    disguise: shift(25 - index),
    restore: [shift(index + 1)],
  }));
  const turned = { disguise: reverseWords, restore: [reverse, reverseWords] };
  const typed = [1, -1].map((offset) => ({
    disguise: spellIn(keysBeside(offset)),
    restore: [spellIn(keysBeside(-offset))],
  }));
  return Map.groupBy(
    [...shifts, ...typed, { disguise: mirror, restore: [mirror] }, turned].flatMap(
      ({ disguise, restore }) =>
        disguise(tellingWords)
          .split(" ")
          .map((word) => ({ word, restore })),
    ),
    ({ word }) => word,
  );
});

/** The whole text turned back, for each disguise that its words betray; `text` in small letters. */
export function turnBack(text: string): string[] {
  const weights = new Map<readonly Turn[], number>();
  const seenWords = new Set<string>();
  const turnsByWord = turns();
  for (const word of text.match(/[a-z]{3,}/g) ?? []) {
    if (seenWords.has(word)) continue;
    seenWords.add(word);
    for (const { restore } of turnsByWord.get(word) ?? [])
      weights.set(restore, (weights.get(restore) ?? 0) + weightOf(word));
  }
  const likelyTurns = [...weights]
    .filter(([, weight]) => weight >= enoughWeight)
    .sort((a, b) => b[1] - a[1]);
  return likelyTurns.slice(0, 3).flatMap(([restore]) => restore.map((turn) => turn(text)));
}
