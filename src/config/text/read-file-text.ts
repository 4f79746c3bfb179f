import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { readRegularFile } from "../../lib/regular-file.ts";

/** Why a file gave no text; `message` goes on from the name of the file. */
export type Unreadable = { message: string; hint: string; line: number | null };

const mebibyte = 1024 * 1024;

/** The text of a regular file in UTF-8, without a mark of the byte order. */
export function readFileText(file: string, limitMebibytes: number): { text: string } | Unreadable {
  try {
    const content = readRegularFile(file, (stats) => refuse(stats, limitMebibytes));
    return Buffer.isBuffer(content) ? decode(content) : content;
  } catch (thrown) {
    return {
      ...whyUnreadable((thrown as NodeJS.ErrnoException).code ?? "unknown error"),
      line: null,
    };
  }
}

function refuse(stats: Stats, limitMebibytes: number): Unreadable | null {
  if (stats.isDirectory())
    return { message: "is a directory", hint: "Name a file in it.", line: null };
  if (!stats.isFile())
    return {
      message: "is not a regular file",
      hint: "Write its content to a regular file.",
      line: null,
    };
  if (stats.size <= limitMebibytes * mebibyte) return null;
  const size = (stats.size / mebibyte).toFixed(1);
  const message = `is ${size} MiB long, and we read no more than ${limitMebibytes} MiB`;
  return { message, hint: "Check that it is the right file, or split it.", line: null };
}

function decode(bytes: Buffer): { text: string } | Unreadable {
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes) };
  return { message: "is not valid UTF-8", hint: "Save it as UTF-8.", line: firstBrokenLine(bytes) };
}

/** No character of UTF-8 but the end of a line holds the byte of an end of line, so each line stands alone. */
function firstBrokenLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf("\n", start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

function whyUnreadable(code: string): { message: string; hint: string } {
  if (code === "ENOENT" || code === "ENOTDIR")
    return { message: "no such file", hint: "Check the path." };
  if (code === "EACCES" || code === "EPERM")
    return { message: "may not be read", hint: "Allow the user that runs Toolplane to read it." };
  if (code === "ELOOP")
    return { message: "is a link that leads back to itself", hint: "Correct the link." };
  return { message: `cannot be read (${code})`, hint: "Check the path and the disk." };
}
