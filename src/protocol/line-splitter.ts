const newline = 0x0a;

/** Cuts a byte stream into lines without copying a long line again for every chunk. */
export function createLineSplitter(
  limitBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
) {
  let parts: Buffer[] = [];
  let size = 0;
  let skipping = false;

  const finish = (last: Buffer) => {
    if (skipping) skipping = false;
    else if (size + last.length > limitBytes) onTooLong();
    else
      onLine(parts.length === 0 ? last.toString("utf8") : Buffer.concat([...parts, last]).toString("utf8"));
    parts = [];
    size = 0;
  };

  return (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      finish(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from === chunk.length) return;
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size <= limitBytes) {
      parts.push(rest);
    } else if (!skipping) {
      skipping = true;
      parts = [];
      onTooLong();
    }
  };
}
