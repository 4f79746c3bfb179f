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

/** Notes where in an answer its result stands, so that it can be passed on without being written anew. */
export function noteResultText(message: unknown, text: string, bytes?: Buffer): void {
  if (!isObject(message)) return;
  if (isObject(message.result)) {
    const found = sourceOf(text, bytes);
    if (found !== undefined) rememberText(message.result, found);
  } else if (isObject(message.error) && message.error.data !== undefined && mayLoseNumbers(text)) {
    if (isTooDeep(message.error)) return;
    // Errors are copied on their way, so what they say of numbers has to be in them.
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

/** Read as text it is the same again, and on one line. */
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

/** Where messages are lines, one must not have several. Between the parts of JSON any space is as good as another. */
function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text;
}
