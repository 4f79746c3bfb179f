/** Valid JSON and what was misspelt, or where it cannot be read; `end` when it stops too early. */
type LenientResult =
  | { text: string; changes: string[] }
  | { text: null; at: number; line: number; column: number; isEnd: boolean };

const gap = /[ \t\n\r]*/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const word = /(?:True|False|None)(?!\w)/y;
const words: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”" };
const names: Readonly<Record<string, string>> = { "'": "single quotes", "“": "curly quotes" };
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** JSON as models misspell it: other quotes, trailing commas, Python's words. Only what has one meaning and is whole. */
export function parseLenientJson(text: string): LenientResult {
  const reader = createReader(text);
  try {
    return reader.read();
  } catch (thrown) {
    // Text that is nested too deeply is not read either.
    if (!(thrown instanceof SyntaxError || thrown instanceof RangeError)) throw thrown;
    const at = Math.min(reader.place(), text.length);
    const before = text.slice(0, at).split("\n");
    const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    return { text: null, at, ...place, isEnd: text.slice(at).trim() === "" };
  }
}

function createReader(text: string) {
  let at = 0;
  const written: string[] = [];
  const changes = new Set<string>();

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const next = (): string => {
    take(gap);
    return text.charAt(at);
  };
  const fail = (): never => {
    throw new SyntaxError("unreadable");
  };

  function string(): void {
    const open = text.charAt(at);
    const close = closing[open] ?? fail();
    if (open !== '"') changes.add(names[open] ?? "");
    at++;
    let body = "";
    while (text.charAt(at) !== close) {
      const character = text.charAt(at);
      if (character === "" || character < " ") fail();
      if (open === "'" && text.startsWith("\\'", at)) {
        body += "'";
        at += 2;
      } else if (character === "\\") body += take(escaped) ?? fail();
      else {
        body += character === '"' ? '\\"' : character;
        at++;
      }
    }
    at++;
    written.push(`"${body}"`);
  }

  function value(): void {
    const first = next();
    if (first === "{" || first === "[") return list(first);
    if (closing[first] !== undefined) return string();
    const found = take(scalar);
    if (found !== undefined) return void written.push(found);
    const python = take(word) ?? fail();
    changes.add(`'${python}'`);
    written.push(words[python] ?? "");
  }

  function list(open: "{" | "["): void {
    const close = open === "{" ? "}" : "]";
    written.push(open);
    at++;
    for (let isFirst = true; next() !== close; isFirst = false) {
      if (!isFirst) written.push(",");
      if (open === "{") member();
      else value();
      const behind = next();
      if (behind === close) break;
      if (behind !== ",") fail();
      at++;
      if (next() === close) changes.add("a comma too many");
    }
    at++;
    written.push(close);
  }

  function member(): void {
    string();
    if (next() !== ":") fail();
    at++;
    written.push(":");
    value();
  }

  return {
    place: () => at,
    read(): LenientResult {
      value();
      if (next() !== "") fail();
      return { text: written.join(""), changes: [...changes] };
    },
  };
}
