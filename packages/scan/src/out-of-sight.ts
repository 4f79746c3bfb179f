import type { Finding } from "@toolplane/core/model/catalogue/quality-schema";
import { excerptOf } from "./texts.ts";

type UnplacedFinding = Omit<Finding, "where">;

/** Readers do not scroll past so much empty space. */
const maxBlank = 200;
const maxEmptyLines = 20;
/** Fewer words are no instruction. */
const minWords = 3;

const comments = /<!--([\s\S]*?)(?:-->|$)/;
const markdownComments = /^\[[^\]\n]{1,40}\]: ?<?#>? ?["'(]([^\n]*)/m;
const unseenElements =
  /(?=display:|font-size:|\shidden)(?<=<[a-z]{1,20} [^>]{0,60})(?:display:\s{0,5}none|font-size:\s{0,5}0|\shidden)[^>]{0,200}>([^<]*)/i;

const allComments = [comments, markdownComments, unseenElements];

export function findOutOfSight(text: string): UnplacedFinding[] {
  return [...findHiddenComment(text), ...findPadding(text), ...findImages(text)];
}

/** The first one says enough. */
function findHiddenComment(text: string): UnplacedFinding[] {
  const hasElements = text.includes("<");
  for (const pattern of hasElements ? allComments : [markdownComments]) {
    const hit = pattern.exec(text);
    if (!hit) continue;
    const hiddenText = (hit[1] ?? "").trim();
    const severity = wordCountOf(hiddenText) >= minWords ? "high" : "low";
    const excerpt = excerptOf(text, hit.index, hit.index + hit[0].length);
    return [createFinding("hidden_comment", severity, excerpt, hiddenText)];
  }
  return [];
}

/** A shorter stretch is neither long nor has so many lines. */
const manyBlanks = /[\s\u2800]{20}/;
const anyImage = /!\[|<img/i;

function findPadding(text: string): UnplacedFinding[] {
  if (!manyBlanks.test(text)) return [];
  for (const { 0: blank, index } of text.matchAll(/[\s\u2800]+/g)) {
    const lines = blank.length < maxEmptyLines ? 0 : blank.split(/\r\n|[\n\r\u2028]/).length - 1;
    if (blank.length < maxBlank && lines < maxEmptyLines) continue;
    const hiddenText = text.slice(index + blank.length);
    if (hiddenText.trim() === "") return [];
    const severity = wordCountOf(hiddenText) >= minWords ? "high" : "medium";
    return [
      createFinding(
        "padding",
        severity,
        excerptOf(text, index + blank.length - 1, text.length),
        hiddenText,
      ),
    ];
  }
  return [];
}

/** An image that is fetched leaks everything in its URL. */
function findImages(text: string): UnplacedFinding[] {
  if (!anyImage.test(text)) return [];
  for (const image of text.matchAll(
    /(?:(?<=!\[[^\]]{0,200})\]\(|<img\s[^>]{0,200}src=["']?)(https?:[^)\s>]{1,500})/gi,
  )) {
    const address = image[1] ?? "";
    const start = image.index;
    if (/[{}<>$]|%7b|\[[a-z_ ]+\]/i.test(address) || isAskedFor.test(address))
      return [
        createFinding(
          "exfiltration",
          "high",
          excerptOf(text, start, start + image[0].length),
          null,
        ),
      ];
  }
  return [];
}

/** Parameters that a model would fill with data. */
const isAskedFor =
  /[?&/](?=\w*=)\w*?(?:data|secret|history|conversation|chat|prompt|context|token|key|password|exfil|leak|summary|content)/i;

function createFinding(
  kind: Finding["kind"],
  severity: Finding["severity"],
  excerpt: string,
  hiddenText: string | null,
): UnplacedFinding {
  return {
    kind,
    severity,
    excerpt,
    decoded: hiddenText?.slice(0, 500) ?? null,
  };
}

function wordCountOf(text: string): number {
  const beginning = text.slice(0, 2_000);
  // Scripts without spaces have no words to count.
  if (/[\u3040-\u9fff]{4}/.test(beginning)) return minWords;
  return beginning.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
