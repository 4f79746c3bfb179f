const plainWord = /^[A-Za-z0-9_][A-Za-z0-9_./:-]*$/;

/** One word for a shell that means exactly this text. Only what is beyond doubt is left without quotes. */
export function shellQuote(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
