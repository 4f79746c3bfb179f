import { cutText } from "../lib/cut-text.ts";
import { TransportError } from "../protocol/message.ts";

const longest = 200;
/** What a runtime writes around the reason. */
const around = /^\s*(?:at |File "|Node\.js v|Traceback|node:|\^|~|throw |[{}()[\];]*$)/;
const reasons = /error|exception|fail|cannot|could not|missing|not found|denied|refused|invalid|panic|fatal/i;

/** Of what a process wrote last, the one line that is most likely to say why it ended. */
export function lastWordsOf(said: string): string | null {
  const lines = said
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => !around.test(line));
  const line = telling.findLast((one) => reasons.test(one)) ?? telling.at(-1) ?? lines.at(-1);
  return line === undefined ? null : cutText(line, longest);
}

/** What the other side wrote before a failure, without what is to be hidden. */
export function lastWordsBefore(cause: unknown, hide: (text: string) => string): string | null {
  const words = cause instanceof TransportError ? lastWordsOf(cause.said) : null;
  return words === null ? null : hide(words);
}
