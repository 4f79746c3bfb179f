/** Valid JSON and what was misspelt, or where it cannot be read; `end` when it stops too early. */
type LenientResult =
  | { text: string; changes: string[] }
  | { text: null; at: number; line: number; column: number; isEnd: boolean };

const gap = /[ \t\n\r]*/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const pythonWord = /(?:True|False|None)(?!\w)/y;
const jsonWords: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
const closingQuotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”" };
const quoteNames: Readonly<Record<string, string>> = { "'": "single quotes", "“": "curly quotes" };
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** JSON as models misspell it: other quotes, trailing commas, Python's words. Only what has one meaning and is whole. */
export function parseLenientJson(text: string): LenientResult {
  const reader = createReader(text);
  try {
    return reader.read();
  } catch (thrown) {
    // Text that is nested too deeply is not read either.
    if (!(thrown instanceof SyntaxError || thrown instanceof RangeError)) throw thrown;
    const position = Math.min(reader.position(), text.length);
    const linesBefore = text.slice(0, position).split("\n");
    return {
      text: null,
      at: position,
      line: linesBefore.length,
      column: (linesBefore.at(-1)?.length ?? 0) + 1,
      isEnd: text.slice(position).trim() === "",
    };
  }
}

function createReader(text: string) {
  let position = 0;
  const written: string[] = [];
  const changes = new Set<string>();

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const token = pattern.exec(text)?.[0];
    if (token !== undefined) position += token.length;
    return token;
  };
  const next = (): string => {
    take(gap);
    return text.charAt(position);
  };
  const fail = (): never => {
    throw new SyntaxError("unreadable");
  };

  function string(): void {
    const open = text.charAt(position);
    const close = closingQuotes[open] ?? fail();
    if (open !== '"') changes.add(quoteNames[open] ?? "");
    position++;
    let body = "";
    while (text.charAt(position) !== close) {
      const character = text.charAt(position);
      if (character === "" || character < " ") fail();
      if (open === "'" && text.startsWith("\\'", position)) {
        body += "'";
        position += 2;
      } else if (character === "\\") body += take(escaped) ?? fail();
      else {
        body += character === '"' ? '\\"' : character;
        position++;
      }
    }
    position++;
    written.push(`"${body}"`);
  }

  function value(): void {
    const first = next();
    if (first === "{" || first === "[") return list(first);
    if (closingQuotes[first] !== undefined) return string();
    const scalarText = take(scalar);
    if (scalarText !== undefined) return void written.push(scalarText);
    const python = take(pythonWord) ?? fail();
    changes.add(`'${python}'`);
    written.push(jsonWords[python] ?? "");
  }

  function list(open: "{" | "["): void {
    const close = open === "{" ? "}" : "]";
    written.push(open);
    position++;
    for (let isFirst = true; next() !== close; isFirst = false) {
      if (!isFirst) written.push(",");
      if (open === "{") member();
      else value();
      const following = next();
      if (following === close) break;
      if (following !== ",") fail();
      position++;
      if (next() === close) changes.add("a comma too many");
    }
    position++;
    written.push(close);
  }

  function member(): void {
    string();
    if (next() !== ":") fail();
    position++;
    written.push(":");
    value();
  }

  return {
    position: () => position,
    read(): LenientResult {
      value();
      if (next() !== "") fail();
      return { text: written.join(""), changes: [...changes] };
    },
  };
}
