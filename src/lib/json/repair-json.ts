/** `isGuess`: cut off inside a text or number, or before more members. */
type Completed = { value: { [key: string]: unknown }; isGuess: boolean };

/** Closes an object that was cut off and drops a last key without a value. Undefined when it is broken otherwise. */
export function repairTruncatedJson(text: string): Completed | undefined {
  const trimmed = text.trim();
  const objectText = trimmed.startsWith('"') ? `{${trimmed}` : trimmed;
  if (!objectText.startsWith("{")) return undefined;
  try {
    const completed = createReader(objectText).read();
    return objectText === trimmed || Object.keys(completed.value).length > 0
      ? completed
      : undefined;
  } catch {
    return undefined;
  }
}

/** A value that was cut off before it began. */
const noValue = Symbol("nothing");
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const scalarBeginning = /[a-z]*$|-?[\d.eE+-]*$/y;
const stringBody = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const brokenEscape = /(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/y;
const gap = /[ \t\n\r]*/y;

function createReader(text: string) {
  let position = 0;
  let isGuess = false;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const token = pattern.exec(text)?.[0];
    if (token !== undefined) position += token.length;
    return token;
  };
  const skip = (): boolean => {
    take(gap);
    return position < text.length;
  };

  function string(): string {
    position++;
    const body = take(stringBody) ?? "";
    if (text[position] === '"') position++;
    else if (take(brokenEscape) === undefined) throw new SyntaxError("broken string");
    else isGuess = true;
    return JSON.parse(`"${body}"`) as string;
  }

  function value(): unknown {
    if (!skip()) return cutOff();
    const first = text[position];
    if (first === "{" || first === "[") return list(first === "{");
    if (first === '"') return string();
    const scalarText = take(scalar);
    if (scalarText !== undefined) {
      // More digits may follow.
      isGuess ||= position === text.length && /\d$/.test(scalarText);
      return JSON.parse(scalarText);
    }
    if (take(scalarBeginning) === undefined) throw new SyntaxError("no value");
    return cutOff();
  }

  function cutOff(): typeof noValue {
    isGuess = true;
    return noValue;
  }

  function list(isObject: boolean): unknown {
    const entries: [string, unknown][] = [];
    const close = isObject ? "}" : "]";
    position++;
    if (skip() && text[position] === close) position++;
    else {
      while (skip()) {
        const item = isObject ? member() : (["", value()] as [string, unknown]);
        if (item[1] !== noValue) entries.push(item);
        if (!skip()) break;
        const next = text[position++];
        if (next === close) break;
        if (next !== ",") throw new SyntaxError("neither comma nor bracket");
        isGuess ||= !skip();
      }
    }
    if (isObject) return Object.fromEntries(entries);
    return entries.map(([, item]) => item);
  }

  function member(): [string, unknown] {
    if (text[position] !== '"') throw new SyntaxError("no key");
    const key = string();
    if (!skip()) return [key, cutOff()];
    if (text[position++] !== ":") throw new SyntaxError("no colon");
    return [key, value()];
  }

  return {
    read(): Completed {
      const result = value() as Completed["value"];
      if (skip()) throw new SyntaxError("more after the end");
      return { value: result, isGuess };
    },
  };
}
