import type { Finding } from "../../../model/catalogue/quality.ts";
import { decodeBits, decodeSelectors, decodeTags, isReadable } from "./decode-hidden.ts";
import { excerptOf } from "./make-visible.ts";

type Found = Omit<Finding, "where">;

const isTag = (code: number) => code >= 0xe0000 && code <= 0xe007f;
const isSelector = (code: number) => (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
const isZeroWidth = (code: number) =>
  (code >= 0x200b && code <= 0x200d) ||
  (code >= 0x2060 && code <= 0x2064) ||
  code === 0xfeff ||
  code === 0x180e ||
  code === 0x3164 ||
  code === 0x115f ||
  code === 0x1160 ||
  code === 0xffa0;
const isDirection = (code: number) => (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

const blackFlag = 0x1f3f4;
/** So many invisible characters in a row say something. */
const payload = 8;

/** Of one kind in one text. */
const maxRuns = 5;

type Run = { from: number; to: number; codes: number[]; before: number; after: number };

/** Characters that a person does not see and a model reads. */
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

/** Neighbouring characters of a kind, with what stands before and after them. */
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
  // The flags of Scotland and others are spelled this way.
  if (before === blackFlag && codes.at(-1) === 0xe007f && codes.length <= 8) return [];
  const decoded = decodeTags(codes);
  const severity = isReadable(decoded) ? "high" : "medium";
  return [{ kind: "hidden_text", severity, excerpt: excerptOf(text, from, to), decoded: decoded || null }];
}

function readSelectors(text: string, { from, to, codes, before }: Run): Found[] {
  // One after a sign chooses how it is drawn.
  if (codes.length === 1 && !isAsciiLetter(before)) return [];
  const decoded = decodeSelectors(codes);
  const severity = isReadable(decoded) ? "high" : codes.length > 1 ? "medium" : "low";
  return [{ kind: "hidden_text", severity, excerpt: excerptOf(text, from, to), decoded: decoded || null }];
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
  // Overrides turn letters around; the others are needed where two directions meet.
  const turns = codes.some((code) => code === 0x202d || code === 0x202e);
  const hasRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
  const severity = turns ? "high" : hasRightToLeft ? "low" : "medium";
  return { kind: "direction_controls", severity, excerpt: excerptOf(text, from, to), decoded: null };
}

/** Text is hidden, a line wiped, or the cursor put where something else stands. */
const conceals = /\u001b\[(?:[0-9;]{0,20}(?<![0-9])8m|[0-9;]{0,20}[A-HJKSTfsu]|\?25l)/;

function readEscapes(text: string): Found[] {
  const at = text.indexOf("\u001b");
  if (at < 0) return [];
  const severity = conceals.test(text) ? "high" : "medium";
  return [{ kind: "escape_sequence", severity, excerpt: excerptOf(text, at, at + 1), decoded: null }];
}

function isAsciiLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
