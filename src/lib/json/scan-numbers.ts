import { endOfString } from "./json-members.ts";

/** Texts of numbers by key, for each object and list that has some. */
type NumberTree = Map<string, NumberTree | string>;

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
): NumberTree | string | undefined {
  let position = 0;
  /** To the next character that is no space; those of JSON are all below it. */
  const skipSpace = (): number => {
    let code = text.charCodeAt(position);
    while (code <= 0x20) {
      position += 1;
      code = text.charCodeAt(position);
    }
    return code;
  };
  const scanList = (): NumberTree | undefined => {
    let numbers: NumberTree | undefined;
    position += 1;
    for (let index = 0; skipSpace() !== closeBracket; index += 1) {
      const inner = scan();
      if (inner !== undefined) numbers = (numbers ?? new Map()).set(String(index), inner);
      if (skipSpace() === comma) position += 1;
    }
    position += 1;
    return numbers;
  };
  const scanObject = (): NumberTree | undefined => {
    let numbers: NumberTree | undefined;
    position += 1;
    while (skipSpace() !== closeBrace) {
      const from = position;
      position = endOfString(text, position) + 1;
      const end = position;
      if (skipSpace() === colon) position += 1;
      const inner = scan();
      if (inner !== undefined)
        numbers = (numbers ?? new Map()).set(JSON.parse(text.slice(from, end)), inner);
      // The last of duplicates counts.
      else if (numbers !== undefined) numbers.delete(JSON.parse(text.slice(from, end)));
      if (skipSpace() === comma) position += 1;
    }
    position += 1;
    return numbers;
  };
  const scanPlain = (first: number): string | undefined => {
    const from = position;
    let hasExponent = false;
    for (;;) {
      position += 1;
      const code = text.charCodeAt(position);
      if (code === 0x65 || code === 0x45) hasExponent = true;
      // Nothing that ends a value is a letter, a digit, a point or a sign.
      if (!(code > 0x20) || code === comma || code === closeBracket || code === closeBrace) break;
    }
    const isNumber = first === minus || (first >= zero && first <= nine);
    const isSignedZero = first === minus && text.charCodeAt(from + 1) === zero;
    if (!isNumber || (position - from < shortLength && !hasExponent && !isSignedZero))
      return undefined;
    const number = text.slice(from, position);
    return isWanted(number) ? number : undefined;
  };
  const scan = (): NumberTree | string | undefined => {
    const code = skipSpace();
    if (code === openBrace) return scanObject();
    if (code === openBracket) return scanList();
    if (code !== quote) return scanPlain(code);
    position = endOfString(text, position) + 1;
    return undefined;
  };
  return scan();
}
