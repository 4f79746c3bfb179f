const escapable = /["'\\\s]/;

/**
 * A command line as a shell would split it, with single and double quotes and a backslash before a quote, a space
 * or a backslash; any other backslash stays, for the sake of Windows paths. Null when a quote is not closed.
 */
export function splitCommand(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && escapable.test(text.charAt(at + 1))) {
      word = (word ?? "") + text.charAt(++at);
    } else if (quote === "" ? /["']/.test(character) : character === quote) {
      quote = quote === "" ? character : "";
      word ??= "";
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (word !== null) words.push(word);
  return quote === "" ? words : null;
}
