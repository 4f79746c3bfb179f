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
type KnownText = { inexact: number; rest?: number | undefined };
const unknownText: KnownText = { inexact: -1 };

/** Notes where the result stands, to pass it on without writing it again. */
export function noteResultText(
  message: unknown,
  text: string,
  bytes?: Buffer,
  knownText = unknownText,
): void {
  if (!isObject(message)) return;
  const mayLose = () => (knownText.inexact < 0 ? mayLoseNumbers(text) : knownText.inexact > 0);
  if (isObject(message.result)) {
    const source = sourceOf(text, bytes, knownText.rest, mayLose);
    if (source !== undefined) rememberText(message.result, source);
  } else if (
    isObject(message.error) &&
    message.error.data !== undefined &&
    knownText.inexact < 0 &&
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
  trailingCharacters: number | undefined,
  mayLose: () => boolean,
): string | Buffer | undefined {
  const range = placeOfResult(text, trailingCharacters);
  if (range === undefined) {
    if (!mayLose()) return undefined;
    const member = memberText(text, "result");
    return member && onOneLine(member);
  }
  const [start, end] = range;
  if (bytes === undefined || !isPlainLine(bytes)) return onOneLine(text.slice(start, end));
  const bytesBefore = Buffer.byteLength(text.slice(0, start));
  const bytesAfter = Buffer.byteLength(text.slice(end));
  return bytes.subarray(bytesBefore, bytes.length - bytesAfter);
}

/** Valid UTF-8 on one line. */
function isPlainLine(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0x0d) && !bytes.includes(0x0a);
}

function placeOfResult(
  text: string,
  trailingCharacters: number | undefined,
): [from: number, end: number] | undefined {
  const isLast = resultLast.exec(text);
  const head = isLast ?? resultFirst.exec(text);
  if (head === null) return undefined;
  const start = head[0].length;
  // What follows has a byte for each character, or is not what may follow.
  const end =
    trailingCharacters === undefined ? endOfObject(text, start) : text.length - trailingCharacters;
  // Nothing may follow that would become a part of our own answer.
  const isFramed = (isLast ? afterLast : afterFirst).test(text.slice(end, end + 200));
  return isFramed && text.length - end < 200 ? [start, end] : undefined;
}

/** For transports with one message per line. */
export function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text;
}
