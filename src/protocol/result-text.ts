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

/** Notes where the result stands, to pass it on without writing it anew. */
export function noteResultText(message: unknown, text: string, bytes?: Buffer): void {
  if (!isObject(message)) return;
  if (isObject(message.result)) {
    const found = sourceOf(text, bytes);
    if (found !== undefined) rememberText(message.result, found);
  } else if (isObject(message.error) && message.error.data !== undefined && mayLoseNumbers(text)) {
    if (isTooDeep(message.error)) return;
    // Errors are copied on their way, so exact numbers must be in them.
    const { error } = parseExactly(text) as { error: UnknownObject };
    message.error.data = error.data;
  }
}

function sourceOf(text: string, bytes: Buffer | undefined): string | Buffer | undefined {
  const place = placeOfResult(text);
  if (place === undefined) {
    const member = mayLoseNumbers(text) ? memberText(text, "result") : undefined;
    return member === undefined ? undefined : onOneLine(member);
  }
  const [from, end] = place;
  if (bytes === undefined || !isPlainLine(bytes)) return onOneLine(text.slice(from, end));
  const [before, after] = [Buffer.byteLength(text.slice(0, from)), Buffer.byteLength(text.slice(end))];
  return bytes.subarray(before, bytes.length - after);
}

/** Valid UTF-8 on one line. */
function isPlainLine(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0x0d) && !bytes.includes(0x0a);
}

function placeOfResult(text: string): [from: number, end: number] | undefined {
  const isLast = resultLast.exec(text);
  const head = isLast ?? resultFirst.exec(text);
  if (head === null) return undefined;
  const from = head[0].length;
  const end = endOfObject(text, from);
  // Nothing may follow that would become a part of our own answer.
  const isWhole = (isLast ? afterLast : afterFirst).test(text.slice(end, end + 200));
  return isWhole && text.length - end < 200 ? [from, end] : undefined;
}

/** For transports with one message per line. */
function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text;
}
