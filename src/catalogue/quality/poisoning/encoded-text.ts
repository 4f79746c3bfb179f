import type { Finding } from "../../../model/quality.ts";
import { isReadable } from "./decode-hidden.ts";
import { findInstructions } from "./instructions.ts";
import { excerptOf } from "./make-visible.ts";

const shortest = 24;
const longest = 20_000;
const blobs = /[A-Za-z0-9+/_-]+/g;
/** Bytes as numbers, however they are written: 49 67, 49:67, \\x49\\x67, %49%67, 0x49, 0x67. */
const numbers = /(?<![0-9A-Za-z])(?:(?:\\x|0x|%)?[0-9A-Fa-f]{2}[\s:,]{0,2}){16,}/g;

export function mayBeEncoded(text: string): boolean {
  return (
    /[A-Za-z0-9+/_-]{24}/.test(text) ||
    /(?:(?:\\{0,2}x|0x|%)?[0-9A-Fa-f]{2}(?:[\s:,]|\\n){0,2}){12}/.test(text)
  );
}

/** Base64 or numbers that are a text once they are decoded. */
export function findEncodedText(text: string): Omit<Finding, "where">[] {
  const found: Omit<Finding, "where">[] = [];
  const read = [
    ...text.matchAll(numbers).map(({ 0: blob, index }) => ({ index, decoded: decodeNumbers(blob) })),
    ...text.matchAll(blobs).map(({ 0: blob, index }) => ({
      index,
      decoded: blob.length < shortest ? null : decode(blob),
    })),
  ];
  for (const { index, decoded } of read) {
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
  return sentenceIn(text);
}

function decodeNumbers(blob: string): string | null {
  const digits = blob.slice(0, longest).replaceAll(/\\x|0x|[%\s:,]/g, "");
  return sentenceIn(Buffer.from(digits, "hex").toString("utf8"));
}

function sentenceIn(text: string): string | null {
  const isSentence = text.trim().split(/\s+/).length >= 4;
  return isSentence && !text.includes("\ufffd") && isReadable(text) ? text : null;
}
