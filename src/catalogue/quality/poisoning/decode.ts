import { once } from "../../../lib/async/once.ts";
import { isReadable } from "./hidden-characters.ts";

/** What a run of a text says once it is decoded, and where it stands. */
export type Decoded = { kind: "encoded_text" | "disguised_text"; text: string; from: number; to: number };

type Codec = { kind: Decoded["kind"]; pattern: RegExp; decode(run: string): string | null };

const maxRun = 20_000;
/** Of one codec in one text. */
const maxRuns = 20;

const numbersIn = (run: string, base: number) =>
  String.fromCodePoint(
    ...(run.match(/[0-9a-f]+/gi) ?? []).map((one) => Math.min(Number.parseInt(one, base) || 32, 0x10ffff)),
  );

/** Every pattern is linear: its parts cannot match the same text in two ways. */
const codecs: readonly Codec[] = [
  {
    kind: "encoded_text",
    pattern: /[A-Za-z0-9+/_-]{24,}(?:[ \n][A-Za-z0-9+/_-]{12,})*/g,
    decode: (run) => (/[a-z]/.test(run) && /[A-Z]/.test(run) ? fromBase64(run.replaceAll(/\s/g, "")) : null),
  },
  {
    kind: "encoded_text",
    pattern: /[A-Za-z0-9+/]{16,23}(?: [A-Za-z0-9+/]{16,23})+(?: [A-Za-z0-9+/]{1,23})?/g,
    decode: (run) => (/[a-z]/.test(run) && /[A-Z]/.test(run) ? fromBase64(run.replaceAll(" ", "")) : null),
  },
  {
    // 49 67, 49:67, \x49\x67, %49%67, 0x49, 0x67
    kind: "encoded_text",
    pattern: /(?<![0-9A-Za-z])(?:(?:\\x|0x|%)?[0-9A-Fa-f]{2}[\s:,]{0,2}){12,}/g,
    decode: (run) => Buffer.from(run.replaceAll(/\\x|0x|[%\s:,]/g, ""), "hex").toString("utf8"),
  },
  { kind: "encoded_text", pattern: /\b[A-Z2-7]{24,}={0,6}/g, decode: fromBase32 },
  { kind: "encoded_text", pattern: /\b(?:[01]{7,8}[\s,]{0,2}){12,}/g, decode: fromBinary },
  { kind: "encoded_text", pattern: /\b(?:\d{2,3}[\s,;]{1,2}){12,}\d{2,3}/g, decode: (run) => numbersIn(run, 10) },
  { kind: "encoded_text", pattern: /(?:&#\d{2,7};){8,}/g, decode: (run) => numbersIn(run, 10) },
  {
    kind: "encoded_text",
    pattern: /(?:&#x[0-9a-f]{2,6};){8,}/gi,
    decode: (run) => numbersIn(run.replaceAll("&#x", " "), 16),
  },
  {
    kind: "encoded_text",
    pattern: /(?:\\u\{?[0-9a-f]{4,6}\}?){8,}/gi,
    decode: (run) => numbersIn(run.replaceAll("\\u", " "), 16),
  },
  { kind: "encoded_text", pattern: /(?:[.\-·•−–—_]{1,6}[ /|]{1,3}){12,}[.\-·•−–—_]{0,6}/g, decode: fromMorse },
  { kind: "encoded_text", pattern: /[\u2800-\u28ff][\u2800-\u28ff ]{12,}/g, decode: fromBraille },
  {
    kind: "disguised_text",
    pattern: /(?<![\p{L}\p{N}])(?:\p{L}[ .\-_*·|/]{1,4}){7,}\p{L}(?![\p{L}\p{N}])/gu,
    decode: joinLetters,
  },
];

export function decodeRuns(text: string): Decoded[] {
  return codecs.flatMap(({ kind, pattern, decode }) =>
    [...text.matchAll(pattern).take(maxRuns)].flatMap(({ 0: run, index }): Decoded[] => {
      const decoded = decode(run.slice(0, maxRun));
      if (decoded === null || !isSaid(decoded, kind)) return [];
      return [{ kind, text: decoded, from: index, to: index + run.length }];
    }),
  );
}

function isSaid(text: string, kind: Decoded["kind"]): boolean {
  if (kind === "disguised_text") return true;
  return text.trim().split(/\s+/).length >= 4 && !text.includes("\ufffd") && isReadable(text);
}

function fromBase64(run: string): string {
  return Buffer.from(run, "base64").toString("utf8");
}

function fromBase32(run: string): string {
  const bytes: number[] = [];
  let [bits, size] = [0, 0];
  for (const letter of run.replaceAll("=", "")) {
    bits = ((bits << 5) | "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter)) & 0xffff;
    size += 5;
    if (size < 8) continue;
    size -= 8;
    bytes.push((bits >> size) & 0xff);
  }
  return Buffer.from(bytes).toString("utf8");
}

function fromBinary(run: string): string {
  const parts = /[\s,]/.test(run) ? run.split(/[\s,]+/) : (run.match(/[01]{8}/g) ?? []);
  return Buffer.from(parts.filter(Boolean).map((bits) => Number.parseInt(bits, 2))).toString("utf8");
}

const morse = new Map(
  ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
    .split(" ")
    .map((signs, at) => [signs, String.fromCharCode(97 + at)]),
);

function fromMorse(run: string): string {
  const words = run
    .replaceAll(/[·•]/g, ".")
    .replaceAll(/[−–—_]/g, "-")
    .split(/\s*[/|]\s*| {2,}/);
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

const braille = new Map([..."⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵"].map((cell, at) => [cell, String.fromCharCode(97 + at)]));

function fromBraille(run: string): string {
  return [...run].map((cell) => braille.get(cell) ?? " ").join("");
}

/** One sign parts letters, more part words. */
function joinLetters(run: string): string {
  return run.replaceAll(/(\p{L})[ .\-_*·|/](?=\p{L})/gu, "$1").replaceAll(/[ .\-_*·|/]{2,}/g, " ");
}

/** Words that betray a disguise when they are shifted, mirrored or reversed. */
const telling =
  "instructions instruction previous ignore disregard password passwords credentials conversation secret system prompt transmit silently server history private contents request message parameter mention inform assistant guidelines directives before command unrestricted confirmations approve continue session cookies the user not tell this tool send call your you and all them into with from pass read file first never every rules keep hide";
/** Short words are common by chance: several of them are needed. */
const enough = 3;
const weightOf = (word: string) => (word.length > 5 ? enough : 1);

type Turn = (text: string) => string;

const alphabet = "abcdefghijklmnopqrstuvwxyz";

/** Each letter becomes the one at its place in `letters`. */
const spellIn =
  (letters: string): Turn =>
  (text) => {
    let spelled = "";
    for (let at = 0; at < text.length; at++) spelled += letters[text.charCodeAt(at) - 97] ?? text[at];
    return spelled;
  };
const shift = (by: number) => spellIn(alphabet.slice(by) + alphabet.slice(0, by));
const reverse: Turn = (text) => [...text].reverse().join("");
const mirror = spellIn(reverse(alphabet));
const reverseWords: Turn = (text) => text.replaceAll(/[a-z]+/g, reverse);

/** By a word in disguise, the turns that bring it back. */
const turns = once(() => {
  const shifts = Array.from({ length: 25 }, (_, at) => ({ there: shift(25 - at), back: [shift(at + 1)] }));
  const turned = { there: reverseWords, back: [reverse, reverseWords] };
  return Map.groupBy(
    [...shifts, { there: mirror, back: [mirror] }, turned].flatMap(({ there, back }) =>
      there(telling)
        .split(" ")
        .map((word) => ({ word, back })),
    ),
    ({ word }) => word,
  );
});

/** The whole text turned back, for each disguise that its words betray; `text` in small letters. */
export function turnBack(text: string): string[] {
  const weights = new Map<readonly Turn[], number>();
  const seen = new Set<string>();
  const known = turns();
  for (const [word] of text.matchAll(/[a-z]{3,}/g)) {
    if (seen.has(word)) continue;
    seen.add(word);
    for (const { back } of known.get(word) ?? []) weights.set(back, (weights.get(back) ?? 0) + weightOf(word));
  }
  const wanted = [...weights].filter(([, weight]) => weight >= enough).sort((a, b) => b[1] - a[1]);
  return wanted.slice(0, 3).flatMap(([back]) => back.map((turn) => turn(text)));
}
