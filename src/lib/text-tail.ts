import { plainText } from "./plain-text.ts";
import { redact } from "./redact.ts";

/** Keeps the last part of a text stream, made safe to print and to keep. */
export function createTextTail(limit: number): { add(text: string): void; text(): string } {
  let kept = "";
  return {
    add(text) {
      kept = (kept + text).slice(-limit);
    },
    text: () => redact(plainText(kept)).trim(),
  };
}
