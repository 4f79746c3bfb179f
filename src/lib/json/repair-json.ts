/** `isGuess`: cut off inside a text or number, or before more members. */
type Completed = { value: { [key: string]: unknown }; isGuess: boolean };

/** Closes an object that was cut off and drops a last key without a value. Undefined when it is broken otherwise. */
export function repairTruncatedJson(text: string): Completed | undefined {
  const trimmed = text.trim();
  const whole = trimmed.startsWith('"') ? `{${trimmed}` : trimmed;
  if (!whole.startsWith("{")) return undefined;
  try {
    const read = createReader(whole).read();
    return whole === trimmed || Object.keys(read.value).length > 0 ? read : undefined;
  } catch {
    return undefined;
  }
}

/** A value that was cut off before it began. */
const nothing = Symbol("nothing");
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const scalarBeginning = /[a-z]*$|-?[\d.eE+-]*$/y;
const stringBody = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const brokenEscape = /(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/y;
const gap = /[ \t\n\r]*/y;

function createReader(text: string) {
  let at = 0;
  let isGuess = false;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const skip = (): boolean => {
    take(gap);
    return at < text.length;
  };

  function string(): string {
    at++;
    const body = take(stringBody) ?? "";
    if (text[at] === '"') at++;
    else if (take(brokenEscape) === undefined) throw new SyntaxError("broken string");
    else isGuess = true;
    return JSON.parse(`"${body}"`) as string;
  }

  function value(): unknown {
    if (!skip()) return cutOff();
    const first = text[at];
    if (first === "{" || first === "[") return list(first === "{");
    if (first === '"') return string();
    const found = take(scalar);
    if (found !== undefined) {
      // More digits may follow.
      isGuess ||= at === text.length && /\d$/.test(found);
      return JSON.parse(found);
    }
    if (take(scalarBeginning) === undefined) throw new SyntaxError("no value");
    return cutOff();
  }

  function cutOff(): typeof nothing {
    isGuess = true;
    return nothing;
  }

  function list(isObject: boolean): unknown {
    const entries: [string, unknown][] = [];
    const close = isObject ? "}" : "]";
    at++;
    if (skip() && text[at] === close) at++;
    else {
      while (skip()) {
        const item = isObject ? member() : (["", value()] as [string, unknown]);
        if (item[1] !== nothing) entries.push(item);
        if (!skip()) break;
        const next = text[at++];
        if (next === close) break;
        if (next !== ",") throw new SyntaxError("neither comma nor bracket");
        isGuess ||= !skip();
      }
    }
    return isObject ? Object.fromEntries(entries) : entries.map(([, item]) => item);
  }

  function member(): [string, unknown] {
    if (text[at] !== '"') throw new SyntaxError("no key");
    const key = string();
    if (!skip()) return [key, cutOff()];
    if (text[at++] !== ":") throw new SyntaxError("no colon");
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
