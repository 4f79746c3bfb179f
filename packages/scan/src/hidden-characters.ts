import type { Finding } from "@toolplane/core/model/catalogue/quality-schema";
import { excerptOf } from "./texts.ts";

type UnplacedFinding = Omit<Finding, "where">;

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
const minPayload = 8;
/** Of one kind in one text. */
const maxRuns = 5;

type Run = { from: number; to: number; codes: number[]; before: number; after: number };

/** Characters that a model reads and a person does not see. */
export function findHiddenCharacters(text: string): UnplacedFinding[] {
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

function runsOf(text: string, isHidden: (code: number) => boolean): Run[] {
  const runs: Run[] = [];
  let run: Run | null = null;
  let previousCode = 0;
  for (let position = 0; position < text.length; ) {
    const code = text.codePointAt(position) ?? 0;
    const next = position + (code > 0xffff ? 2 : 1);
    if (isHidden(code)) {
      run ??= { from: position, to: next, codes: [], before: previousCode, after: 0 };
      run.codes.push(code);
      run.to = next;
    } else {
      if (run) runs.push({ ...run, after: code });
      run = null;
      previousCode = code;
    }
    position = next;
  }
  if (run) runs.push(run);
  return runs.slice(0, maxRuns);
}

function readTags(text: string, { from, to, codes, before }: Run): UnplacedFinding[] {
  // Flags such as Scotland's are spelled this way.
  if (before === blackFlag && codes.at(-1) === 0xe007f && codes.length <= 8) return [];
  const decoded = decodeTags(codes);
  const severity = isReadable(decoded) ? "high" : "medium";
  return [
    { kind: "hidden_text", severity, excerpt: excerptOf(text, from, to), decoded: decoded || null },
  ];
}

function readSelectors(text: string, { from, to, codes, before }: Run): UnplacedFinding[] {
  // A single one after a symbol selects its rendering.
  if (codes.length === 1 && !isAsciiLetter(before)) return [];
  const decoded = decodeSelectors(codes);
  const ifUnreadable = codes.length > 1 ? "medium" : "low";
  const severity = isReadable(decoded) ? "high" : ifUnreadable;
  return [
    { kind: "hidden_text", severity, excerpt: excerptOf(text, from, to), decoded: decoded || null },
  ];
}

function readZeroWidth(text: string, { from, to, codes, before, after }: Run): UnplacedFinding[] {
  const excerpt = excerptOf(text, from, to);
  if (codes.length >= minPayload) {
    const bits = decodeBits(codes);
    const decoded = isReadable(bits) ? bits : null;
    return [{ kind: "hidden_text", severity: "high", excerpt, decoded }];
  }
  // Emoji, Arabic and the scripts of India are written with joiners.
  const joins = codes.length === 1 && (codes[0] === 0x200d || codes[0] === 0x200c);
  if (joins && before > 0x2ff && after > 0x2ff) return [];
  const splitsWord = isAsciiLetter(before) && isAsciiLetter(after);
  const severity = codes.length > 2 || splitsWord ? "medium" : "low";
  return [{ kind: "invisible_characters", severity, excerpt, decoded: null }];
}

function readDirection(text: string, { from, to, codes }: Run): UnplacedFinding {
  // Overrides reorder letters; the others are needed where two directions meet.
  const overrides = codes.some((code) => code === 0x202d || code === 0x202e);
  const hasRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
  const ifNeeded = hasRightToLeft ? "low" : "medium";
  const severity = overrides ? "high" : ifNeeded;
  const excerpt = excerptOf(text, from, to);
  return { kind: "direction_controls", severity, excerpt, decoded: null };
}

const concealing = /\u001b\[(?:[0-9;]{0,20}(?<![0-9])8m|[0-9;]{0,20}[A-HJKSTfsu]|\?25l)/;

function readEscapes(text: string): UnplacedFinding[] {
  const start = text.indexOf("\u001b");
  if (start < 0) return [];
  const severity = concealing.test(text) ? "high" : "medium";
  return [
    {
      kind: "escape_sequence",
      severity,
      excerpt: excerptOf(text, start, start + 1),
      decoded: null,
    },
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
  const [frequent, rare] = kinds.toSorted(
    (a, b) => (counts[kinds.indexOf(b)] ?? 0) - (counts[kinds.indexOf(a)] ?? 0),
  );
  const bits = codes.filter((code) => code === frequent || code === rare);
  const asBytes = (codeOfOne: number | undefined) => {
    const bytes: number[] = [];
    for (let start = 0; start + 8 <= bits.length; start += 8) {
      bytes.push(
        bits
          .slice(start, start + 8)
          .reduce((byte, bit) => byte * 2 + (bit === codeOfOne ? 1 : 0), 0),
      );
    }
    return readUtf8(bytes);
  };
  return [asBytes(rare), asBytes(frequent)].find(isReadable) ?? "";
}

function readUtf8(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("utf8").replaceAll(/\0/g, "");
}

export function isReadable(text: string): boolean {
  const letters = [...text].filter((character) =>
    /[\p{L}\p{N}\p{P}\p{Zs}\n]/u.test(character),
  ).length;
  return text.length >= 3 && letters / [...text].length > 0.9;
}
