import type { Finding } from "../../../model/catalogue/quality.ts";
import { isReadable } from "./decode-hidden.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { findInstructions, mayInstruct } from "./instructions.ts";
import { excerptOf, spellCode } from "./make-visible.ts";
import { findOutOfSight, mayBeOutOfSight } from "./out-of-sight.ts";
import { type PlacedText, textsOf } from "./texts-of.ts";

type Found = Omit<Finding, "where">;

/** Letters that stand alone, one after the other. */
const spaced = /(?<![\p{L}\p{N}])(?:\p{L}[ .\-_*·|/]{1,4}){7,}\p{L}(?![\p{L}\p{N}])/gu;
/** So many of them are a sentence. */
const sentence = 20;
const maxRuns = 20;

/** Digits and signs for the letters they look like. */
const leet = new Map(Object.entries({ "0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", $: "s" }));
const isLeet = /[a-z][0134578@$!]{1,2}[a-z]|\b[0134578@$!][a-z]{2}/i;

/** Words of orders with every letter thirteen further, which are no words of any language. */
const turned =
  /\b(?:vtaber|qvfertneq|sbetrg|cerivbhf|vafgehpgvbaf?|cebzcgf?|pbairefngvba|perqragvnyf?|cnffjbeqf?|frpergf?)\b/i;

/** The orders without the spaces between their words. */
const squeezed =
  /(?:ignore|disregard|forget)[a-z]{0,20}(?:previous|prior|above|earlier|all)[a-z]{0,20}(?:instructions?|prompts?|guidelines|rules)|(?:not|never)(?:tell|mention|inform)[a-z]{0,20}user|(?:send|forward)[a-z]{0,20}(?:conversation|history|credentials|passwords?|secrets)/i;

/** A quick look at a definition as JSON that overlooks nothing. */
function mayBeDisguised(json: string): boolean {
  return /(?:[A-Za-z][ .\-_*|/]{1,4}){7}/.test(json) || turned.test(json) || isLeet.test(json);
}

/** Orders that are written so that only a model takes them for what they are. */
function findDisguises(text: string): Found[] {
  return [...findSpaced(text), ...findTranslated(text)].slice(0, 1);
}

function findSpaced(text: string): Found[] {
  let count = 0;
  for (const { 0: run, index } of text.matchAll(spaced)) {
    if (count++ === maxRuns) break;
    const excerpt = excerptOf(text, index, index + run.length);
    const decoded = run.replaceAll(/([\p{L}])[ .\-_*·|/](?=\p{L})/gu, "$1").replaceAll(/[ .\-_*·|/]{2,}/g, " ");
    const letters = decoded.replaceAll(" ", "");
    const isOrder = findInstructions(decoded).length > 0 || squeezed.test(letters.slice(0, 2_000));
    if (!isOrder && letters.length < sentence) continue;
    const severity = isOrder ? "high" : "medium";
    return [{ kind: "disguised_text", severity, excerpt, decoded: decoded.slice(0, 500) }];
  }
  return [];
}

function findTranslated(text: string): Found[] {
  const candidates = [
    ...(turned.test(text) ? [turn(text)] : []),
    ...(isLeet.test(text) ? [unleet(text, "i"), unleet(text, "l")] : []),
  ];
  const known = new Set(findInstructions(text).map(({ kind }) => kind));
  for (const decoded of candidates) {
    const order = findInstructions(decoded).find(({ kind }) => !known.has(kind));
    if (order) return [{ ...order, kind: "disguised_text", severity: "high", decoded: order.excerpt }];
  }
  return [];
}

