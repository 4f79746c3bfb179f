import type { Finding } from "../../../model/catalogue/quality.ts";

/** Words that follow each other with at most `gap` others between two of them; `isPlain` when it has no other meaning. */
export type Phrase = {
  kind: Finding["kind"];
  words: readonly ReadonlySet<string>[];
  gap: number;
  isPlain?: true;
};

/** An address stands in a phrase as what it is. */
export const urlWord = "<url>";
export const mailWord = "<mail>";

export const set = (text: string) => new Set(text.split(" "));
const people = set("user users user's human humans person people operator anyone them him her");
const orders = set(
  "instruction instructions rule rules prompt prompts guideline guidelines directive directives directions constraints safeguards",
);
const secrets = set(
  "password passwords credential credentials secret secrets token tokens key keys id_rsa ssh env cookie cookies passwd wallet mnemonic",
);
const talk = set("conversation chat history prompt messages thoughts reasoning content contents context");

/** What a description has no reason to say to its reader. */
export const englishPhrases: readonly Phrase[] = [
  {
    kind: "instruction",
    gap: 3,
    isPlain: true,
    words: [
      set("ignore disregard forget"),
      set("previous prior above earlier preceding all"),
      set("instruction instructions prompt prompts guideline guidelines directive directives directions"),
    ],
  },
  {
    kind: "exfiltration",
    gap: 5,
    isPlain: true,
    words: [
      set("send forward post upload transmit exfiltrate email mail leak copy submit share report"),
      set("conversation transcript history prompt secrets credentials password passwords keys everything"),
      set("to at via"),
      set(`${urlWord} ${mailWord}`),
    ],
  },
  {
    kind: "exfiltration",
    gap: 6,
    isPlain: true,
    words: [
      set("always also must additionally silently secretly automatically"),
      set("set add include put call use invoke fill"),
      set("bcc cc recipient recipients"),
      set(mailWord),
    ],
  },
  {
    kind: "exfiltration",
    gap: 4,
    words: [set("always also must silently secretly"), set("set add include put fill"), set("bcc")],
  },
  {
    kind: "instruction",
    gap: 5,
    words: [
      set("when whenever before after if once"),
      set("tool tools function functions"),
      set("other another"),
      set("server servers"),
    ],
  },
  {
    kind: "instruction",
    gap: 3,
    words: [
      set("ignore disregard forget override bypass discard"),
      set("previous prior above earlier preceding existing system all any other your initial original safety"),
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
      set("tell telling mention mentioning inform informing notify notifying reveal revealing disclose alert alerting"),
      people,
    ],
  },
  {
    kind: "concealment",
    gap: 3,
    words: [set("not never don't dont without"), set("mention mentioning reveal disclose"), set("this that it these")],
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
