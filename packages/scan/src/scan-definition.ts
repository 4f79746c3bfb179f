import { createLru } from "../../../src/lib/lru.ts";
import { spellCode } from "../../../src/lib/text/unseen.ts";
import type { Finding } from "../../../src/model/catalogue/quality-schema.ts";
import { decodeRuns, turnBack } from "./decode.ts";
import { isAboutOrders } from "./features.ts";
import { foldText } from "./fold.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { findInstructions, mayBeOrder } from "./instructions.ts";
import { findOutOfSight } from "./out-of-sight.ts";
import { plainReadingsOf, readingsOf, readingsOfCapitals } from "./readings.ts";
import { collectTexts, excerptOf, lanesOf, type PlacedText } from "./texts.ts";

type Found = Omit<Finding, "where">;

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
    const spelled = [...word].map((letter) =>
      lookalike.test(letter) ? spellCode(letter) : letter,
    );
    const excerpt = excerptOf(text, index, index + word.length);
    return [{ kind: "lookalike_letters", severity: "medium", excerpt, decoded: spelled.join("") }];
  }
  return [];
}

/** Changes whenever the scan would find something else. */
export const scanVersion = 4;

const maxDescription = 8_000;
const maxFindings = 20;
/** Of one definition; what is longer is not read to its end. */
const maxRead = 100_000;
const unusual = /[^\t\n\r -~]/;
/** Digits and signs in the place of letters. */
const leet = /[a-z][0134578@$!]{1,2}[a-z]|\b[0134578@$!][a-z]{2}/i;
const plainLetters: Readonly<Record<string, string>> = {
  0: "o",
  1: "i",
  3: "e",
  4: "a",
  5: "s",
  7: "t",
  8: "b",
  "@": "a",
  $: "s",
};
const unleet = (text: string) =>
  text.replaceAll(/[0134578@$]/g, (sign) => plainLetters[sign] ?? sign);
const maxDepth = 2;

/** Two of these together only occur in a poisoned definition. */
const aimed = new Set<Finding["kind"]>([
  "instruction",
  "concealment",
  "secret_request",
  "pseudo_tag",
  "exfiltration",
]);

const scanned = new WeakMap<object, readonly Finding[]>();
const nothing: readonly Finding[] = [];

/** Each definition object is scanned once. */
export function scanDefinition(definition: object): readonly Finding[] {
  const before = scanned.get(definition);
  if (before) return before;
  const found = scanTexts(collectTexts(definition), definition);
  scanned.set(definition, found.length === 0 ? nothing : found);
  return found;
}

function scanTexts(texts: readonly PlacedText[], definition: object): readonly Finding[] {
  let left = maxRead;
  const found = texts.flatMap(({ where, text }) => {
    const read = text.slice(0, left);
    left -= read.length;
    return [...scanText(read), ...findOverlong(text, read.length)].map((one) => ({
      where,
      ...one,
    }));
  });
  const all = raise(found);
  return (
    all.some(({ severity }) => severity === "high") ? all : [...all, ...findSplit(definition)]
  ).slice(0, maxFindings);
}

/** Titles and descriptions of arguments are often the same in many tools. */
const readBefore = createLru<readonly Found[]>(1_000);
const longestKept = 500;

function scanText(text: string): readonly Found[] {
  const before = readBefore.get(text);
  if (before) return before;
  const found = readText(text);
  if (text.length <= longestKept) readBefore.set(text, found);
  return found;
}

function readText(text: string): Found[] {
  const hidden = unusual.test(text) ? [...findHiddenCharacters(text), ...findLookalikes(text)] : [];
  const seen = withoutInvisible(text);
  const plain = findInstructions(apart(seen));
  return [...hidden, ...findOutOfSight(seen), ...plain, ...findDisguises(seen, plain)];
}

/** A name is read word by word. */
function apart(text: string): string {
  return /\s/.test(text) ? text : text.replaceAll(/([a-z])([A-Z])/g, "$1 $2");
}

