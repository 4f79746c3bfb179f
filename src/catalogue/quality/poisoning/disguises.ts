import type { Finding } from "../../../model/quality.ts";
import { findInstructions } from "./instructions.ts";
import { excerptOf } from "./make-visible.ts";

type Found = Omit<Finding, "where">;

/** Letters that stand alone, one after the other. */
const spaced = /(?<![\p{L}\p{N}])(?:\p{L}[ .\-_*·|/]{1,4}){7,}\p{L}(?![\p{L}\p{N}])/gu;
/** So many of them are a sentence. */
const sentence = 20;
const maxRuns = 20;

/** Digits and signs for the letters they look like. */
const leet = new Map(
  Object.entries({ "0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", $: "s" }),
);
const isLeet = /[a-z][0134578@$!]{1,2}[a-z]|\b[0134578@$!][a-z]{2}/i;

/** Words of orders with every letter thirteen further, which are no words of any language. */
const turned =
  /\b(?:vtaber|qvfertneq|sbetrg|cerivbhf|vafgehpgvbaf?|cebzcgf?|pbairefngvba|perqragvnyf?|cnffjbeqf?|frpergf?)\b/i;

/** The orders without the spaces between their words. */
const squeezed =
  /(?:ignore|disregard|forget)[a-z]{0,20}(?:previous|prior|above|earlier|all)[a-z]{0,20}(?:instructions?|prompts?|guidelines|rules)|(?:not|never)(?:tell|mention|inform)[a-z]{0,20}user|(?:send|forward)[a-z]{0,20}(?:conversation|history|credentials|passwords?|secrets)/i;

/** A quick look at a definition as JSON that overlooks nothing. */
export function mayBeDisguised(json: string): boolean {
  return /(?:[A-Za-z][ .\-_*|/]{1,4}){7}/.test(json) || turned.test(json) || isLeet.test(json);
}

/** Orders that are written so that only a model takes them for what they are. */
export function findDisguises(text: string): Found[] {
  return [...findSpaced(text), ...findTranslated(text)].slice(0, 1);
}

function findSpaced(text: string): Found[] {
  let count = 0;
  for (const { 0: run, index } of text.matchAll(spaced)) {
    if (count++ === maxRuns) break;
    const excerpt = excerptOf(text, index, index + run.length);
    const decoded = run
      .replaceAll(/([\p{L}])[ .\-_*·|/](?=\p{L})/gu, "$1")
      .replaceAll(/[ .\-_*·|/]{2,}/g, " ");
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
  return text.replaceAll(
    /[0134578@$!]/g,
    (sign) => leet.get(sign) ?? (sign === "1" || sign === "!" ? one : sign),
  );
}
