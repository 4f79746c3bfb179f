import { runInSlices, runSteps, type Steps } from "@toolplane/core/lib/async/steps";
import { hashText } from "@toolplane/core/lib/json/stable-json";
import { createLru } from "@toolplane/core/lib/lru";
import { spellCode } from "@toolplane/core/lib/text/unseen";
import type { Finding } from "@toolplane/core/model/catalogue/quality-schema";
import { type Decoded, decodeSteps, turnBack } from "./decode.ts";
import { isAboutOrders } from "./features.ts";
import { foldText } from "./fold.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { findInstructions, instructionSteps, mayBeOrder } from "./instructions.ts";
import { findOutOfSight } from "./out-of-sight.ts";
import { plainReadingsOf, readingsOf, readingsOfCapitals } from "./readings.ts";
import { collectTexts, excerptOf, lanesOf, type PlacedText } from "./texts.ts";

type UnplacedFinding = Omit<Finding, "where">;

/** Letters of other scripts that look like Latin ones. */
const lookalike = /[асеорхуіјѕԁһӏԛԝАВЕКМНОРСТУХІЈЅοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧν]/u;
const wordPattern = /[\p{L}\p{M}]{3,}/gu;

function findLookalikes(text: string): UnplacedFinding[] {
  if (!lookalike.test(text)) return [];
  for (const { 0: word, index } of text.matchAll(wordPattern)) {
    const latin = word.match(/[A-Za-z]/g)?.length ?? 0;
    if (latin < 2 || !lookalike.test(word)) continue;
    // Only if every other letter looks Latin.
    const otherLetters = [...word].filter((letter) => !/[A-Za-z]/.test(letter));
    if (!otherLetters.every((letter) => lookalike.test(letter))) continue;
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
const maxReadLength = 100_000;
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
const attackKinds = new Set<Finding["kind"]>([
  "instruction",
  "concealment",
  "secret_request",
  "pseudo_tag",
  "exfiltration",
]);

const scanned = new WeakMap<object, readonly Finding[]>();
const noFindings: readonly Finding[] = [];

/** Each definition object is scanned once. */
export const scanDefinition = (definition: object): readonly Finding[] =>
  runSteps(scanSteps(definition));

/** The same in slices: other work goes on in between. */
export const scanInSlices = (definition: object): Promise<readonly Finding[]> =>
  runInSlices(scanSteps(definition));

function* scanSteps(definition: object): Steps<readonly Finding[]> {
  const knownFindings = scanned.get(definition);
  if (knownFindings) return knownFindings;
  const findings = yield* scanTexts(collectTexts(definition), definition);
  scanned.set(definition, findings.length === 0 ? noFindings : findings);
  return findings;
}

function* scanTexts(texts: readonly PlacedText[], definition: object): Steps<readonly Finding[]> {
  let unread = maxReadLength;
  const findings: Finding[] = [];
  for (const { where, text } of texts) {
    const readPart = text.slice(0, unread);
    unread -= readPart.length;
    for (const finding of [...(yield* scanText(readPart)), ...findOverlong(text, readPart.length)])
      findings.push({ where, ...finding });
    yield;
  }
  const raised = raise(findings);
  const isAttack = raised.some(({ severity }) => severity === "high");
  const splitOrders = isAttack ? [] : yield* findSplit(definition);
  return [...raised, ...splitOrders].slice(0, maxFindings);
}

/** Titles and descriptions of arguments are often the same in many tools, and a server may list the same again and again. */
const findingsByText = createLru<readonly UnplacedFinding[]>(2_000);
const longestKey = 500;

/** A long text is remembered by its digest. */
const keyOf = (text: string) => (text.length <= longestKey ? text : hashText(text));

function* scanText(text: string): Steps<readonly UnplacedFinding[]> {
  const key = keyOf(text);
  const knownFindings = findingsByText.get(key);
  if (knownFindings) return knownFindings;
  const findings = yield* readText(text);
  findingsByText.set(key, findings);
  return findings;
}

function* readText(text: string): Steps<UnplacedFinding[]> {
  const hidden = unusual.test(text) ? [...findHiddenCharacters(text), ...findLookalikes(text)] : [];
  yield;
  const visibleText = withoutInvisible(text);
  const outOfSight = findOutOfSight(visibleText);
  yield;
  const plainFindings = yield* instructionSteps(separateWords(visibleText));
  return [
    ...hidden,
    ...outOfSight,
    ...plainFindings,
    ...(yield* findDisguises(visibleText, plainFindings)),
  ];
}

/** A name is read word by word. */
function separateWords(text: string): string {
  if (/\s/.test(text)) return text;
  return text.replaceAll(/([a-z])([A-Z])/g, "$1 $2");
}

/** Orders that show only after another reading of the text. */
function* findDisguises(
  text: string,
  plainFindings: readonly UnplacedFinding[],
  depth = 0,
): Steps<UnplacedFinding[]> {
  const kinds = new Set(plainFindings.map(({ kind }) => kind));
  const order = yield* findDisguisedOrder(text, kinds);
  const decoded = yield* findDecoded(text, depth);
  // Letters apart are an acrostic as well: one finding says it.
  if (!order || decoded.some(({ severity }) => severity === "high")) return decoded;
  const original = unleet(order.excerpt);
  return [{ ...order, kind: "disguised_text", severity: "high", decoded: original }, ...decoded];
}

/** The first order of a kind that the plain text does not have. */
function* findDisguisedOrder(
  text: string,
  kinds: ReadonlySet<Finding["kind"]>,
): Steps<UnplacedFinding | undefined> {
  const isNew = ({ kind }: UnplacedFinding) => !kinds.has(kind);
  const { text: folded } = foldText(text);
  yield;
  if (leet.test(text) || folded.length !== text.length || unusual.test(text)) {
    const order = (yield* instructionSteps(text, { isLoose: true })).find(isNew);
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
    const order = findOrderTopic(reading, text).find(isNew);
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
function findOrderTopic(reading: string, text: string): UnplacedFinding[] {
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

function* findDecoded(text: string, depth: number): Steps<UnplacedFinding[]> {
  const findings: UnplacedFinding[] = [];
  for (const run of yield* decodeSteps(text)) {
    const finding = yield* judgeDecoded(text, run, depth);
    if (finding !== null) findings.push(finding);
    if (findings.length === maxDecoded) break;
  }
  return findings;
}

function* judgeDecoded(text: string, run: Decoded, depth: number): Steps<UnplacedFinding | null> {
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
const ordersByText = createLru<{ order: UnplacedFinding | null }>(500);

function orderIn(parts: readonly string[]): UnplacedFinding | null {
  const text = parts.join(" ");
  const key = keyOf(text);
  const remembered = ordersByText.get(key);
  if (remembered) return remembered.order;
  const order = findOrder(parts, text);
  ordersByText.set(key, { order });
  return order;
}

function findOrder(parts: readonly string[], text: string): UnplacedFinding | null {
  // Cut in the middle of a word, it may be another one.
  if (text.length <= maxReadLength / 4 && !mayBeOrder(parts, text)) return null;
  return (
    findInstructions(text.slice(0, maxReadLength / 4)).find(
      ({ severity }) => severity === "high",
    ) ?? null
  );
}

/** Text beyond `maxReadLength` is not scanned. */
function findOverlong(text: string, readLength: number): UnplacedFinding[] {
  if (text.length <= maxDescription && readLength === text.length) return [];
  const severity = readLength < text.length ? "high" : "low";
  return [
    {
      kind: "overlong",
      severity,
      excerpt: excerptOf(text, Math.min(maxDescription, text.length)),
      decoded: null,
    },
  ];
}

/** Finds words that invisible characters split. */
function withoutInvisible(text: string): string {
  if (!unusual.test(text)) return text;
  return text.normalize("NFKC").replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "");
}

/** One alone may be harmless; two together are an attack. */
function raise(findings: Finding[]): Finding[] {
  const kinds = new Set(findings.map(({ kind }) => kind).filter((kind) => attackKinds.has(kind)));
  if (kinds.size < 2) return findings;
  return findings.map((finding) =>
    attackKinds.has(finding.kind) ? { ...finding, severity: "high" } : finding,
  );
}
