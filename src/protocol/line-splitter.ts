import { createOversized, type Oversized } from "./oversized-id.ts";

const newline = 0x0a;

/** Longer lines are passed on as bytes; shorter ones are quicker written again. */
export const longBytes = 4 * 1024;

/** A message above the limit is passed over up to this multiple of it; its end is not waited for any longer. */
const maxOversizeFactor = 16;

/**
 * Never copies a long line again for each chunk; long lines come with their bytes. `onEndless` gets what is above the limit
 * and no message, or does not end.
 */
export function createLineSplitter(
  limitBytes: number,
  onLine: (line: string, bytes?: Buffer) => void,
  onTooLong: (line: Oversized) => void,
  onEndless?: (bytes: number) => void,
) {
  let parts: Buffer[] = [];
  let size = 0;
  let oversized: ReturnType<typeof createOversized> | undefined;

  const take = (part: Buffer) => {
    size += part.length;
    if (size <= limitBytes) return void parts.push(part);
    if (oversized === undefined) {
      oversized = createOversized();
      for (const part of parts) oversized.add(part);
      parts = [];
    }
    oversized.add(part);
    if (onEndless && (size > limitBytes * maxOversizeFactor || !oversized.isMessage()))
      onEndless(size);
  };

  const finish = () => {
    const line = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const tooLong = oversized;
    parts = [];
    size = 0;
    oversized = undefined;
    if (tooLong) onTooLong(tooLong.finish());
    else if (line.length < longBytes) onLine(line.toString("utf8"));
    else onLine(line.toString("utf8"), line);
  };

  return (chunk: Buffer): void => {
    let lineStart = 0;
    // Most chunks hold whole, short messages: decoded once and cut as text.
    const first = size === 0 && chunk.length <= limitBytes ? chunk.indexOf(newline) : -1;
    const end = first >= 0 && first < longBytes ? chunk.lastIndexOf(newline) : -1;
    if (end >= 0) {
      for (const line of chunk.toString("utf8", 0, end).split("\n")) onLine(line);
      lineStart = end + 1;
    }
    for (
      let lineEnd = chunk.indexOf(newline, lineStart);
      lineEnd >= 0;
      lineEnd = chunk.indexOf(newline, lineStart)
    ) {
      take(chunk.subarray(lineStart, lineEnd));
      finish();
      lineStart = lineEnd + 1;
    }
    if (lineStart < chunk.length) take(chunk.subarray(lineStart));
  };
}
