import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

/** Opening a pipe would wait for a writer. Windows has no such flag, and no such file. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The bytes of a file, or why it is not read. What is judged is the file that was opened: a pipe, a device or a socket behind
 * the name, or behind a link, is looked at and never read.
 */
export function readRegularFile<Refusal>(
  file: string,
  refuse: (stats: Stats) => Refusal | null,
): Buffer | Refusal {
  const descriptor = openSync(file, flags);
  try {
    return refuse(fstatSync(descriptor)) ?? readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const maxTextBytes = 32 * 1024 * 1024;

/** The text of a regular file of at most 32 MB. Throws for anything else, as for a file that is not there. */
export function readRegularText(file: string): string {
  const textOrRefusal = readRegularFile(file, (stats) => {
    if (!stats.isFile()) return "is not a regular file";
    if (stats.size <= maxTextBytes) return null;
    return `has more than ${maxTextBytes} bytes`;
  });
  if (typeof textOrRefusal === "string") throw new Error(`${file} ${textOrRefusal}`);
  return textOrRefusal.toString("utf8");
}
