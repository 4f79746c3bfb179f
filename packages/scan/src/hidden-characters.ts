import type { Finding } from "../../../src/model/catalogue/quality-schema.ts";
import { excerptOf } from "./texts.ts";

type Found = Omit<Finding, "where">;

const isTag = (code: number) => code >= 0xe0000 && code <= 0xe007f;
const isSelector = (code: number) =>
  (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
const zeroWidth = new Set([0xfeff, 0x180e, 0x3164, 0x115f, 0x1160, 0xffa0]);
const isZeroWidth = (code: number) =>
  (code >= 0x200b && code <= 0x200d) || (code >= 0x2060 && code <= 0x2064) || zeroWidth.has(code);
const isDirection = (code: number) =>
  (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

const blackFlag = 0x1f3f4;
/** So many invisible characters in a row are a message. */
const payload = 8;
/** Of one kind in one text. */
const maxRuns = 5;

type Run = { from: number; to: number; codes: number[]; before: number; after: number };

/** Characters that a model reads and a person does not see. */
export function findHiddenCharacters(text: string): Found[] {
  return [
    ...runsOf(text, isTag).flatMap((run) => readTags(text, run)),
    ...runsOf(text, isSelector).flatMap((run) => readSelectors(text, run)),
    ...runsOf(text, isZeroWidth).flatMap((run) => readZeroWidth(text, run)),
    ...runsOf(text, isDirection)
      .slice(0, 1)
      .map((run) => readDirection(text, run)),
    ...readEscapes(text),
  ];
}

function runsOf(text: string, isOne: (code: number) => boolean): Run[] {
  const runs: Run[] = [];
  let run: Run | null = null;
  let before = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const next = at + (code > 0xffff ? 2 : 1);
    if (isOne(code)) {
      run ??= { from: at, to: next, codes: [], before, after: 0 };
      run.codes.push(code);
      run.to = next;
    } else {
      if (run) runs.push({ ...run, after: code });
      run = null;
      before = code;
    }
    at = next;
  }
  return (run ? [...runs, run] : runs).slice(0, maxRuns);
}

function readTags(text: string, { from, to, codes, before }: Run): Found[] {
  // Flags such as Scotland's are spelled this way.
  if (before === blackFlag && codes.at(-1) === 0xe007f && codes.length <= 8) return [];
  const decoded = decodeTags(codes);
  const severity = isReadable(decoded) ? "high" : "medium";
  return [
    { kind: "hidden_text", severity, excerpt: excerptOf(text, from, to), decoded: decoded || null },
  ];
}

function readSelectors(text: string, { from, to, codes, before }: Run): Found[] {
  // A single one after a symbol selects its rendering.
  if (codes.length === 1 && !isAsciiLetter(before)) return [];
  const decoded = decodeSelectors(codes);
  const severity = isReadable(decoded) ? "high" : codes.length > 1 ? "medium" : "low";
  return [
    { kind: "hidden_text", severity, excerpt: excerptOf(text, from, to), decoded: decoded || null },
  ];
}

function readZeroWidth(text: string, { from, to, codes, before, after }: Run): Found[] {
  const excerpt = excerptOf(text, from, to);
  if (codes.length >= payload) {
    const decoded = decodeBits(codes);
    const readable = isReadable(decoded);
    return [{ kind: "hidden_text", severity: "high", excerpt, decoded: readable ? decoded : null }];
  }
  // Emoji, Arabic and the scripts of India are written with joiners.
  const joins = codes.length === 1 && (codes[0] === 0x200d || codes[0] === 0x200c);
  if (joins && before > 0x2ff && after > 0x2ff) return [];
  const splitsWord = isAsciiLetter(before) && isAsciiLetter(after);
  const severity = codes.length > 2 || splitsWord ? "medium" : "low";
  return [{ kind: "invisible_characters", severity, excerpt, decoded: null }];
}

function readDirection(text: string, { from, to, codes }: Run): Found {
  // Overrides reorder letters; the others are needed where two directions meet.
  const turns = codes.some((code) => code === 0x202d || code === 0x202e);
  const hasRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
  const severity = turns ? "high" : hasRightToLeft ? "low" : "medium";
  return {
    kind: "direction_controls",
    severity,
    excerpt: excerptOf(text, from, to),
    decoded: null,
  };
}

const conceals = /\u001b\[(?:[0-9;]{0,20}(?<![0-9])8m|[0-9;]{0,20}[A-HJKSTfsu]|\?25l)/;

function readEscapes(text: string): Found[] {
  const at = text.indexOf("\u001b");
  if (at < 0) return [];
  const severity = conceals.test(text) ? "high" : "medium";
  return [
    { kind: "escape_sequence", severity, excerpt: excerptOf(text, at, at + 1), decoded: null },
  ];
}

function isAsciiLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function decodeTags(codes: readonly number[]): string {
  const letters = codes.map((code) => code - 0xe0000).filter((code) => code >= 0x20 && code < 0x7f);
  return String.fromCharCode(...letters);
}

function decodeSelectors(codes: readonly number[]): string {
  const bytes = codes.map((code) => (code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00));
  return readUtf8(bytes);
}

/** Bits as two kinds of invisible characters, either of which may stand for 1. */
function decodeBits(codes: readonly number[]): string {
  const kinds = [...new Set(codes)];
  if (kinds.length < 2) return "";
  const counts = kinds.map((kind) => codes.filter((code) => code === kind).length);
  const [zero, one] = kinds.toSorted(
    (a, b) => (counts[kinds.indexOf(b)] ?? 0) - (counts[kinds.indexOf(a)] ?? 0),
  );
  const bits = codes.filter((code) => code === zero || code === one);
  const asBytes = (isOne: number | undefined) => {
    const bytes: number[] = [];
    for (let at = 0; at + 8 <= bits.length; at += 8) {
      bytes.push(
        bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + (bit === isOne ? 1 : 0), 0),
      );
    }
    return readUtf8(bytes);
  };
  return [asBytes(one), asBytes(zero)].find(isReadable) ?? "";
}

function readUtf8(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("utf8").replaceAll(/\0/g, "");
}

export function isReadable(text: string): boolean {
  const letters = [...text].filter((one) => /[\p{L}\p{N}\p{P}\p{Zs}\n]/u.test(one)).length;
  return text.length >= 3 && letters / [...text].length > 0.9;
}
