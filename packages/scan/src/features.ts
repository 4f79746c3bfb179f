import type { Finding } from "@toolplane/core/model/catalogue/quality-schema";
import { bitOf, type Entry, type Lexicon, loose, loosen, strict } from "./lexicon.ts";
import { readTokens, sentenceEnd, type Token, type TokenizedText } from "./tokens.ts";

/** Classes of the lexicon, each a bit of `bitOf`. */
type Classes = number;

/** Classes that stand within so many words of each other, in any order. */
type Rule = {
  kind: Finding["kind"];
  severity: "high" | "medium";
  within: number;
  needs: Classes[];
  uses: Classes;
};

export type FeatureFound = {
  kind: Finding["kind"];
  severity: "high" | "medium";
  from: number;
  to: number;
};

function readRule(line: string): Rule {
  const [kind = "", severity = "", within = "", ...needs] = line.trim().split(/\s+/);
  const bits = needs.map((need) =>
    need
      .split("|")
      .reduce((sum, name) => sum | (bitOf[name as keyof typeof bitOf] ?? fail(name)), 0),
  );
  return {
    kind: kind as Finding["kind"],
    severity: severity as "high" | "medium",
    within: Number(within),
    needs: bits,
    uses: bits.reduce((sum, bit) => sum | bit, 0),
  };
}

function fail(name: string): never {
  throw new Error(`no class '${name}'`);
}

const rules = `
  instruction high 10 revoke orders prior|you|people
  instruction high 15 revoke orders prefer
  instruction high 8 revoke people act
  instruction high 8 replace orders you
  instruction medium 5 replace orders prior
  instruction high 10 prefer orders people|prior|us
  instruction high 12 persona you|orders|must
  instruction medium 6 before others tool
  instruction high 9 call before others tool
  concealment medium 7 untold people
  concealment high 9 untold people self
  concealment high 12 untold people loot|talk|act|us
  concealment high 9 untold please|you send
  concealment medium 6 hide people
  concealment high 9 hide people self|must
  concealment medium 4 hide you
  exfiltration high 12 send talk|loot|place url|us
  exfiltration high 9 hide send loot|talk|us
  exfiltration high 9 please send url
  secret_request high 10 send talk|loot|place field|please|you
  secret_request high 10 read place|loot send|must
  secret_request medium 1 place
  exfiltration high 14 reroute url you|must|others
  instruction high 10 unasked act
  instruction high 9 shell url you|before
  instruction medium 5 revoke orders
  secret_request high 10 place read call|send|field
  exfiltration high 8 send loot us|hide|must
  exfiltration high 9 send people url talk|prior|must
  exfiltration high 8 send talk us|hide
`
  .trim()
  .split("\n")
  .map(readRule);

const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;
/** A word of so many letters is several. */
const minRunLetters = 18;
const maxEntry = 24;
/** How far a new sentence is from the one before, in words. */
const sentenceGap = 4;
/** How far a "not" reaches. */
const maxNegationDistance = 4;

type Word = { bits: Classes; position: number; from: number; to: number };

/** Orders to a model, judged by what words do in a sentence; linear in the length of the text. */
export function findFeatures(text: string, { isLoose = false } = {}): FeatureFound[] {
  const tokenized = readTokens(text);
  const { words, possibleClasses } = readWords(tokenized, { isLoose });
  const possibleRules = rulesFor(possibleClasses);
  if (possibleRules.length === 0) return [];
  const { sourceIndex } = tokenized.folded;
  return judge(words, possibleRules).map((feature) => ({
    ...feature,
    from: sourceIndex(feature.from),
    to: sourceIndex(feature.to),
  }));
}

/** Places are sums of parts of words: a little more than `within` allows for how they are rounded. */
const highRules = rules
  .filter(({ severity }) => severity === "high")
  .map((rule) => ({ ...rule, within: rule.within + 0.01 }));

/** What the words of a text may mean, whatever stands behind it; `length` is in words. */
export type Meaning = {
  words: readonly Pick<Word, "bits" | "position">[];
  possibleClasses: Classes;
  length: number;
};

export function meaningOf(text: string): Meaning {
  const { words, possibleClasses, length } = readWords(readTokens(text), { isOpen: true });
  return {
    words: words.map(({ bits, position }) => ({ bits, position })),
    possibleClasses,
    length,
  };
}

