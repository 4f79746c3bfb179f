import { endOfString } from "./json-members.ts";

/** About `limit` characters; the rest is not looked at. `hide` replaces values by key. */
export function briefJson(
  value: unknown,
  limit: number,
  hide: (key: string) => string | undefined = () => undefined,
): string {
  let text = "";
  const isFull = () => text.length >= limit;
  const write = (part: unknown): void => {
    if (isFull()) return;
    if (typeof part === "string") text += JSON.stringify(part.slice(0, limit - text.length));
    else if (Array.isArray(part)) writeAll("[", "]", part.keys(), (index) => write(part[index]));
    else if (typeof part === "object" && part !== null) {
      const fields = part as Record<string, unknown>;
      writeAll("{", "}", keysOf(fields), (key) => {
        text += `${JSON.stringify(key.slice(0, limit))}:`;
        write(hide(key) ?? fields[key]);
      });
    } else text += JSON.stringify(part) ?? "null";
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
  const breakLine = (prefix: string, until: number, suffix: string) => {
    pieces.push(text.slice(from, until), prefix, `\n${" ".repeat(depth)}`, suffix);
    from = until + 1;
  };
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code <= 32) {
      pieces.push(text.slice(from, index));
      from = index + 1;
    } else if (opening.includes(code)) {
      const end = endOfSpace(text, index + 1);
      if (closing.includes(text.charCodeAt(end))) {
        pieces.push(text.slice(from, index + 1), text.charAt(end));
        from = end + 1;
        index = end;
      } else {
        depth += 1;
        breakLine(text.charAt(index), index, "");
      }
    } else if (closing.includes(code)) {
      depth = Math.max(0, depth - 1);
      breakLine("", index, text.charAt(index));
    } else if (code === comma) breakLine(",", index, "");
    else if (code === colon) {
      pieces.push(text.slice(from, index), ": ");
      from = index + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

function endOfSpace(text: string, from: number): number {
  let index = from;
  while (text.charCodeAt(index) <= 32) index += 1;
  return index;
}
