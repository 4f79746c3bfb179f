import { isUtf8 } from "node:buffer";
import { isTooDeep, mayLoseNumbers, parseExactly } from "../lib/json/exact-numbers.ts";
import { endOfObject, memberText } from "../lib/json/json-members.ts";
import { rememberText } from "../lib/json/json-text.ts";
import { isObject, type UnknownObject } from "../model/json.ts";

/** The two orders in which servers write their answers. */
const resultLast = /^\{"jsonrpc":"2\.0","id":(?:\d{1,16}|"[^"\\]{1,100}"),"result":(?=\{)/;
const resultFirst = /^\{"result":(?=\{)/;
const afterFirst = /^,"jsonrpc":"2\.0","id":(?:\d{1,16}|"[^"\\]{1,100}")\}\s*$/;
const afterLast = /^\}\s*$/;

/** What is known of a long text, so that it is not looked through again. */
type Known = { inexact: number; rest?: number | undefined };
const unknown: Known = { inexact: -1 };

/** Notes where the result stands, to pass it on without writing it again. */
export function noteResultText(
  message: unknown,
  text: string,
  bytes?: Buffer,
  known = unknown,
): void {
  if (!isObject(message)) return;
  const mayLose = () => (known.inexact < 0 ? mayLoseNumbers(text) : known.inexact > 0);
  if (isObject(message.result)) {
    const found = sourceOf(text, bytes, known.rest, mayLose);
    if (found !== undefined) rememberText(message.result, found);
  } else if (
    isObject(message.error) &&
    message.error.data !== undefined &&
    known.inexact < 0 &&
    mayLose()
  ) {
    if (isTooDeep(message.error)) return;
    // Errors are copied on their way, so exact numbers must be in them.
    const { error } = parseExactly(text) as { error: UnknownObject };
    message.error.data = error.data;
  }
}

function sourceOf(
  text: string,
  bytes: Buffer | undefined,
  rest: number | undefined,
  mayLose: () => boolean,
): string | Buffer | undefined {
  const place = placeOfResult(text, rest);
  if (place === undefined) {
    const member = mayLose() ? memberText(text, "result") : undefined;
    return member === undefined ? undefined : onOneLine(member);
  }
  const [from, end] = place;
  if (bytes === undefined || !isPlainLine(bytes)) return onOneLine(text.slice(from, end));
  const before = Buffer.byteLength(text.slice(0, from));
  const after = Buffer.byteLength(text.slice(end));
  return bytes.subarray(before, bytes.length - after);
}

/** Valid UTF-8 on one line. */
function isPlainLine(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0x0d) && !bytes.includes(0x0a);
}

function placeOfResult(
  text: string,
  rest: number | undefined,
): [from: number, end: number] | undefined {
  const isLast = resultLast.exec(text);
  const head = isLast ?? resultFirst.exec(text);
  if (head === null) return undefined;
  const from = head[0].length;
  // What follows has a byte for each character, or is not what may follow.
  const end = rest === undefined ? endOfObject(text, from) : text.length - rest;
  // Nothing may follow that would become a part of our own answer.
  const isWhole = (isLast ? afterLast : afterFirst).test(text.slice(end, end + 200));
  return isWhole && text.length - end < 200 ? [from, end] : undefined;
}

/** For transports with one message per line. */
function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text;
}
