import { endOfString } from "./json-members.ts";

/** About `limit` characters; the rest is not looked at. `hide` replaces values by key. */
export function briefJson(
  value: unknown,
  limit: number,
  hide: (key: string) => string | undefined = () => undefined,
): string {
  let text = "";
  const isFull = () => text.length >= limit;
  const write = (one: unknown): void => {
    if (isFull()) return;
    if (typeof one === "string") text += JSON.stringify(one.slice(0, limit - text.length));
    else if (Array.isArray(one)) writeAll("[", "]", one.keys(), (at) => write(one[at]));
    else if (typeof one === "object" && one !== null) {
      const fields = one as Record<string, unknown>;
      writeAll("{", "}", keysOf(fields), (key) => {
        text += `${JSON.stringify(key.slice(0, limit))}:`;
        write(hide(key) ?? fields[key]);
      });
    } else text += JSON.stringify(one) ?? "null";
  };
  const writeAll = <T>(
    open: string,
    close: string,
    items: Iterable<T>,
    each: (item: T) => void,
  ): void => {
    text += open;
    let isFirst = true;
    for (const item of items) {
      if (isFull()) break;
      if (!isFirst) text += ",";
      isFirst = false;
      each(item);
    }
    text += close;
  };
  write(value);
  return text;
}

function* keysOf(fields: Record<string, unknown>): Iterable<string> {
  for (const key in fields) if (Object.hasOwn(fields, key) && fields[key] !== undefined) yield key;
}

const quote = 34;
const comma = 44;
const colon = 58;
const opening = [91, 123];
const closing = [93, 125];

/** Breaks JSON into lines without parsing: texts and numbers stay as written. */
export function indentJson(text: string): string {
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  const breakLine = (before: string, until: number, after: string) => {
    pieces.push(text.slice(from, until), before, `\n${" ".repeat(depth)}`, after);
    from = until + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code <= 32) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    } else if (opening.includes(code)) {
      const end = endOfSpace(text, at + 1);
      if (closing.includes(text.charCodeAt(end))) {
        pieces.push(text.slice(from, at + 1), text.charAt(end));
        from = end + 1;
        at = end;
      } else {
        depth += 1;
        breakLine(text.charAt(at), at, "");
      }
    } else if (closing.includes(code)) {
      depth = Math.max(0, depth - 1);
      breakLine("", at, text.charAt(at));
    } else if (code === comma) breakLine(",", at, "");
    else if (code === colon) {
      pieces.push(text.slice(from, at), ": ");
      from = at + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

function endOfSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at += 1;
  return at;
}
