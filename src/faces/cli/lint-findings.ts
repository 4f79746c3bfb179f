import { plainText } from "../../lib/text/plain-text.ts";
import type { Finding, ToolReview } from "../../model/catalogue/quality.ts";

const meanings: Record<Finding["kind"], string> = {
  hidden_text: "text in characters that nobody sees",
  invisible_characters: "invisible characters",
  direction_controls: "characters that change the direction of writing",
  lookalike_letters: "letters of another script that look like Latin ones",
  escape_sequence: "control sequences for a terminal",
  instruction: "an order to the model",
  concealment: "something to be kept from the user",
  secret_request: "a request for secrets",
  pseudo_tag: "a tag that pretends to be a prompt",
  encoded_text: "encoded text",
  cross_reference: "a tool of another server",
  overlong: "a very long text",
  hidden_comment: "a comment that no reader sees",
  padding: "empty space before more text",
  disguised_text: "an order in disguise",
  exfiltration: "data to be sent elsewhere",
};

/** What was found, where, and what it says. */
export function renderFinding({ kind, severity, where, excerpt, decoded }: Finding): string {
  const says = decoded === null ? "" : ` → ${JSON.stringify(decoded)}`;
  return plainText(`${severity}: ${meanings[kind]} at ${where}: ${JSON.stringify(excerpt)}${says}`);
}

/** The same in a few words, for a list; empty when there is nothing to say. */
export function renderReviewNote(review: ToolReview | undefined): string {
  if (!review) return "";
  const serious = review.findings.filter(({ severity }) => severity !== "low");
  const notes = [
    ...(review.change === null ? [] : [review.change === "new" ? "new" : "changed since it was pinned"]),
    ...new Set(serious.map(({ kind }) => meanings[kind])),
  ];
  return notes.length === 0 ? "" : `(look at it: ${notes.join(", ")}) `;
}
