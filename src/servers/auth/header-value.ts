/** Can it stand in a header, and not end it? */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