/** Orders that show only after another reading of the text. */
function findDisguises(text: string, plain: readonly Found[], depth = 0): Found[] {
  const known = new Set(plain.map(({ kind }) => kind));
  const isNew = ({ kind }: Found) => !known.has(kind);
  const { text: folded } = foldText(text);
  const plainly = [
    ...turnBack(folded),
    ...(leet.test(text) ? turnBack(unleet(folded)) : []),
    ...plainReadingsOf(folded),
  ];
  const others = [
    ...[...plainly, ...readingsOf(folded), ...readingsOfCapitals(text)].flatMap((other) =>
      findInstructions(other),
    ),
    ...plainly.flatMap((other) => findAbout(other, text)),
  ];
  const loosely =
    leet.test(text) || folded.length !== text.length || unusual.test(text)
      ? findInstructions(text, true)
      : [];
  const [order] = [...loosely, ...others].filter(isNew);
  const disguised: Found[] = order
    ? [{ ...order, kind: "disguised_text", severity: "high", decoded: unleet(order.excerpt) }]
    : [];
  const decoded = findDecoded(text, depth);
  // Letters apart are an acrostic as well: one finding says it.
  return decoded.some(({ severity }) => severity === "high") ? decoded : [...disguised, ...decoded];
}

/** A reading that speaks of secrets and orders, where the text as it stands does not. */
function findAbout(reading: string, text: string): Found[] {
  if (!isAboutOrders(reading) || isAboutOrders(text)) return [];
  return [
    {
      kind: "disguised_text",
      severity: "high",
      excerpt: excerptOf(reading, 0, reading.length),
      decoded: null,
    },
  ];
}

function findDecoded(text: string, depth: number): Found[] {
  return decodeRuns(text)
    .flatMap(({ kind, text: decoded, from, to }): Found[] => {
      const orders = findInstructions(decoded);
      const inner =
        orders.length > 0 || depth === maxDepth ? orders : findDisguises(decoded, [], depth + 1);
      const isOrder =
        inner.some((one) => one.severity === "high") || orders.length > 0 || isAboutOrders(decoded);
      if (
        kind === "disguised_text" &&
        !isOrder &&
        decoded.replaceAll(" ", "").length < minSpacedLetters
      )
        return [];
      const excerpt = excerptOf(text, from, to);
      return [
        { kind, severity: isOrder ? "high" : "medium", excerpt, decoded: decoded.slice(0, 500) },
      ];
    })
    .slice(0, 3);
}

const minSpacedLetters = 20;

/** An order whose parts stand in several fields, read one after the other; only where no one part of it is an order. */
function findSplit(definition: object): Finding[] {
  for (const [where, parts] of lanesOf(definition)) {
    const order = parts.length < 2 ? null : orderIn(parts);
    if (order) return [{ ...order, where, kind: "disguised_text", decoded: order.excerpt }];
  }
  return [];
}

/** Types and names of arguments are often the same in many tools. */
const joinedBefore = createLru<{ order: Found | null }>(500);

function orderIn(parts: readonly string[]): Found | null {
  const whole = parts.join(" ");
  const before = joinedBefore.get(whole);
  if (before) return before.order;
  const order = findOrder(parts, whole);
  if (whole.length <= longestKept) joinedBefore.set(whole, { order });
  return order;
}

function findOrder(parts: readonly string[], whole: string): Found | null {
  // Cut in the middle of a word, it may be another one.
  if (whole.length <= maxRead / 4 && !mayBeOrder(parts, whole)) return null;
  return (
    findInstructions(whole.slice(0, maxRead / 4)).find(({ severity }) => severity === "high") ??
    null
  );
}

/** Text beyond `maxRead` is not scanned. */
function findOverlong(whole: string, read: number): Found[] {
  if (whole.length <= maxDescription && read === whole.length) return [];
  const severity = read < whole.length ? "high" : "low";
  return [
    {
      kind: "overlong",
      severity,
      excerpt: excerptOf(whole, Math.min(maxDescription, whole.length)),
      decoded: null,
    },
  ];
}

/** Finds words that invisible characters split. */
function withoutInvisible(text: string): string {
  return unusual.test(text)
    ? text.normalize("NFKC").replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "")
    : text;
}

/** One alone may be harmless; two together are an attack. */
function raise(findings: Finding[]): Finding[] {
  const kinds = new Set(findings.map(({ kind }) => kind).filter((kind) => aimed.has(kind)));
  if (kinds.size < 2) return findings;
  return findings.map((finding) =>
    aimed.has(finding.kind) ? { ...finding, severity: "high" } : finding,
  );
}
