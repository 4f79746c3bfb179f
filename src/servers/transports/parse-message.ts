import { plainText } from "../../lib/text/plain-text.ts";
import { redact } from "../../lib/text/redact.ts";
import { noteResultText } from "../../protocol/result-text.ts";

const shownCharacters = 200;
/** More than is shown, so that a secret is recognised before it is cut. */
const readCharacters = 1_000;

export function noiseText(text: string): string {
  return redact(plainText(text.slice(0, readCharacters)))
    .trim()
    .slice(0, shownCharacters);
}

/** Undefined when it is no JSON. `bytes` where the text is long. */
export function parseMessage(text: string, bytes?: Buffer): unknown {
  try {
    const message: unknown = JSON.parse(text);
    noteResultText(message, text, bytes);
    return message;
  } catch {
    return undefined;
  }
}
