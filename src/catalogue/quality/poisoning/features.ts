import type { Finding } from "../../../model/catalogue/quality-schema.ts";
import { foldText } from "./fold.ts";
import { bitOf, type Lexicon, loose, loosen, strict } from "./lexicon.ts";

/** Classes that stand within so many words of each other, in any order. */
type Rule = { kind: Finding["kind"]; severity: "high" | "medium"; within: number; needs: number[]; uses: number };

export type FeatureFound = { kind: Finding["kind"]; severity: "high" | "medium"; from: number; to: number };

function readRule(line: string): Rule {
  const [kind = "", severity = "", within = "", ...needs] = line.trim().split(/\s+/);
  const bits = needs.map((need) =>
    need.split("|").reduce((sum, name) => sum | (bitOf[name as keyof typeof bitOf] ?? fail(name)), 0),
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

/** Files with secrets that no tool needs. */
const places =
  /\.ssh|id_rsa|id_ed25519|\/etc\/(?:passwd|shadow)|\.aws\/credentials|\.npmrc|\.netrc|\.git-credentials|\.cursor\/mcp\.json|claude_desktop_config|\.kube\/config|^\.env$/;
const isAscii = /^[\0-\x7f]*$/;
const mayBeSpecial = /[/@._]/;
const isAddress = /^\W{0,9}https?:\/\/|@[a-z0-9-]{1,64}\.[a-z]/;
const isEnd = /[.!?;\n。！？؛।]/;
/** Words of one text, with what stands between them; spaces part what may be an address. */
const chunks = /[^\s"'()<>{}[\]=,]+|\n/g;
const letters = /[a-z0-9'’\u0080-\u{10ffff}]+|[.!?;\n]$/gu;
const notLetters =
  /[\u0080-\u00bf\u2000-\u206f\u3000-\u3004\u3008-\u303f\uff00-\uff0f\uff1a-\uff1f\u060c\u061b\u061f\u0964]+/gu;
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;
/** A word of so many letters is several. */
const minRun = 18;
const maxEntry = 24;
/** How far a new sentence is from the one before, in words. */
const gap = 4;
/** How far a "not" reaches. */
const maxNot = 4;

type Word = { bits: number; at: number; from: number; to: number };

/** Orders to a model, judged by what words do in a sentence; linear in the length of the text. */
export function findFeatures(text: string, isLoose = false): FeatureFound[] {
  const folded = foldText(text);
  const words = readWords(folded.text, isLoose);
  return judge(words).map((one) => ({ ...one, from: folded.at(one.from), to: folded.at(one.to) }));
}

/** What only an order speaks of; a text that was hidden and speaks of several of these is one, however it is worded. */
const telling = ["revoke", "replace", "orders", "tell", "untold", "people", "hide", "send", "loot", "talk"] as const;
const supporting = [
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
const bitsOfAll = (names: readonly (keyof typeof bitOf)[]) => names.reduce((sum, name) => sum | bitOf[name], 0);
const minTelling = 2;
const minAll = 3;

/** Whether a text that was hidden is about the user, the rules, secrets or sending. */
export function isAboutOrders(text: string): boolean {
  let bits = 0;
  for (const word of readWords(foldText(text).text, false)) bits |= word.bits;
  const own = countBits(bits & bitsOfAll(telling));
  return own >= minTelling && own + countBits(bits & bitsOfAll(supporting)) >= minAll;
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

export type Token = { word: string; from: number; special: number };

/** Addresses and paths are one token. */
export function tokensOf(text: string): Token[] {
  const found: Token[] = [];
  const spaced = isAscii.test(text)
    ? text
    : text.replaceAll(notLetters, (signs) => (isEnd.test(signs) ? ";" : " ").padEnd(signs.length));
  for (const { 0: chunk, index } of spaced.matchAll(chunks)) {
    const special = mayBeSpecial.test(chunk) ? classOf(chunk) : 0;
    if (special !== 0) found.push({ word: chunk, from: index, special });
    else for (const { 0: word, index: at } of chunk.matchAll(letters)) found.push({ word, from: index + at, special });
  }
  return found;
}

function classOf(chunk: string): number {
  return isAddress.test(chunk) ? bitOf.url : places.test(chunk) ? bitOf.place : 0;
}

function readWords(text: string, isLoose: boolean): Word[] {
  const lexicon = isLoose ? loose() : strict();
  const found: Word[] = [];
  const all = tokensOf(text);
  const spelled = all.map(({ word }) => (isLoose ? loosen(word) : word));
  let at = 0;
  for (const [place, { word, from, special }] of all.entries()) {
    at += word.length === 1 && isEnd.test(word) ? gap : 1;
    const to = from + word.length;
    if (special !== 0) found.push({ bits: special, at, from, to });
    else if (unspaced.test(word) || word.length >= minRun) at = readRun(spelled[place] ?? "", from, at, lexicon, found);
    else {
      const bits = bitsOf(spelled, place, lexicon, isLoose ? known.loose : known.strict);
      if (bits !== 0) found.push({ bits, at, from, to });
    }
  }
  return markUntold(found);
}

/** Not to tell is one idea: most languages put the "not" shortly before, some shortly after. */
function markUntold(words: Word[]): Word[] {
  let no = Number.NEGATIVE_INFINITY;
  let tell: Word | undefined;
  for (const word of words) {
    if (word.bits & bitOf.no) no = word.at;
    if (word.bits & bitOf.tell) {
      if (word.at - no <= maxNot) word.bits |= bitOf.untold;
      tell = word;
    }
    if (word.bits & bitOf.notLate && tell && word.at - tell.at <= maxNot) tell.bits |= bitOf.untold;
  }
  return words;
}

const known = { strict: new Map<string, number>(), loose: new Map<string, number>() };
const maxKnown = 20_000;

/** The classes of a word by its stem, and of an expression that begins with it. */
function bitsOf(words: readonly string[], place: number, lexicon: Lexicon, memo: Map<string, number>): number {
  const word = (words[place] ?? "").replace(/['’]+$/, "");
  let bits = memo.get(word);
  if (bits === undefined) {
    bits = 0;
    for (let size = 2; size <= Math.min(word.length, maxEntry); size++)
      bits |= lexicon.stems.get(word.slice(0, size)) ?? 0;
    if (memo.size >= maxKnown) memo.clear();
    memo.set(word, bits);
  }
  for (const entry of lexicon.words.get(word) ?? []) {
    const fits = entry.rest.every((part, at) => {
      const next = words[place + 1 + at] ?? "";
      return entry.isStem && at === entry.rest.length - 1 ? next.startsWith(part) : next === part;
    });
    if (fits) bits |= entry.bits;
  }
  return bits;
}

const lengths = new WeakMap<Lexicon, ReadonlyMap<string, number>>();

/** The longest entry that begins with these two signs: most places of a text begin none. */
function lengthsOf(lexicon: Lexicon): ReadonlyMap<string, number> {
  const known = lengths.get(lexicon);
  if (known) return known;
  const made = new Map<string, number>();
  for (const entry of lexicon.runs.keys())
    made.set(entry.slice(0, 2), Math.max(made.get(entry.slice(0, 2)) ?? 0, entry.length));
  lengths.set(lexicon, made);
  return made;
}

/** Words of scripts without spaces, or with the spaces left out: the longest entry at each place. */
function readRun(run: string, index: number, start: number, lexicon: Lexicon, found: Word[]): number {
  const { runs } = lexicon;
  const longest = lengthsOf(lexicon);
  let at = start;
  for (let from = 0; from < run.length; ) {
    let size = Math.max(1, Math.min(longest.get(run.slice(from, from + 2)) ?? 1, maxEntry, run.length - from));
    while (size > 1 && !runs.has(run.slice(from, from + size))) size -= 1;
    const bits = size > 1 ? (runs.get(run.slice(from, from + size)) ?? 0) : 0;
    at += size > 1 ? 1 : 0.4;
    if (bits !== 0) found.push({ bits, at, from: index + from, to: index + from + size });
    from += size;
  }
  return at;
}

function judge(words: readonly Word[]): FeatureFound[] {
  const last: Word[] = [];
  const found = new Map<Rule, FeatureFound>();
  const latest = (bits: number, since: number): Word | undefined => {
    let best: Word | undefined;
    for (let left = bits; left !== 0; left &= left - 1) {
      const one = last[31 - Math.clz32(left & -left)];
      if (one && one.at >= since && (best === undefined || one.at > best.at)) best = one;
    }
    return best;
  };
  for (const word of words) {
    for (let left = word.bits; left !== 0; left &= left - 1) last[31 - Math.clz32(left & -left)] = word;
    for (const rule of rules) {
      if ((rule.uses & word.bits) === 0 || found.has(rule)) continue;
      const parts = rule.needs.map((need) => latest(need, word.at - rule.within));
      if (!parts.every((part) => part !== undefined)) continue;
      const from = Math.min(...parts.map((part) => part.from));
      found.set(rule, { kind: rule.kind, severity: rule.severity, from, to: word.to });
    }
  }
  return [...found.values()];
}