/** Can these texts, one after the other, fit a rule of high severity? */
export function mayMeanOrder(texts: readonly Meaning[]): boolean {
  const possibleRules = rulesFor(
    texts.reduce((sum, { possibleClasses }) => sum | possibleClasses, 0),
    highRules,
  );
  if (possibleRules.length === 0) return false;
  const allWords: Word[] = [];
  let offset = 0;
  for (const { words, length } of texts) {
    for (const { bits, position } of words)
      allWords.push({ bits, position: offset + position, from: 0, to: 0 });
    offset += length;
  }
  return judge(markUntold(allWords), possibleRules).length > 0;
}

function rulesFor(possibleClasses: Classes, candidates: readonly Rule[] = rules): readonly Rule[] {
  const classes = withUntold(possibleClasses);
  return candidates.filter((rule) => isPossible(rule, classes));
}

/** Not to tell is one idea of two words. */
function withUntold(possibleClasses: Classes): Classes {
  if (possibleClasses & bitOf.tell) return possibleClasses | bitOf.untold;
  return possibleClasses;
}

function isPossible({ needs }: Rule, classes: Classes): boolean {
  for (const need of needs) if ((need & classes) === 0) return false;
  return true;
}

/** What only an order speaks of; a text that was hidden and speaks of several of these is one, however it is worded. */
const tellingClasses = [
  "revoke",
  "replace",
  "orders",
  "tell",
  "untold",
  "people",
  "hide",
  "send",
  "loot",
  "talk",
] as const;
const supportingClasses = [
  "you",
  "no",
  "us",
  "must",
  "read",
  "call",
  "tool",
  "act",
  "persona",
  "unasked",
  "url",
  "place",
] as const;
const bitsOfAll = (names: readonly (keyof typeof bitOf)[]) =>
  names.reduce((sum, name) => sum | bitOf[name], 0);
const minTelling = 2;
const minClasses = 3;

/** Whether a text that was hidden is about the user, the rules, secrets or sending. */
export function isAboutOrders(text: string): boolean {
  let bits = 0;
  for (const word of readWords(readTokens(text)).words) bits |= word.bits;
  const tellingCount = countBits(bits & bitsOfAll(tellingClasses));
  return (
    tellingCount >= minTelling &&
    tellingCount + countBits(bits & bitsOfAll(supportingClasses)) >= minClasses
  );
}

function countBits(bits: number): number {
  let count = 0;
  for (let remaining = bits; remaining !== 0; remaining &= remaining - 1) count += 1;
  return count;
}

/**
 * `possibleClasses` has the classes of all words, and of every expression that one of them begins. With `isOpen`, an expression that
 * begins with the last words may go on behind the text. With `isLoose`, letters that look alike are the same.
 */
function readWords({ folded, tokens }: TokenizedText, { isLoose = false, isOpen = false } = {}) {
  const lexicon = isLoose ? loose() : strict();
  const memo = isLoose ? knownWords.loose : knownWords.strict;
  const words: Word[] = [];
  const spelled = tokens.map(({ word }) => (isLoose ? loosen(word) : word));
  const hasUnspaced = unspaced.test(folded.text);
  let possibleClasses = 0;
  let position = 0;
  for (let index = 0; index < tokens.length; index++) {
    const { word, from, specialClass } = tokens[index] as Token;
    position += word.length === 1 && sentenceEnd.test(word) ? sentenceGap : 1;
    const to = from + word.length;
    const previousCount = words.length;
    if (specialClass !== 0) words.push({ bits: specialClass, position, from, to });
    else if (word.length >= minRunLetters || (hasUnspaced && unspaced.test(word)))
      position = readRun(spelled[index] ?? "", from, position, lexicon, words);
    else {
      const entry = entryOf(spelled[index] ?? "", lexicon, memo);
      if (entry.possibleClasses === 0) continue;
      possibleClasses |= entry.possibleClasses;
      const bits = bitsOf(entry, spelled, index, isOpen);
      if (bits !== 0) words.push({ bits, position, from, to });
    }
    for (let added = previousCount; added < words.length; added++)
      possibleClasses |= words[added]?.bits ?? 0;
  }
  return { words: isOpen ? words : markUntold(words), possibleClasses, length: position };
}

/** A word of telling with a "not" near it gets the class `untold`. Most languages put it before, some after. */
function markUntold(words: Word[]): Word[] {
  let no = Number.NEGATIVE_INFINITY;
  let tell: Word | undefined;
  for (const word of words) {
    if (word.bits & bitOf.no) no = word.position;
    if (word.bits & bitOf.tell) {
      if (word.position - no <= maxNegationDistance) word.bits |= bitOf.untold;
      tell = word;
    }
    if (word.bits & bitOf.notLate && tell && word.position - tell.position <= maxNegationDistance)
      tell.bits |= bitOf.untold;
  }
  return words;
}

