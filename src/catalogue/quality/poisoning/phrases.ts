import type { Finding } from "../../../model/catalogue/quality.ts";

/** Words in this order with at most `gap` others between two of them; `isPlain` if it has no harmless meaning. */
type Phrase = { kind: Finding["kind"]; words: readonly ReadonlySet<string>[]; gap: number; isPlain: boolean };

/** An address stands in a phrase as its class. */
const urlWord = "<url>";
const mailWord = "<mail>";

const groups: Record<string, string> = {
  people: "user users user's human humans person people operator anyone them him her",
  orders:
    "instruction instructions rule rules prompt prompts guideline guidelines directive directives directions constraints safeguards",
  secrets:
    "password passwords credential credentials secret secrets token tokens key keys id_rsa ssh env cookie cookies passwd wallet mnemonic",
  talk: "conversation chat history prompt messages thoughts reasoning content contents context",
  tools: "tool tools function functions",
};

/** One phrase per line: kind, gap, `!` if plain, then the alternatives for each word. `$name` stands for a group. */
const english = `
  instruction 3 ! ignore disregard forget | previous prior above earlier preceding all | instruction instructions prompt prompts guideline guidelines directive directives directions
  exfiltration 5 ! send forward post upload transmit exfiltrate email mail leak copy submit share report | conversation transcript history prompt secrets credentials password passwords keys everything | to at via | <url> <mail>
  exfiltration 6 ! always also must additionally silently secretly automatically | set add include put call use invoke fill | bcc cc recipient recipients | <mail>
  exfiltration 4 always also must silently secretly | set add include put fill | bcc
  instruction 5 when whenever before after if once | $tools | other another | server servers
  instruction 3 ignore disregard forget override bypass discard | previous prior above earlier preceding existing system all any other your initial original safety | $orders
  instruction 2 new updated real actual | $orders | follow obey supersede override replace
  concealment 4 not never don't dont without avoid mustn't shouldn't | tell telling mention mentioning inform informing notify notifying reveal revealing disclose alert alerting | $people
  concealment 3 not never don't dont without | mention mentioning reveal disclose | this that it these
  concealment 3 hide hidden conceal secretly silently keep | from secret | $people
  instruction 3 before prior instead | using calling invoking running use call executing of to | any other all every another | $tools
  secret_request 6 read cat open access load fetch retrieve collect copy | $secrets | pass send include put provide add append attach upload forward submit
  secret_request 6 pass send include put provide add append attach upload forward | secret secrets credentials password passwords ssh id_rsa file's file contents content conversation history prompt | as in into to | argument parameter field sidenote note
  secret_request 4 include pass send provide forward | full entire complete whole all previous | $talk | parameter argument field
`;

/** The same in other languages, without accents. `ignoring` stands for an instruction in either order of words. */
const foreign = `
  ignoring 3 ! ignoriere ignorieren ignorier vergiss vergessen missachte missachten | alle vorherigen bisherigen fruheren obigen vorigen vorangegangenen | anweisungen anweisung instruktionen regeln vorgaben befehle richtlinien
  concealment 4 ohne | nutzer benutzer anwender | informieren sagen fragen mitzuteilen erwahnen
  concealment 4 sage sag erzahle verrate teile informiere erwahne | nutzer benutzer anwender | nicht nichts niemals
  concealment 4 sage sag erzahle verrate erwahne informiere | nicht nichts niemals | nutzer benutzer anwender
  ignoring 3 ! ignore ignorez ignorer oublie oubliez oublier | toutes tous precedentes precedente anterieures dessus | instructions instruction consignes directives regles
  concealment 4 ne sans jamais | dis dites dire mentionne mentionnez mentionner informe informez informer prevenir | utilisateur l'utilisateur
  ignoring 3 ! ignora ignore ignorar ignoren olvida olvide olvidar omite | todas todos anteriores previas previos | instrucciones instruccion reglas indicaciones directrices ordenes
  concealment 4 no sin nunca | digas diga decir menciones mencione mencionar informes informe informar avises | usuario usuaria
  ignoring 3 ! ignora ignore ignorar dimentica dimenticare esqueca esquecer | tutte tutti precedenti todas anteriores | istruzioni regole direttive instrucoes regras diretrizes
`;

function readPhrases(table: string): Phrase[] {
  return table
    .trim()
    .split("\n")
    .flatMap((line): Phrase[] => {
      const [, kind, gap, plain, rest = ""] = /^\s*(\w+) (\d) (! )?(.*)$/.exec(line) ?? [];
      const words = rest.split(" | ").map((word) => new Set((groups[word.slice(1)] ?? word).split(" ")));
      const phrase = { gap: Number(gap), isPlain: plain !== undefined };
      if (kind !== "ignoring") return [{ ...phrase, kind: kind as Finding["kind"], words }];
      const [verbs, which, orders] = words as [Set<string>, Set<string>, Set<string>];
      const inOrder = (...ordered: Set<string>[]) => ({ ...phrase, kind: "instruction" as const, words: ordered });
      return [inOrder(verbs, which, orders), inOrder(verbs, orders, which)];
    });
}

/** Scripts without spaces, and letters that are not Latin. */
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

/** The parts of an address are bounded, so that matching stays linear. */
const tokens = /https?:\/\/[^\s)>"']+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}|[\p{L}\p{N}_][\p{L}\p{N}_'’]*/gu;

const phrases = readPhrases(english + foreign.trimStart());
const firstWords = new Map<string, Phrase[]>();
for (const phrase of phrases) {
  for (const word of phrase.words[0] ?? []) firstWords.set(word, [...(firstWords.get(word) ?? []), phrase]);
}

const anyUnspaced = new RegExp(unspacedPhrases.map(({ pattern }) => pattern.source).join("|"), "iu");

type PhraseFound = { kind: Finding["kind"]; from: number; to: number; isPlain: boolean };

type Word = { word: string; from: number; to: number };

/** Most texts lack a word of every phrase, which is quicker to test than to follow each. */
export function mayHavePhrases(text: string): boolean {
  const plain = withoutAccents(text).toLowerCase().replaceAll("’", "'");
  const there = new Set<string>();
  for (const [word] of plain.matchAll(/[a-z0-9_][a-z0-9_']*/g)) there.add(word.replace(/'+$/, ""));
  if (plain.includes("http")) there.add(urlWord);
  if (plain.includes("@")) there.add(mailWord);
  return phrases.some(({ words }) => words.every((options) => !options.isDisjointFrom(there))) || mayBeUnspaced(text);
}

/** Linear in the length of the text. */
export function findPhrases(text: string): PhraseFound[] {
  if (!mayHavePhrases(text)) return [];
  const words = wordsOf(withoutAccents(text));
  const found = new Map<Phrase, PhraseFound>();
  for (const [at, { word, from }] of words.entries()) {
    for (const phrase of firstWords.get(word) ?? []) {
      const to = found.has(phrase) ? null : follow(words, at, phrase);
      if (to !== null) found.set(phrase, { kind: phrase.kind, from, to, isPlain: phrase.isPlain });
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

/** Where the last word of the phrase ends; the nearest matching words are taken. */
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

/** Letter by letter, so that positions stay. */
function withoutAccents(text: string): string {
  return text.replaceAll(/[\u00c0-\u024f]/g, (letter) => letter.normalize("NFD").charAt(0));
}
