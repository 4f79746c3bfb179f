import { sliceText } from "./cut-text.ts";

/** What somebody else wrote, as it is repeated to them: the beginning, with a sign that there was more. */
export function shorten(text: string, limit = 60): string {
  return text.length > limit ? `${sliceText(text, 0, limit)}…` : text;
}
