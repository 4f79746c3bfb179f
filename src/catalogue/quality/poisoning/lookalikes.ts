import type { Finding } from "../../../model/quality.ts";
import { excerptOf, spellCode } from "./make-visible.ts";

/** Letters of other scripts that look like Latin ones. */
const lookalike = /[асеорхуіјѕԁһӏԛԝАВЕКМНОРСТУХІЈЅοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧν]/u;
const words = /[\p{L}\p{M}]{3,}/gu;

/** Words that are Latin to the eye and something else to whoever compares them. */
export function findLookalikes(text: string): Omit<Finding, "where">[] {
  if (!lookalike.test(text)) return [];
  for (const { 0: word, index } of text.matchAll(words)) {
    const latin = word.match(/[A-Za-z]/g)?.length ?? 0;
    if (latin < 2 || !lookalike.test(word)) continue;
    // Only where everything that is not Latin looks as if it were.
    const rest = [...word].filter((letter) => !/[A-Za-z]/.test(letter));
    if (!rest.every((letter) => lookalike.test(letter))) continue;
    const spelled = [...word].map((letter) => (lookalike.test(letter) ? spellCode(letter) : letter));
    const excerpt = excerptOf(text, index, index + word.length);
    return [{ kind: "lookalike_letters", severity: "medium", excerpt, decoded: spelled.join("") }];
  }
  return [];
}
