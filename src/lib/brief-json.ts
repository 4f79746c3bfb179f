/**
 * The beginning of a value as JSON, about `limit` characters of it; the rest is not looked at. `hide` gives what
 * stands in the place of what is under a key.
 */
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
        const instead = hide(key);
        write(instead ?? fields[key]);
      });
    } else text += JSON.stringify(one) ?? "null";
  };
  const writeAll = <T>(open: string, close: string, items: Iterable<T>, each: (item: T) => void): void => {
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
