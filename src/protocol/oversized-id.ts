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
    add(piece: Buffer): void {
      if (head.length < edgeBytes)
        head = Buffer.concat([head, piece.subarray(0, edgeBytes - head.length)]);
      tail = Buffer.concat([tail, piece.subarray(-edgeBytes)]).subarray(-edgeBytes);
      bytes += piece.length;
    },
    isMessage: () => beginsMessage.test(head.toString("utf8")),
    finish: (): Oversized => ({ head: head.toString("utf8"), tail: tail.toString("utf8"), bytes }),
  };
}

/** The request it answers, where an end tells. A request answers none. */
export function findOversizedId({ head, tail }: Oversized): RequestId | undefined {
  if (!/^\s*\{/.test(head)) return undefined;
  const first = firstMembers(head);
  const last = lastMembers(tail);
  if (first.has("method") || last.has("method")) return undefined;
  return idIn(last) ?? idIn(first);
}

function idIn(members: Map<string, string>): RequestId | undefined {
  const text = members.get("id");
  const id: unknown = text === undefined ? undefined : parse(text);
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Whole members within its beginning, as text. */
function firstMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let from = 0;
  let key: unknown;
  for (const { 0: token, 1: closing, index } of text.matchAll(/"(?:[^"\\]|\\.)*("?)|[{}[\],:]/gs)) {
    if (closing === "") break;
    if (depth === 1 && token === ":") {
      key = parse(text.slice(from, index));
      from = index + 1;
    } else if (depth === 1 && (token === "," || token === "}")) {
      if (typeof key === "string") members.set(key, text.slice(from, index));
      from = index + 1;
    }
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (from === 0) from = index + 1;
  }
  return members;
}

/** From its end, backwards: it may begin in the middle of anything. */
function lastMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let end = -1;
  let value: string | undefined;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const token = text[at];
    const keyEnd = at;
    if (token === '"') {
      at = openingQuote(text, at);
      if (at < 0) break;
      const key =
        depth === 1 && value !== undefined ? parse(text.slice(at, keyEnd + 1)) : undefined;
      if (typeof key !== "string" || value === undefined) continue;
      if (!members.has(key)) members.set(key, value);
      value = undefined;
    } else if (token === "}" || token === "]") {
      if (depth === 0 && token === "]") break;
      if (depth === 0) end = at;
      depth += 1;
    } else if (token === "{" || token === "[") {
      depth -= 1;
      if (depth === 0) break;
    } else if (depth === 1 && token === ",") {
      end = at;
    } else if (depth === 1 && token === ":") {
      value = text.slice(at + 1, end);
    }
  }
  return members;
}

/** Negative when it lies, or may lie, before the text. */
function openingQuote(text: string, closing: number): number {
  let at = closing;
  while (at > 0) {
    at = text.lastIndexOf('"', at - 1);
    let before = at;
    while (before > 0 && text[before - 1] === "\\") before -= 1;
    if (before <= 0) return -1;
    if ((at - before) % 2 === 0) return at;
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
