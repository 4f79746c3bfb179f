import { mayLoseNumbers, parseExactly } from "../lib/exact-numbers.ts";
import { isTooDeep } from "../lib/is-too-deep.ts";
import { endOfObject, memberText } from "../lib/json-members.ts";
import { rememberText } from "../lib/json-text.ts";
import { isObject, type UnknownObject } from "../model/json.ts";

/** The two orders in which servers write their answers. */
const resultLast = /^\{"jsonrpc":"2\.0","id":(?:\d{1,16}|"[^"\\]{1,100}"),"result":(?=\{)/;
const resultFirst = /^\{"result":(?=\{)/;
const afterFirst = /^,"jsonrpc":"2\.0","id":(?:\d{1,16}|"[^"\\]{1,100}")\}\s*$/;
const afterLast = /^\}\s*$/;

/** Notes where in an answer its result stands, so that it can be passed on without being written anew. */
export function noteResultText(message: unknown, text: string): void {
  if (!isObject(message)) return;
  if (isObject(message.result)) {
    const found = resultIn(text) ?? (mayLoseNumbers(text) ? memberText(text, "result") : undefined);
    if (found !== undefined) rememberText(message.result, onOneLine(found));
  } else if (isObject(message.error) && message.error.data !== undefined && mayLoseNumbers(text)) {
    if (isTooDeep(message.error)) return;
    // Errors are copied on their way, so what they say of numbers has to be in them.
    const { error } = parseExactly(text) as { error: UnknownObject };
    message.error.data = error.data;
  }
}

function resultIn(text: string): string | undefined {
  const isLast = resultLast.exec(text);
  const head = isLast ?? resultFirst.exec(text);
  if (head === null) return undefined;
  const from = head[0].length;
  const end = endOfObject(text, from);
  // Nothing may follow that would become a part of our own answer.
  const isWhole = (isLast ? afterLast : afterFirst).test(text.slice(end, end + 200));
  return isWhole && text.length - end < 200 ? text.slice(from, end) : undefined;
}

/** Where messages are lines, one must not have several. Between the parts of JSON any space is as good as another. */
function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text;
}
