import type { Finding } from "../../../model/catalogue/quality.ts";
import { findHiddenCharacters, isReadable } from "./hidden-characters.ts";
import { findInstructions, mayInstruct } from "./instructions.ts";
import { findOutOfSight, mayBeOutOfSight } from "./out-of-sight.ts";
import { excerptOf, type PlacedText, spellCode, textsOf } from "./texts.ts";

type Found = Omit<Finding, "where">;

const spaced = /(?<![\p{L}\p{N}])(?:\p{L}[ .\-_*·|/]{1,4}){7,}\p{L}(?![\p{L}\p{N}])/gu;
const minSpacedLetters = 20;
const maxRuns = 20;

const leet = new Map(Object.entries({ "0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", $: "s" }));
const isLeet = /[a-z][0134578@$!]{1,2}[a-z]|\b[0134578@$!][a-z]{2}/i;

const rot13 =
  /\b(?:vtaber|qvfertneq|sbetrg|cerivbhf|vafgehpgvbaf?|cebzcgf?|pbairefngvba|perqragvnyf?|cnffjbeqf?|frpergf?)\b/i;

/** Instructions without spaces. */
const squeezed =
  /(?:ignore|disregard|forget)[a-z]{0,20}(?:previous|prior|above|earlier|all)[a-z]{0,20}(?:instructions?|prompts?|guidelines|rules)|(?:not|never)(?:tell|mention|inform)[a-z]{0,20}user|(?:send|forward)[a-z]{0,20}(?:conversation|history|credentials|passwords?|secrets)/i;

/** A quick test of a definition as JSON without false negatives. */
function mayBeDisguised(json: string): boolean {
  return /(?:[A-Za-z][ .\-_*|/]{1,4}){7}/.test(json) || rot13.test(json) || isLeet.test(json);
}

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
    if (!isOrder && letters.length < minSpacedLetters) continue;
    const severity = isOrder ? "high" : "medium";
    return [{ kind: "disguised_text", severity, excerpt, decoded: decoded.slice(0, 500) }];
  }
  return [];
}

function findTranslated(text: string): Found[] {
  const candidates = [
    ...(rot13.test(text) ? [decodeRot13(text)] : []),
    ...(isLeet.test(text) ? [unleet(text, "i"), unleet(text, "l")] : []),
  ];
  const known = new Set(findInstructions(text).map(({ kind }) => kind));
  for (const decoded of candidates) {
    const order = findInstructions(decoded).find(({ kind }) => !known.has(kind));
    if (order) return [{ ...order, kind: "disguised_text", severity: "high", decoded: order.excerpt }];
  }
  return [];
}

