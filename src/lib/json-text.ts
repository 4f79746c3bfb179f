import { mayLoseNumbers, parseExactly } from "./exact-numbers.ts";

const texts = new WeakMap<object, string>();

/** Notes the JSON that a value was read from, so that it can be passed on as it came. Whoever changes the value makes another. */
export function rememberText(value: object, text: string): void {
  texts.set(value, text);
}

/** The JSON that exactly this value was read from, where it is known. */
export function textOf(value: object): string | undefined {
  return texts.get(value);
}

/**
 * From now on it is written anew: what was looked into and what is passed on must be the same to every reader. Only
 * numbers that would become others stay as they were.
 */
export function rewriteText(value: object): void {
  const text = texts.get(value);
  if (text !== undefined && mayLoseNumbers(text)) texts.set(value, JSON.stringify(parseExactly(text)));
  else texts.delete(value);
}
