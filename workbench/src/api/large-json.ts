import { endOfObject, endOfString } from "../../../src/lib/json/json-members.ts";
import { readJson } from "./exact-json.ts";

/** Characters that are parsed at once; less than a frame on a slow machine. */
const pieceLength = 200_000;
/** A turn with the page after so much work. */
const turnMs = 8;
/** What is nested deeper is parsed at once. */
const maxDepth = 64;
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** Parses valid JSON as `readJson` does; megabytes in turns with the page, which goes on meanwhile. */
export async function readLargeJson<T>(text: string): Promise<T> {
  if (text.length <= pieceLength) return readJson<T>(text);
  const pieces = new Pieces(text);
  const value = await pieces.value(0);
  pieces.end();
  return value as T;
}

/** The closing quote of a string, or a place from `limit` on that is between two characters of it. */
function endOfStringPiece(text: string, from: number, limit: number): number {
  for (let index = from; ; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote || index >= limit) return index;
    // `\u0041` is one character.
    if (code === backslash) index += text.charCodeAt(index + 1) === letterU ? 5 : 1;
    else if (Number.isNaN(code)) throw cutOff();
  }
}

const cutOff = () => new SyntaxError("The answer of the plane ends too early.");

class Pieces {
  readonly #text: string;
  #at = 0;
  #since = performance.now();

  constructor(text: string) {
    this.#text = text;
  }

  /** Nothing may follow: it would not be seen. */
  end(): void {
    if (!Number.isNaN(this.#next()))
      throw new SyntaxError("There is more behind the end of the JSON text.");
  }

  /** A value that may be large. */
  async value(depth: number): Promise<unknown> {
    const code = this.#next();
    const isHolder = code === openBrace || code === openBracket;
    if (isHolder && depth < maxDepth) return this.#holder(code === openBracket, depth);
    if (code === quote) return this.#string();
    const from = this.#at;
    this.#at = isHolder ? endOfObject(this.#text, from) : this.#endOfPlain();
    await this.#turn();
    const value = readJson(this.#text.slice(from, this.#at));
    await this.#turn();
    return value;
  }

  async #holder(isList: boolean, depth: number): Promise<unknown> {
    const items: unknown[] = [];
    const members: [string, unknown][] = [];
    this.#at += 1;
    for (
      let code = this.#next();
      code !== closeBrace && code !== closeBracket;
      code = this.#next()
    ) {
      const from = this.#at;
      const to = this.#endOfSmall(from);
      if (to > from) {
        const piece = this.#text.slice(from, to);
        if (isList) for (const item of readJson<unknown[]>(`[${piece}]`)) items.push(item);
        else
          for (const member of Object.entries(readJson<object>(`{${piece}}`))) members.push(member);
        this.#at = to;
      } else if (isList) items.push(await this.value(depth + 1));
      else {
        this.#at = endOfString(this.#text, from) + 1;
        const name = JSON.parse(this.#text.slice(from, this.#at)) as string;
        this.#at = this.#text.indexOf(":", this.#at) + 1;
        members.push([name, await this.value(depth + 1)]);
      }
      await this.#turn();
      if (this.#next() === comma) this.#at += 1;
    }
    this.#at += 1;
    return isList ? items : Object.fromEntries(members);
  }

  /** The end of as many members as fit into one piece; `from` where the first is too large. */
  #endOfSmall(from: number): number {
    const text = this.#text;
    const limit = from + pieceLength;
    let end = from;
    let depth = 0;
    for (let index = from; index < limit; index += 1) {
      const code = text.charCodeAt(index);
      if (code === quote) index = endOfStringPiece(text, index + 1, limit);
      else if (code === openBrace || code === openBracket) depth += 1;
      else if (code === closeBrace || code === closeBracket) {
        if (depth === 0) return index;
        depth -= 1;
      } else if (code === comma && depth === 0) end = index;
      // Not JSON.
      else if (Number.isNaN(code)) throw cutOff();
    }
    return end;
  }

  /** In pieces that end behind a whole escape. */
  async #string(): Promise<string> {
    const parts: string[] = [];
    for (let from = this.#at + 1; ; ) {
      const end = endOfStringPiece(this.#text, from, from + pieceLength);
      parts.push(JSON.parse(`"${this.#text.slice(from, end)}"`) as string);
      this.#at = end + 1;
      if (this.#text.charCodeAt(end) === quote) return parts.join("");
      await this.#turn();
      from = end;
    }
  }

  #endOfPlain(): number {
    const valueEnd = /[\s,\]}]|$/g;
    valueEnd.lastIndex = this.#at;
    return valueEnd.exec(this.#text)?.index ?? this.#text.length;
  }

  /** To the next character that is no space. */
  #next(): number {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at += 1;
    return this.#text.charCodeAt(this.#at);
  }

  async #turn(): Promise<void> {
    if (performance.now() - this.#since < turnMs) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#since = performance.now();
  }
}
