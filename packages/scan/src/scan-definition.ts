import { runInSlices, runSteps, type Steps } from "../../../src/lib/async/steps.ts";
import { hashText } from "../../../src/lib/json/stable-json.ts";
import { createLru } from "../../../src/lib/lru.ts";
import { spellCode } from "../../../src/lib/text/unseen.ts";
import type { Finding } from "../../../src/model/catalogue/quality-schema.ts";
import { type Decoded, decodeSteps, turnBack } from "./decode.ts";
import { isAboutOrders } from "./features.ts";
import { foldText } from "./fold.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { findInstructions, instructionSteps, mayBeOrder } from "./instructions.ts";
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
export const scanDefinition = (definition: object): readonly Finding[] =>
  runSteps(scanSteps(definition));

/** The same in slices: other work goes on in between. */
export const scanInSlices = (definition: object): Promise<readonly Finding[]> =>
  runInSlices(scanSteps(definition));

function* scanSteps(definition: object): Steps<readonly Finding[]> {
  const before = scanned.get(definition);
  if (before) return before;
  const findings = yield* scanTexts(collectTexts(definition), definition);
  scanned.set(definition, findings.length === 0 ? nothing : findings);
  return findings;
}

function* scanTexts(texts: readonly PlacedText[], definition: object): Steps<readonly Finding[]> {
  let unread = maxRead;
  const findings: Finding[] = [];
  for (const { where, text } of texts) {
    const read = text.slice(0, unread);
    unread -= read.length;
    for (const finding of [...(yield* scanText(read)), ...findOverlong(text, read.length)])
      findings.push({ where, ...finding });
    yield;
  }
  const raised = raise(findings);
  const isAttack = raised.some(({ severity }) => severity === "high");
  const split = isAttack ? [] : yield* findSplit(definition);
  return [...raised, ...split].slice(0, maxFindings);
}

/** Titles and descriptions of arguments are often the same in many tools, and a server may list the same again and again. */
const readBefore = createLru<readonly Found[]>(2_000);
const longestKey = 500;

/** A long text is remembered by its digest. */
const keyOf = (text: string) => (text.length <= longestKey ? text : hashText(text));

function* scanText(text: string): Steps<readonly Found[]> {
  const key = keyOf(text);
  const before = readBefore.get(key);
  if (before) return before;
  const findings = yield* readText(text);
  readBefore.set(key, findings);
  return findings;
}

function* readText(text: string): Steps<Found[]> {
  const hidden = unusual.test(text) ? [...findHiddenCharacters(text), ...findLookalikes(text)] : [];
  yield;
  const seen = withoutInvisible(text);
  const outOfSight = findOutOfSight(seen);
  yield;
  const plain = yield* instructionSteps(apart(seen));
  return [...hidden, ...outOfSight, ...plain, ...(yield* findDisguises(seen, plain))];
}

/** A name is read word by word. */
function apart(text: string): string {
  return /\s/.test(text) ? text : text.replaceAll(/([a-z])([A-Z])/g, "$1 $2");
}

/** Orders that show only after another reading of the text. */
function* findDisguises(text: string, plain: readonly Found[], depth = 0): Steps<Found[]> {
  const kinds = new Set(plain.map(({ kind }) => kind));
  const order = yield* findDisguisedOrder(text, kinds);
  const disguised: Found[] = order
    ? [{ ...order, kind: "disguised_text", severity: "high", decoded: unleet(order.excerpt) }]
    : [];
  const decoded = yield* findDecoded(text, depth);
  // Letters apart are an acrostic as well: one finding says it.
  return decoded.some(({ severity }) => severity === "high") ? decoded : [...disguised, ...decoded];
}

/** The first order of a kind that the plain text does not have. */
function* findDisguisedOrder(
  text: string,
  kinds: ReadonlySet<Finding["kind"]>,
): Steps<Found | undefined> {
  const isNew = ({ kind }: Found) => !kinds.has(kind);
  const { text: folded } = foldText(text);
  yield;
  if (leet.test(text) || folded.length !== text.length || unusual.test(text)) {
    const order = (yield* instructionSteps(text, true)).find(isNew);
    if (order) return order;
  }
  const plainReadings = yield* readEach([
    () => turnBack(folded),
    () => (leet.test(text) ? turnBack(unleet(folded)) : []),
    () => plainReadingsOf(folded),
  ]);
  const otherReadings = yield* readEach([() => readingsOf(folded), () => readingsOfCapitals(text)]);
  for (const reading of [...plainReadings, ...otherReadings]) {
    const order = (yield* instructionSteps(reading)).find(isNew);
    if (order) return order;
  }
  for (const reading of plainReadings) {
    const order = findAbout(reading, text).find(isNew);
    if (order) return order;
    yield;
  }
  return undefined;
}

function* readEach(readers: readonly (() => readonly string[])[]): Steps<string[]> {
  const readings: string[] = [];
  for (const reader of readers) {
    readings.push(...reader());
    yield;
  }
  return readings;
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

const maxDecoded = 3;

function* findDecoded(text: string, depth: number): Steps<Found[]> {
  const findings: Found[] = [];
  for (const run of yield* decodeSteps(text)) {
    const finding = yield* judgeDecoded(text, run, depth);
    if (finding !== null) findings.push(finding);
    if (findings.length === maxDecoded) break;
  }
  return findings;
}

function* judgeDecoded(text: string, run: Decoded, depth: number): Steps<Found | null> {
  const { kind, text: decoded, from, to } = run;
  const orders = yield* instructionSteps(decoded);
  const isDeepest = orders.length > 0 || depth === maxDepth;
  const inner = isDeepest ? orders : yield* findDisguises(decoded, [], depth + 1);
  const isOrder =
    inner.some(({ severity }) => severity === "high") ||
    orders.length > 0 ||
    isAboutOrders(decoded);
  const letters = decoded.replaceAll(" ", "").length;
  if (kind === "disguised_text" && !isOrder && letters < minSpacedLetters) return null;
  const severity = isOrder ? "high" : "medium";
  return { kind, severity, excerpt: excerptOf(text, from, to), decoded: decoded.slice(0, 500) };
}

const minSpacedLetters = 20;

/** An order whose parts stand in several fields, read one after the other; only where no one part of it is an order. */
function* findSplit(definition: object): Steps<Finding[]> {
  for (const [where, parts] of lanesOf(definition)) {
    const order = parts.length < 2 ? null : orderIn(parts);
    yield;
    if (order) return [{ ...order, where, kind: "disguised_text", decoded: order.excerpt }];
  }
  return [];
}

/** Types and names of arguments are often the same in many tools. */
const joinedBefore = createLru<{ order: Found | null }>(500);

function orderIn(parts: readonly string[]): Found | null {
  const whole = parts.join(" ");
  const key = keyOf(whole);
  const before = joinedBefore.get(key);
  if (before) return before.order;
  const order = findOrder(parts, whole);
  joinedBefore.set(key, { order });
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