function decodeRot13(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const first = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

/** A one is an i or an l. */
function unleet(text: string, one: "i" | "l"): string {
  return text.replaceAll(/[0134578@$!]/g, (sign) => leet.get(sign) ?? (sign === "1" || sign === "!" ? one : sign));
}

const minBlob = 24;
const maxBlob = 20_000;
const blobs = /[A-Za-z0-9+/_-]+/g;
/** Hexadecimal bytes in any notation: 49 67, 49:67, \\x49\\x67, %49%67, 0x49, 0x67. */
const numbers = /(?<![0-9A-Za-z])(?:(?:\\x|0x|%)?[0-9A-Fa-f]{2}[\s:,]{0,2}){16,}/g;

function mayBeEncoded(text: string): boolean {
  return /[A-Za-z0-9+/_-]{24}/.test(text) || /(?:(?:\\{0,2}x|0x|%)?[0-9A-Fa-f]{2}(?:[\s:,]|\\n){0,2}){12}/.test(text);
}

function findEncodedText(text: string): Found[] {
  const found: Found[] = [];
  const read = [
    ...text.matchAll(numbers).map(({ 0: blob, index }) => ({ index, decoded: decodeNumbers(blob) })),
    ...text.matchAll(blobs).map(({ 0: blob, index }) => ({
      index,
      decoded: blob.length < minBlob ? null : decode(blob),
    })),
  ];
  for (const { index, decoded } of read) {
    if (decoded === null) continue;
    const severity = findInstructions(decoded).length > 0 ? "high" : "medium";
    const excerpt = excerptOf(text, index, index + minBlob);
    found.push({ kind: "encoded_text", severity, excerpt, decoded: decoded.slice(0, 500) });
    if (found.length === 3) break;
  }
  return found;
}

function decode(blob: string): string | null {
  // Words joined by dashes or slashes are of one case, and base64 of a sentence is not.
  if (!/[a-z]/.test(blob) || !/[A-Z]/.test(blob)) return null;
  const text = Buffer.from(blob.slice(0, maxBlob), "base64").toString("utf8");
  return sentenceIn(text);
}

function decodeNumbers(blob: string): string | null {
  const digits = blob.slice(0, maxBlob).replaceAll(/\\x|0x|[%\s:,]/g, "");
  return sentenceIn(Buffer.from(digits, "hex").toString("utf8"));
}

function sentenceIn(text: string): string | null {
  const isSentence = text.trim().split(/\s+/).length >= 4;
  return isSentence && !text.includes("\ufffd") && isReadable(text) ? text : null;
}

/** Letters of other scripts that look like Latin ones. */
const lookalike = /[асеорхуіјѕԁһӏԛԝАВЕКМНОРСТУХІЈЅοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧν]/u;
const words = /[\p{L}\p{M}]{3,}/gu;

function findLookalikes(text: string): Found[] {
  if (!lookalike.test(text)) return [];
  for (const { 0: word, index } of text.matchAll(words)) {
    const latin = word.match(/[A-Za-z]/g)?.length ?? 0;
    if (latin < 2 || !lookalike.test(word)) continue;
    // Only if every other letter looks Latin.
    const rest = [...word].filter((letter) => !/[A-Za-z]/.test(letter));
    if (!rest.every((letter) => lookalike.test(letter))) continue;
    const spelled = [...word].map((letter) => (lookalike.test(letter) ? spellCode(letter) : letter));
    const excerpt = excerptOf(text, index, index + word.length);
    return [{ kind: "lookalike_letters", severity: "medium", excerpt, decoded: spelled.join("") }];
  }
  return [];
}

/** Changes whenever the scan would find something else. */
export const scanVersion = 2;

const maxDescription = 8_000;
const maxFindings = 20;
const maxRead = 100_000;
const unusual = /[^\t\n\r -~]/;

/** Two of these together only occur in a poisoned definition. */
const aimed = new Set<Finding["kind"]>(["instruction", "concealment", "secret_request", "pseudo_tag", "exfiltration"]);

const scanned = new WeakMap<object, readonly Finding[]>();
const nothing: readonly Finding[] = [];

/** Each definition object is scanned once. */
export function scanDefinition(definition: object): readonly Finding[] {
  const before = scanned.get(definition);
  if (before) return before;
  const found = isInnocent(definition) ? nothing : scanTexts(textsOf(definition));
  scanned.set(definition, found.length === 0 ? nothing : found);
  return found;
}

/** Most definitions pass this quick test of their whole JSON. */
function isInnocent(definition: object): boolean {
  try {
    // An escaped line break must not join the word after it.
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

function scanText(whole: string): Found[] {
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

/** Text beyond `maxRead` is not scanned. */
function findOverlong(whole: string): Found[] {
  if (whole.length <= maxDescription) return [];
  const severity = whole.length > maxRead ? "high" : "low";
  return [{ kind: "overlong", severity, excerpt: excerptOf(whole, maxDescription), decoded: null }];
}

/** Finds words that invisible characters split. */
function withoutInvisible(text: string): string {
  return unusual.test(text) ? text.normalize("NFKC").replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "") : text;
}

/** One alone may be harmless; two together are an attack. */
function raise(findings: Finding[]): Finding[] {
  const kinds = new Set(findings.map(({ kind }) => kind).filter((kind) => aimed.has(kind)));
  if (kinds.size < 2) return findings;
  return findings.map((finding) => (aimed.has(finding.kind) ? { ...finding, severity: "high" } : finding));
}