/** A word as the lexicon has it: its classes by itself, and the expressions that it begins. */
type KnownWord = { bits: Classes; begins: readonly Entry[]; possibleClasses: Classes };

const knownWords = { strict: new Map<string, KnownWord>(), loose: new Map<string, KnownWord>() };
const maxKnown = 20_000;

function entryOf(spelled: string, lexicon: Lexicon, memo: Map<string, KnownWord>): KnownWord {
  const knownWord = memo.get(spelled);
  if (knownWord !== undefined) return knownWord;
  const word = spelled.replace(/(?<!['’])['’]+$/, "");
  let bits = 0;
  for (let size = 2; size <= Math.min(word.length, maxEntry); size++)
    bits |= lexicon.stems.get(word.slice(0, size)) ?? 0;
  const begins = lexicon.words.get(word) ?? [];
  const newWord = {
    bits,
    begins,
    possibleClasses: begins.reduce((sum, entry) => sum | entry.bits, bits),
  };
  if (memo.size >= maxKnown) memo.clear();
  memo.set(spelled, newWord);
  return newWord;
}

/** The classes of a word by its stem, and of an expression that begins with it. */
function bitsOf(
  { bits: stemBits, begins }: KnownWord,
  words: readonly string[],
  index: number,
  isOpen: boolean,
): number {
  let bits = stemBits;
  for (const entry of begins) {
    const fits = entry.tail.every((part, offset) => {
      if (isOpen && index + 1 + offset >= words.length) return true;
      const next = words[index + 1 + offset] ?? "";
      return entry.isStem && offset === entry.tail.length - 1
        ? next.startsWith(part)
        : next === part;
    });
    if (fits) bits |= entry.bits;
  }
  return bits;
}

/** Entries sign by sign. `bits` is null where none ends. */
type Branch = { bits: number | null; next: Map<number, Branch> };

const trees = new WeakMap<Lexicon, Branch>();

function treeOf(lexicon: Lexicon): Branch {
  const tree = trees.get(lexicon);
  if (tree) return tree;
  const root: Branch = { bits: null, next: new Map() };
  for (const [entry, bits] of lexicon.runs) {
    if (entry.length > maxEntry) continue;
    let branch = root;
    for (let index = 0; index < entry.length; index++) {
      const next = branch.next.get(entry.charCodeAt(index)) ?? { bits: null, next: new Map() };
      branch.next.set(entry.charCodeAt(index), next);
      branch = next;
    }
    branch.bits = bits;
  }
  trees.set(lexicon, root);
  return root;
}

/** Words of scripts without spaces, or with the spaces left out: the longest entry at each place. */
function readRun(
  run: string,
  index: number,
  start: number,
  lexicon: Lexicon,
  words: Word[],
): number {
  const tree = treeOf(lexicon);
  let position = start;
  for (let from = 0; from < run.length; ) {
    let size = 1;
    let bits = 0;
    let branch = tree.next.get(run.charCodeAt(from));
    for (let end = from + 1; branch !== undefined && end < run.length; end++) {
      branch = branch.next.get(run.charCodeAt(end));
      if (branch?.bits != null) [size, bits] = [end + 1 - from, branch.bits];
    }
    position += size > 1 ? 1 : 0.4;
    if (bits !== 0) words.push({ bits, position, from: index + from, to: index + from + size });
    from += size;
  }
  return position;
}

function judge(words: readonly Word[], possibleRules: readonly Rule[]): FeatureFound[] {
  const lastByClass: Word[] = [];
  const features = new Map<Rule, FeatureFound>();
  const latest = (bits: number, since: number): Word | undefined => {
    let best: Word | undefined;
    for (let remaining = bits; remaining !== 0; remaining &= remaining - 1) {
      const candidate = lastByClass[31 - Math.clz32(remaining & -remaining)];
      if (
        candidate &&
        candidate.position >= since &&
        (best === undefined || candidate.position > best.position)
      )
        best = candidate;
    }
    return best;
  };
  for (const word of words) {
    for (let remaining = word.bits; remaining !== 0; remaining &= remaining - 1)
      lastByClass[31 - Math.clz32(remaining & -remaining)] = word;
    for (const rule of possibleRules) {
      if ((rule.uses & word.bits) === 0 || features.has(rule)) continue;
      const parts = rule.needs.map((need) => latest(need, word.position - rule.within));
      if (!parts.every((part) => part !== undefined)) continue;
      const from = Math.min(...parts.map((part) => part.from));
      features.set(rule, { kind: rule.kind, severity: rule.severity, from, to: word.to });
    }
  }
  return [...features.values()];
}
