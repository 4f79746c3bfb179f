import { endOfString } from "./json-members.ts";

/** Texts of numbers by key, for each object and list that has some. */
type Found = Map<string, Found | string>;

const quote = 0x22;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
/** A shorter number without an exponent is always read as it is written. */
const shortLength = 16;

/** One pass over valid JSON that is not too deep. A reviver would take a hundred times as long. */
export function scanNumbers(
  text: string,
  isWanted: (number: string) => boolean,
): Found | string | undefined {
  let at = 0;
  /** To the next character that is no space; those of JSON are all below it. */
  const skipSpace = (): number => {
    let code = text.charCodeAt(at);
    while (code <= 0x20) {
      at += 1;
      code = text.charCodeAt(at);
    }
    return code;
  };
  const scanList = (): Found | undefined => {
    let found: Found | undefined;
    at += 1;
    for (let index = 0; skipSpace() !== closeBracket; index += 1) {
      const inner = scan();
      if (inner !== undefined) found = (found ?? new Map()).set(String(index), inner);
      if (skipSpace() === comma) at += 1;
    }
    at += 1;
    return found;
  };
  const scanObject = (): Found | undefined => {
    let found: Found | undefined;
    at += 1;
    while (skipSpace() !== closeBrace) {
      const from = at;
      at = endOfString(text, at) + 1;
      const end = at;
      if (skipSpace() === colon) at += 1;
      const inner = scan();
      if (inner !== undefined)
        found = (found ?? new Map()).set(JSON.parse(text.slice(from, end)), inner);
      // The last of duplicates counts.
      else if (found !== undefined) found.delete(JSON.parse(text.slice(from, end)));
      if (skipSpace() === comma) at += 1;
    }
    at += 1;
    return found;
  };
  const scanPlain = (first: number): string | undefined => {
    const from = at;
    let hasExponent = false;
    for (;;) {
      at += 1;
      const code = text.charCodeAt(at);
      if (code === 0x65 || code === 0x45) hasExponent = true;
      // Nothing that ends a value is a letter, a digit, a point or a sign.
      if (!(code > 0x20) || code === comma || code === closeBracket || code === closeBrace) break;
    }
    const isNumber = first === minus || (first >= zero && first <= nine);
    const isSignedZero = first === minus && text.charCodeAt(from + 1) === zero;
    if (!isNumber || (at - from < shortLength && !hasExponent && !isSignedZero)) return undefined;
    const number = text.slice(from, at);
    return isWanted(number) ? number : undefined;
  };
  const scan = (): Found | string | undefined => {
    const code = skipSpace();
    if (code === openBrace) return scanObject();
    if (code === openBracket) return scanList();
    if (code !== quote) return scanPlain(code);
    at = endOfString(text, at) + 1;
    return undefined;
  };
  return scan();
}
