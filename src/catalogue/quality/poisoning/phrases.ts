import type { Finding } from "../../../model/catalogue/quality.ts";
import { englishPhrases, mailWord, type Phrase, set, urlWord } from "./english-phrases.ts";

const ignoring = (verbs: string, which: string, orders: string): Phrase[] => [
  { kind: "instruction", gap: 3, isPlain: true, words: [set(verbs), set(which), set(orders)] },
  { kind: "instruction", gap: 3, isPlain: true, words: [set(verbs), set(orders), set(which)] },
];
const concealing = (...words: string[]): Phrase => ({ kind: "concealment", gap: 4, words: words.map(set) });

/** The same few orders in other languages, letters without their accents. */
const foreignPhrases: readonly Phrase[] = [
  ...ignoring(
    "ignoriere ignorieren ignorier vergiss vergessen missachte missachten",
    "alle vorherigen bisherigen fruheren obigen vorigen vorangegangenen",
    "anweisungen anweisung instruktionen regeln vorgaben befehle richtlinien",
  ),
  concealing("ohne", "nutzer benutzer anwender", "informieren sagen fragen mitzuteilen erwahnen"),
  concealing("sage sag erzahle verrate teile informiere erwahne", "nutzer benutzer anwender", "nicht nichts niemals"),
  concealing("sage sag erzahle verrate erwahne informiere", "nicht nichts niemals", "nutzer benutzer anwender"),
  ...ignoring(
    "ignore ignorez ignorer oublie oubliez oublier",
    "toutes tous precedentes precedente anterieures dessus",
    "instructions instruction consignes directives regles",
  ),
  concealing(
    "ne sans jamais",
    "dis dites dire mentionne mentionnez mentionner informe informez informer prevenir",
    "utilisateur l'utilisateur",
  ),
  ...ignoring(
    "ignora ignore ignorar ignoren olvida olvide olvidar omite",
    "todas todos anteriores previas previos",
    "instrucciones instruccion reglas indicaciones directrices ordenes",
  ),
  concealing(
    "no sin nunca",
    "digas diga decir menciones mencione mencionar informes informe informar avises",
    "usuario usuaria",
  ),
  ...ignoring(
    "ignora ignore ignorar dimentica dimenticare esqueca esquecer",
    "tutte tutti precedenti todas anteriores",
    "istruzioni regole direttive instrucoes regras diretrizes",
  ),
];

/** Writing without spaces, and letters that are not Latin. */
const unspacedPhrases: readonly { kind: Finding["kind"]; isPlain?: true; pattern: RegExp }[] = [
  {
    kind: "instruction",
    isPlain: true,
    pattern:
      /(?:忽略|无视|無視|忘记|忘記|不要理会).{0,8}(?:之前|以前|先前|以上|上述|前面|所有|全部).{0,8}(?:指令|指示|说明|說明|提示|规则|規則|命令)/u,
  },
  {
    kind: "concealment",
    pattern: /(?:不要|别|別|切勿|不得|请勿).{0,6}(?:告诉|告訴|告知|通知|提及).{0,6}(?:用户|用戶|使用者)/u,
  },
  {
    kind: "instruction",
    isPlain: true,
    pattern: /(?:以前|これまで|上記|すべて).{0,8}(?:指示|命令|ルール).{0,6}(?:無視|忘れ)/u,
  },
  {
    kind: "instruction",
    isPlain: true,
    pattern: /(?:игнорируй|игнорируйте|забудь|забудьте)[^.]{0,30}(?:инструкции|указания|правила)/iu,
  },
];

/** An address has no beginning that a word could go on from, so its parts are bounded. */
const tokens = /https?:\/\/[^\s)>"']+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}|[\p{L}\p{N}_][\p{L}\p{N}_'’]*/gu;

const phrases = [...englishPhrases, ...foreignPhrases];
const firstWords = new Map<string, Phrase[]>();
for (const phrase of phrases) {
  for (const word of phrase.words[0] ?? []) firstWords.set(word, [...(firstWords.get(word) ?? []), phrase]);
}

const anyUnspaced = new RegExp(unspacedPhrases.map(({ pattern }) => pattern.source).join("|"), "iu");

export type PhraseFound = { kind: Finding["kind"]; from: number; to: number; isPlain: boolean };

type Word = { word: string; from: number; to: number };

/** Most texts lack a word that a phrase needs, and a look for those is quicker than following each. */
export function mayHavePhrases(text: string): boolean {
  const plain = withoutAccents(text).toLowerCase().replaceAll("’", "'");
  const there = new Set<string>();
  for (const [word] of plain.matchAll(/[a-z0-9_][a-z0-9_']*/g)) there.add(word.replace(/'+$/, ""));
  if (plain.includes("http")) there.add(urlWord);
  if (plain.includes("@")) there.add(mailWord);
  return phrases.some(({ words }) => words.every((options) => !options.isDisjointFrom(there))) || mayBeUnspaced(text);
}

/** In a time that grows with the text alone: no word is looked at more often than there are phrases and gaps. */
export function findPhrases(text: string): PhraseFound[] {
  if (!mayHavePhrases(text)) return [];
  const words = wordsOf(withoutAccents(text));
  const found = new Map<Phrase, PhraseFound>();
  for (const [at, { word, from }] of words.entries()) {
    for (const phrase of firstWords.get(word) ?? []) {
      const to = found.has(phrase) ? null : follow(words, at, phrase);
      if (to !== null) found.set(phrase, { kind: phrase.kind, from, to, isPlain: phrase.isPlain === true });
    }
  }
  return [...found.values(), ...findUnspaced(text)];
}

function mayBeUnspaced(text: string): boolean {
  return /[\u0400-\uffff]/.test(text) && anyUnspaced.test(text);
}

function findUnspaced(text: string): PhraseFound[] {
  return unspacedPhrases.flatMap(({ kind, pattern, isPlain = false }) => {
    const found = pattern.exec(text);
    return found ? [{ kind, from: found.index, to: found.index + found[0].length, isPlain }] : [];
  });
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
  for (const { 0: word, index } of text.matchAll(tokens)) {
    const plain = word
      .toLowerCase()
      .replaceAll("’", "'")

      .replace(/[.']+$/, "");
    words.push({ word: classOf(plain), from: index, to: index + word.length });
  }
  return words;
}

function classOf(word: string): string {
  return /^https?:/.test(word) ? urlWord : word.includes("@") ? mailWord : word;
}

/** One letter for one letter, so that places stay what they are. */
function withoutAccents(text: string): string {
  return text.replaceAll(/[\u00c0-\u024f]/g, (letter) => letter.normalize("NFD").charAt(0));
}
