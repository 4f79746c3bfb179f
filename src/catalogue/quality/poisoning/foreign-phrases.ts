import type { Finding } from "../../../model/quality.ts";
import { type Phrase, set } from "./english-phrases.ts";

const ignoring = (verbs: string, which: string, orders: string): Phrase[] => [
  { kind: "instruction", gap: 3, isPlain: true, words: [set(verbs), set(which), set(orders)] },
  { kind: "instruction", gap: 3, isPlain: true, words: [set(verbs), set(orders), set(which)] },
];
const concealing = (...words: string[]): Phrase => ({ kind: "concealment", gap: 4, words: words.map(set) });

/** The same few orders in other languages, letters without their accents. */
export const foreignPhrases: readonly Phrase[] = [
  ...ignoring(
    "ignoriere ignorieren ignorier vergiss vergessen missachte missachten",
    "alle vorherigen bisherigen fruheren obigen vorigen vorangegangenen",
    "anweisungen anweisung instruktionen regeln vorgaben befehle richtlinien",
  ),
  concealing("ohne", "nutzer benutzer anwender", "informieren sagen fragen mitzuteilen erwahnen"),
  concealing(
    "sage sag erzahle verrate teile informiere erwahne",
    "nutzer benutzer anwender",
    "nicht nichts niemals",
  ),
  concealing(
    "sage sag erzahle verrate erwahne informiere",
    "nicht nichts niemals",
    "nutzer benutzer anwender",
  ),
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
export const unspacedPhrases: readonly { kind: Finding["kind"]; isPlain?: true; pattern: RegExp }[] = [
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
