import type { Finding } from "../../model/quality.ts";
import { isReadable } from "./decode-hidden.ts";
import { findInstructions } from "./instructions.ts";
import { excerptOf } from "./make-visible.ts";

const shortest = 24;
const longest = 20_000;
const blobs = /[A-Za-z0-9+/_-]+/g;

export function mayBeEncoded(text: string): boolean {
  return /[A-Za-z0-9+/_-]{24}/.test(text);
}

/** Base64 that is a text once it is decoded. */
export function findEncodedText(text: string): Omit<Finding, "where">[] {
  const found: Omit<Finding, "where">[] = [];
  for (const { 0: blob, index } of text.matchAll(blobs)) {
    const decoded = blob.length < shortest ? null : decode(blob);
    if (decoded === null) continue;
    const severity = findInstructions(decoded).length > 0 ? "high" : "medium";
    const excerpt = excerptOf(text, index, index + shortest);
    found.push({ kind: "encoded_text", severity, excerpt, decoded: decoded.slice(0, 500) });
    if (found.length === 3) break;
  }
  return found;
}

function decode(blob: string): string | null {
  // Words joined by dashes or slashes are of one case, and base64 of a sentence is not.
  if (!/[a-z]/.test(blob) || !/[A-Z]/.test(blob)) return null;
  const text = Buffer.from(blob.slice(0, longest), "base64").toString("utf8");
  const isSentence = text.trim().split(/\s+/).length >= 4;
  return isSentence && !text.includes("\ufffd") && isReadable(text) ? text : null;
}
