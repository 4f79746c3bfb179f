import type { RequestId } from "./message.ts";

const edgeBytes = 1024;

/** Both ends of a message that was too large to keep. */
export type Oversized = { head: string; tail: string; bytes: number };

const beginsMessage = /^\s*[{[]/;

/** Keeps a kilobyte of either end. */
export function createOversized() {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let bytes = 0;
  return {
    add(chunk: Buffer): void {
      if (head.length < edgeBytes)
        head = Buffer.concat([head, chunk.subarray(0, edgeBytes - head.length)]);
      tail = Buffer.concat([tail, chunk.subarray(-edgeBytes)]).subarray(-edgeBytes);
      bytes += chunk.length;
    },
    isMessage: () => beginsMessage.test(head.toString("utf8")),
    finish: (): Oversized => ({ head: head.toString("utf8"), tail: tail.toString("utf8"), bytes }),
  };
}

/** The request it answers, where an end tells. A request answers none. */
export function findOversizedId({ head, tail }: Oversized): RequestId | undefined {
  if (!/^\s*\{/.test(head)) return undefined;
  const headMembers = firstMembers(head);
  const tailMembers = lastMembers(tail);
  if (headMembers.has("method") || tailMembers.has("method")) return undefined;
  return idIn(tailMembers) ?? idIn(headMembers);
}

function idIn(members: Map<string, string>): RequestId | undefined {
  const text = members.get("id");
  if (text === undefined) return undefined;
  const id = parse(text);
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Whole members within its beginning, as text. */
function firstMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let memberStart = 0;
  let key: unknown;
  for (const { 0: token, 1: closing, index } of text.matchAll(/"(?:[^"\\]|\\.)*("?)|[{}[\],:]/gs)) {
    if (closing === "") break;
    if (depth === 1 && token === ":") {
      key = parse(text.slice(memberStart, index));
      memberStart = index + 1;
    } else if (depth === 1 && (token === "," || token === "}")) {
      if (typeof key === "string") members.set(key, text.slice(memberStart, index));
      memberStart = index + 1;
    }
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (memberStart === 0) memberStart = index + 1;
  }
  return members;
}

/** From its end, backwards: it may begin in the middle of anything. */
function lastMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let end = -1;
  let value: string | undefined;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const token = text[index];
    const keyEnd = index;
    if (token === '"') {
      index = openingQuote(text, index);
      if (index < 0) break;
      if (depth !== 1 || value === undefined) continue;
      const key = parse(text.slice(index, keyEnd + 1));
      if (typeof key !== "string") continue;
      if (!members.has(key)) members.set(key, value);
      value = undefined;
    } else if (token === "}" || token === "]") {
      if (depth === 0 && token === "]") break;
      if (depth === 0) end = index;
      depth += 1;
    } else if (token === "{" || token === "[") {
      depth -= 1;
      if (depth === 0) break;
    } else if (depth === 1 && token === ",") {
      end = index;
    } else if (depth === 1 && token === ":") {
      value = text.slice(index + 1, end);
    }
  }
  return members;
}

/** Negative when it lies, or may lie, before the text. */
function openingQuote(text: string, closing: number): number {
  let quoteIndex = closing;
  while (quoteIndex > 0) {
    quoteIndex = text.lastIndexOf('"', quoteIndex - 1);
    let backslashStart = quoteIndex;
    while (backslashStart > 0 && text[backslashStart - 1] === "\\") backslashStart -= 1;
    if (backslashStart <= 0) return -1;
    if ((quoteIndex - backslashStart) % 2 === 0) return quoteIndex;
  }
  return -1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