function turn(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const first = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

/** A one is an i or an l. */
function unleet(text: string, one: "i" | "l"): string {
  return text.replaceAll(/[0134578@$!]/g, (sign) => leet.get(sign) ?? (sign === "1" || sign === "!" ? one : sign));
}

const shortest = 24;
const longest = 20_000;
const blobs = /[A-Za-z0-9+/_-]+/g;
/** Bytes as numbers, however they are written: 49 67, 49:67, \\x49\\x67, %49%67, 0x49, 0x67. */
const numbers = /(?<![0-9A-Za-z])(?:(?:\\x|0x|%)?[0-9A-Fa-f]{2}[\s:,]{0,2}){16,}/g;

function mayBeEncoded(text: string): boolean {
  return /[A-Za-z0-9+/_-]{24}/.test(text) || /(?:(?:\\{0,2}x|0x|%)?[0-9A-Fa-f]{2}(?:[\s:,]|\\n){0,2}){12}/.test(text);
}

/** Base64 or numbers that are a text once they are decoded. */
function findEncodedText(text: string): Omit<Finding, "where">[] {
  const found: Omit<Finding, "where">[] = [];
  const read = [
    ...text.matchAll(numbers).map(({ 0: blob, index }) => ({ index, decoded: decodeNumbers(blob) })),
    ...text.matchAll(blobs).map(({ 0: blob, index }) => ({
      index,
      decoded: blob.length < shortest ? null : decode(blob),
    })),
  ];
  for (const { index, decoded } of read) {
    if (decoded === null) continue;
    const severity = findInstructions(decoded).length > 0 ? "high" : "medium";
    const excerpt = excerptOf(text, index, index + shortest);
    found.push({ kind: "encoded_text", severity, excerpt, decoded: decoded.slice(0, 500) });
    if (found.length === 3) break;
  }
  return found;
}

function decode(blob: string): string | null {
  // Words joined by dashes or slashes are of one case, and base64 of a sentence is not.
  if (!/[a-z]/.test(blob) || !/[A-Z]/.test(blob)) return null;
  const text = Buffer.from(blob.slice(0, longest), "base64").toString("utf8");
  return sentenceIn(text);
}

function decodeNumbers(blob: string): string | null {
  const digits = blob.slice(0, longest).replaceAll(/\\x|0x|[%\s:,]/g, "");
  return sentenceIn(Buffer.from(digits, "hex").toString("utf8"));
}

function sentenceIn(text: string): string | null {
  const isSentence = text.trim().split(/\s+/).length >= 4;
  return isSentence && !text.includes("\ufffd") && isReadable(text) ? text : null;
}

/** Letters of other scripts that look like Latin ones. */
const lookalike = /[асеорхуіјѕԁһӏԛԝАВЕКМНОРСТУХІЈЅοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧν]/u;
const words = /[\p{L}\p{M}]{3,}/gu;

/** Words that are Latin to the eye and something else to whoever compares them. */
function findLookalikes(text: string): Omit<Finding, "where">[] {
  if (!lookalike.test(text)) return [];
  for (const { 0: word, index } of text.matchAll(words)) {
    const latin = word.match(/[A-Za-z]/g)?.length ?? 0;
    if (latin < 2 || !lookalike.test(word)) continue;
    // Only where everything that is not Latin looks as if it were.
    const rest = [...word].filter((letter) => !/[A-Za-z]/.test(letter));
    if (!rest.every((letter) => lookalike.test(letter))) continue;
    const spelled = [...word].map((letter) => (lookalike.test(letter) ? spellCode(letter) : letter));
    const excerpt = excerptOf(text, index, index + word.length);
    return [{ kind: "lookalike_letters", severity: "medium", excerpt, decoded: spelled.join("") }];
  }
  return [];
}

/** Another one whenever the scan would find something else. */
export const scanVersion = 2;

const maxDescription = 8_000;
/** More of one definition helps nobody. */
const maxFindings = 20;
/** What stands behind this is not read. */
const maxRead = 100_000;
const unusual = /[^\t\n\r -~]/;

/** What only a poisoned definition says together. */
const aimed: ReadonlySet<Finding["kind"]> = new Set([
  "instruction",
  "concealment",
  "secret_request",
  "pseudo_tag",
  "exfiltration",
]);

const scanned = new WeakMap<object, readonly Finding[]>();
const nothing: readonly Finding[] = [];

/** A definition is looked through once, as long as it is the same object. */
export function scanDefinition(definition: object): readonly Finding[] {
  const before = scanned.get(definition);
  if (before) return before;
  const found = isInnocent(definition) ? nothing : scanTexts(textsOf(definition));
  scanned.set(definition, found.length === 0 ? nothing : found);
  return found;
}

/** Most definitions hold nothing that could be one of these, which one look at all of it tells. */
function isInnocent(definition: object): boolean {
  try {
    // The end of a line is no letter of the word behind it.
    const whole = JSON.stringify(definition).replaceAll(/\\[nrt]/g, "\n");
    return (
      !unusual.test(whole) &&
      !mayInstruct(whole) &&
      !mayBeEncoded(whole) &&
      !mayBeOutOfSight(whole) &&
      !mayBeDisguised(whole) &&
      !/\\u0/.test(whole) &&
      whole.length <= maxDescription
    );
  } catch {
    return false;
  }
}

function scanTexts(texts: readonly PlacedText[]): Finding[] {
  const found = texts.flatMap(({ where, text }) => scanText(text).map((one) => ({ where, ...one })));
  return raise(found).slice(0, maxFindings);
}

function scanText(whole: string): Omit<Finding, "where">[] {
  const text = whole.slice(0, maxRead);
  const hidden = unusual.test(text) ? [...findHiddenCharacters(text), ...findLookalikes(text)] : [];
  const seen = withoutInvisible(text);
  return [
    ...hidden,
    ...findOutOfSight(seen),
    ...findInstructions(seen),
    ...findDisguises(seen),
    ...(text.length < 24 ? [] : findEncodedText(seen)),
    ...findOverlong(whole),
  ];
}

/** What was not read is vouched for by nobody. */
function findOverlong(whole: string): Omit<Finding, "where">[] {
  if (whole.length <= maxDescription) return [];
  const severity = whole.length > maxRead ? "high" : "low";
  return [{ kind: "overlong", severity, excerpt: excerptOf(whole, maxDescription), decoded: null }];
}

/** Words are found also where something invisible splits them. */
function withoutInvisible(text: string): string {
  return unusual.test(text) ? text.normalize("NFKC").replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "") : text;
}

/** Each alone may have a reason; two together are an attempt. */
function raise(findings: Finding[]): Finding[] {
  const kinds = new Set(findings.map(({ kind }) => kind).filter((kind) => aimed.has(kind)));
  if (kinds.size < 2) return findings;
  return findings.map((finding) => (aimed.has(finding.kind) ? { ...finding, severity: "high" } : finding));
}
