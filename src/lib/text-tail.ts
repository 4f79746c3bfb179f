import { plainText } from "./plain-text.ts";
import { redact } from "./redact.ts";

/** Keeps the last part of a text stream, made safe to print and to keep. */
export function createTextTail(limit: number): { add(text: string): void; text(): string } {
  let kept = "";
  let cut = false;
  return {
    add(text) {
      const whole = kept + text;
      cut ||= whole.length > limit;
      kept = whole.slice(-limit);
    },
    // A word whose beginning is gone may be the end of a secret that no pattern knows any more.
    text: () => redact(plainText(cut ? kept.replace(/^\S*/, "") : kept)).trim(),
  };
}
