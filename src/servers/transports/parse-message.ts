import { cutDeep } from "../../lib/json/cut-deep.ts";
import { maxDepth, measureJson, readJson } from "../../lib/json/measure-json.ts";
import { shorten } from "../../lib/text/cut-text.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { redact } from "../../lib/text/redact.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../../model/json.ts";
import { listings } from "../../protocol/list-all.ts";
import { findOversizedId } from "../../protocol/oversized-id.ts";
import { noteResultText } from "../../protocol/result-text.ts";

const shownCharacters = 200;
/** More than is shown, so that a secret is recognised before it is cut. */
const readCharacters = 1_000;

export function noiseText(text: string): string {
  return redact(plainText(text.slice(0, readCharacters)))
    .trim()
    .slice(0, shownCharacters);
}

const byteOrderMark = 0xfeff;
const byteOrderMarkBytes = 3;

/** Undefined when it is not JSON. `bytes` where the text is long. */
export function parseMessage(text: string, bytes?: Buffer): unknown {
  // .NET and PowerShell begin their output with it.
  if (text.charCodeAt(0) === byteOrderMark)
    return parseMessage(text.slice(1), bytes?.subarray(byteOrderMarkBytes));
  const measured = measureJson(text, undefined, bytes);
  if (measured.tooMuch !== null)
    return (measured.isTooDeep && shallowListing(text)) || unreadable(text, measured.tooMuch);
  try {
    const parsed: unknown = JSON.parse(text);
    const message =
      Array.isArray(parsed) && parsed.length > maxBatch ? keepAnswers(parsed) : parsed;
    if (text.length > maxExcerptLength && isObject(message)) shortenExcerpt(message);
    noteResultText(message, text, bytes, measured);
    return message;
  } catch {
    return undefined;
  }
}

/** One entry of a list costs only itself: what is nested too deeply is cut, and the entry is rejected by its reader. */
function shallowListing(text: string): unknown {
  const message = readJson(cutDeep(text, maxDepth));
  const result = objectOrEmpty(objectOrEmpty(message).result);
  const isListing = Object.values(listings).some((key) => Array.isArray(result[key]));
  return isListing && result.content === undefined ? message : undefined;
}

/** All of them are taken in one turn. */
const maxBatch = 1_000;

/** Answers are waited for; of what else a server says at once, the first is enough. */
function keepAnswers(batch: unknown[]): unknown[] {
  return batch.filter(
    (message, index) => index < maxBatch || (isObject(message) && message.method === undefined),
  );
}

/** The request fails at once and by name. */
function unreadable(text: string, problem: string): unknown {
  const edge = 1_000;
  const id = findOversizedId({
    head: text.slice(0, edge),
    tail: text.slice(-edge),
    bytes: text.length,
  });
  if (id === undefined) return undefined;
  return {
    jsonrpc: "2.0",
    id,
    error: { code: -32603, message: `its answer cannot be read: ${problem}` },
  };
}

/** More is read by no one, and each reader looks through it for secrets. */
const maxExcerptLength = 32 * 1024;

/** Results pass whole; errors and progress are words. */
function shortenExcerpt({ error, params }: UnknownObject): void {
  for (const part of [error, params] as UnknownObject[])
    if (isObject(part) && typeof part.message === "string")
      part.message = shorten(part.message, maxExcerptLength);
  if (
    isObject(error) &&
    error.data !== undefined &&
    JSON.stringify(error.data).length > maxExcerptLength
  )
    error.data = {
      toolplane: `The data of this error was left out: it is longer than ${maxExcerptLength} characters.`,
    };
}
