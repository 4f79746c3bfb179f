import type { Finding } from "../../model/quality.ts";

/** Words that follow each other with at most `gap` others between two of them. */
type Phrase = { kind: Finding["kind"]; words: readonly ReadonlySet<string>[]; gap: number };

const set = (text: string) => new Set(text.split(" "));
const people = set("user users user's human humans person people operator anyone them him her");
const orders = set(
  "instruction instructions rule rules prompt prompts guideline guidelines directive directives directions constraints safeguards",
);
const secrets = set(
  "password passwords credential credentials secret secrets token tokens key keys id_rsa ssh env cookie cookies mcp.json passwd wallet mnemonic",
);
const talk = set("conversation chat history prompt messages thoughts reasoning content contents context");

/** What a description has no reason to say to its reader. */
const phrases: readonly Phrase[] = [
  {
    kind: "instruction",
    gap: 3,
    words: [
      set("ignore disregard forget override bypass discard"),
      set(
        "previous prior above earlier preceding existing system all any other your initial original safety",
      ),
      orders,
    ],
  },
  {
    kind: "instruction",
    gap: 2,
    words: [set("new updated real actual"), orders, set("follow obey supersede override replace")],
  },
  {
    kind: "concealment",
    gap: 4,
    words: [
      set("not never don't dont without avoid mustn't shouldn't"),
      set(
        "tell telling mention mentioning inform informing notify notifying reveal revealing disclose alert alerting",
      ),
      people,
    ],
  },
  {
    kind: "concealment",
    gap: 3,
    words: [
      set("not never don't dont without"),
      set("mention mentioning reveal disclose"),
      set("this that it these"),
    ],
  },
  {
    kind: "concealment",
    gap: 3,
    words: [set("hide hidden conceal secretly silently keep"), set("from secret"), people],
  },
  {
    kind: "instruction",
    gap: 3,
    words: [
      set("before prior instead"),
      set("using calling invoking running use call executing of to"),
      set("any other all every another"),
      set("tool tools function functions"),
    ],
  },
  {
    kind: "secret_request",
    gap: 6,
    words: [
      set("read cat open access load fetch retrieve collect copy"),
      secrets,
      set("pass send include put provide add append attach upload forward submit"),
    ],
  },
  {
    kind: "secret_request",
    gap: 6,
    words: [
      set("pass send include put provide add append attach upload forward"),
      set(
        "secret secrets credentials password passwords ssh id_rsa file's file contents content conversation history prompt",
      ),
      set("as in into to"),
      set("argument parameter field sidenote note"),
    ],
  },
  {
    kind: "secret_request",
    gap: 4,
    words: [
      set("include pass send provide forward"),
      set("full entire complete whole all previous"),
      talk,
      set("parameter argument field"),
    ],
  },
];

const firstWords = new Map<string, Phrase[]>();
for (const phrase of phrases) {
  for (const word of phrase.words[0] ?? []) firstWords.set(word, [...(firstWords.get(word) ?? []), phrase]);
}

/** Most texts lack a word that a phrase needs, and a look for those is quicker than taking the text apart. */
const needed = phrases.map(({ words }) => words.map(anyOf).toReversed());

function anyOf(words: ReadonlySet<string>): RegExp {
  const spelled = [...words].map((word) => word.replaceAll(".", "\\.").replaceAll("'", "['’]"));
  return new RegExp(`(?<!\\w)(?:${spelled.join("|")})(?!\\w)`, "i");
}

export type PhraseFound = { kind: Finding["kind"]; from: number; to: number };

type Word = { word: string; from: number; to: number };

export function mayHavePhrases(text: string): boolean {
  return needed.some((all) => all.every((pattern) => pattern.test(text)));
}

/** In a time that grows with the text alone: no word is looked at more often than there are phrases and gaps. */
export function findPhrases(text: string): PhraseFound[] {
  if (!mayHavePhrases(text)) return [];
  const words = wordsOf(text);
  const found = new Map<Phrase, PhraseFound>();
  for (const [at, { word, from }] of words.entries()) {
    for (const phrase of firstWords.get(word) ?? []) {
      const to = found.has(phrase) ? null : follow(words, at, phrase);
      if (to !== null) found.set(phrase, { kind: phrase.kind, from, to });
    }
  }
  return [...found.values()];
}

/** Where the last word of the phrase ends. The nearest word that fits is taken. */
function follow(words: readonly Word[], start: number, { words: wanted, gap }: Phrase): number | null {
  let at = start;
  for (const options of wanted.slice(1)) {
    const next = words.slice(at + 1, at + 2 + gap).findIndex(({ word }) => options.has(word));
    if (next < 0) return null;
    at += 1 + next;
  }
  return words[at]?.to ?? null;
}

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}_][\p{L}\p{N}_.'’]*/gu)) {
    const plain = word
      .toLowerCase()
      .replaceAll("’", "'")
      .replace(/[.']+$/, "");
    words.push({ word: plain, from: index, to: index + word.length });
  }
  return words;
}
