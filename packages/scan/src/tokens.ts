import { type Folded, foldText } from "./fold.ts";
import { bitOf } from "./lexicon.ts";

/** Files with secrets that no tool needs. */
const places =
  /\.ssh|id_rsa|id_ed25519|\/etc\/(?:passwd|shadow)|\.aws\/credentials|\.npmrc|\.netrc|\.git-credentials|\.cursor\/mcp\.json|claude_desktop_config|\.kube\/config|^\.env$/;
const isAscii = /^[\0-\x7f]*$/;
const mayBeSpecial = /[/@._]/;
const isAddress = /^\W{0,9}https?:\/\/|@[a-z0-9-]{1,64}\.[a-z]/;
export const sentenceEnd = /[.!?;\n。！？؛।]/;
/** Words of one text, with what stands between them; spaces part what may be an address. */
const chunkPattern = /[^\s"'()<>{}[\]=,]+|\n/g;
const wordPattern = /[a-z0-9'’\u0080-\u{10ffff}]+|[.!?;\n]$/gu;
const isWord = /^[a-z0-9]+$/;
const isLastWord = /^[a-z0-9]+[.!?;]$/;
const notLetters =
  /[\u0080-\u00bf\u2000-\u206f\u3000-\u3004\u3008-\u303f\uff00-\uff0f\uff1a-\uff1f\u060c\u061b\u061f\u0964]+/gu;

export type Token = { word: string; from: number; specialClass: number };

/** Addresses and paths are one token. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const spaced = isAscii.test(text)
    ? text
    : text.replaceAll(notLetters, (signs) =>
        (sentenceEnd.test(signs) ? ";" : " ").padEnd(signs.length),
      );
  let index = 0;
  // Plain strings and their places: objects of a search would take most of the time.
  for (const chunk of spaced.match(chunkPattern) ?? []) {
    index = spaced.indexOf(chunk, index);
    if (isWord.test(chunk)) tokens.push({ word: chunk, from: index, specialClass: 0 });
    else if (isLastWord.test(chunk)) {
      tokens.push({ word: chunk.slice(0, -1), from: index, specialClass: 0 });
      tokens.push({ word: chunk.slice(-1), from: index + chunk.length - 1, specialClass: 0 });
    } else readChunk(chunk, index, tokens);
    index += chunk.length;
  }
  return tokens;
}

function readChunk(chunk: string, index: number, tokens: Token[]): void {
  const specialClass = mayBeSpecial.test(chunk) ? classOf(chunk) : 0;
  if (specialClass !== 0) return void tokens.push({ word: chunk, from: index, specialClass });
  let offset = 0;
  for (const word of chunk.match(wordPattern) ?? []) {
    // The end of a sentence is a sign of its own, and only the last one counts.
    offset =
      word.length === 1 && sentenceEnd.test(word) ? chunk.length - 1 : chunk.indexOf(word, offset);
    tokens.push({ word, from: index + offset, specialClass });
    offset += word.length;
  }
}

export type TokenizedText = { folded: Folded; tokens: readonly Token[] };

const maxRememberedLength = 10_000;
let lastRead: (TokenizedText & { text: string }) | undefined;

/** Several readers look at a text, one after the other. */
export function readTokens(text: string): TokenizedText {
  if (lastRead?.text === text) return lastRead;
  const folded = foldText(text);
  const tokenized = { text, folded, tokens: tokensOf(folded.text) };
  if (text.length <= maxRememberedLength) lastRead = tokenized;
  return tokenized;
}

function classOf(chunk: string): number {
  if (isAddress.test(chunk)) return bitOf.url;
  return places.test(chunk) ? bitOf.place : 0;
}
