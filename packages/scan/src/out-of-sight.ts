import type { Finding } from "../../../src/model/catalogue/quality-schema.ts";
import { excerptOf } from "./texts.ts";

type Found = Omit<Finding, "where">;

/** Readers do not scroll past so much empty space. */
const maxBlank = 200;
const maxEmptyLines = 20;
/** Fewer words are no instruction. */
const minWords = 3;

const comments = /<!--([\s\S]*?)(?:-->|$)/;
const markdownComments = /^\[[^\]\n]{1,40}\]: ?<?#>? ?["'(]([^\n]*)/m;
const unseenElements =
  /(?=display:|font-size:|\shidden)(?<=<[a-z]{1,20} [^>]{0,60})(?:display:\s{0,5}none|font-size:\s{0,5}0|\shidden)[^>]{0,200}>([^<]*)/i;

export function findOutOfSight(text: string): Found[] {
  const hidden = (
    text.includes("<") ? [comments, markdownComments, unseenElements] : [markdownComments]
  ).flatMap((pattern) => {
    const found = pattern.exec(text);
    if (!found) return [];
    const says = (found[1] ?? "").trim();
    const severity = wordsIn(says) >= minWords ? "high" : "low";
    return [
      placed(
        "hidden_comment",
        severity,
        excerptOf(text, found.index, found.index + found[0].length),
        says,
      ),
    ];
  });
  return [...hidden.slice(0, 1), ...findPadding(text), ...findImages(text)];
}

/** A shorter stretch is neither long nor has so many lines. */
const manyBlanks = /[\s\u2800]{20}/;
const anyImage = /!\[|<img/i;

function findPadding(text: string): Found[] {
  if (!manyBlanks.test(text)) return [];
  for (const { 0: blank, index } of text.matchAll(/[\s\u2800]+/g)) {
    const lines = blank.length < maxEmptyLines ? 0 : blank.split(/\r\n|[\n\r\u2028]/).length - 1;
    if (blank.length < maxBlank && lines < maxEmptyLines) continue;
    const says = text.slice(index + blank.length);
    if (says.trim() === "") return [];
    const severity = wordsIn(says) >= minWords ? "high" : "medium";
    return [
      placed("padding", severity, excerptOf(text, index + blank.length - 1, text.length), says),
    ];
  }
  return [];
}

/** An image that is fetched leaks everything in its URL. */
function findImages(text: string): Found[] {
  if (!anyImage.test(text)) return [];
  for (const found of text.matchAll(
    /(?:(?<=!\[[^\]]{0,200})\]\(|<img\s[^>]{0,200}src=["']?)(https?:[^)\s>]{1,500})/gi,
  )) {
    const address = found[1] ?? "";
    const at = found.index;
    if (/[{}<>$]|%7b|\[[a-z_ ]+\]/i.test(address) || isAskedFor.test(address))
      return [placed("exfiltration", "high", excerptOf(text, at, at + found[0].length), null)];
  }
  return [];
}

/** Parameters that a model would fill with data. */
const isAskedFor =
  /[?&/](?=\w*=)\w*?(?:data|secret|history|conversation|chat|prompt|context|token|key|password|exfil|leak|summary|content)/i;

function placed(
  kind: Finding["kind"],
  severity: Finding["severity"],
  excerpt: string,
  says: string | null,
): Found {
  return { kind, severity, excerpt, decoded: says === null ? null : says.slice(0, 500) };
}

function wordsIn(text: string): number {
  const shown = text.slice(0, 2_000);
  // Scripts without spaces have no words to count.
  return /[\u3040-\u9fff]{4}/.test(shown)
    ? minWords
    : (shown.match(/[\p{L}\p{N}]+/gu)?.length ?? 0);
}
