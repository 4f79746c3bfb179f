import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

const limits = { bytes: 16 * 1024 * 1024, paths: 30_000, pieces: 150_000 };

export function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** A file of a stranger costs no more than this: beyond it, nothing that a program loads can be trusted. */
export class TooMuchCode extends Error {}

export type ProjectReader = ReturnType<typeof createReader>;

/** Looks at files of a project, within limits. */
export function createReader() {
  const spent = { bytes: 0, paths: 0, pieces: 0 };
  const spend = (kind: keyof typeof spent, count: number) => {
    spent[kind] += count;
    if (spent[kind] > limits[kind]) throw new TooMuchCode();
  };
  const statsOf = (path: string) => {
    spend("paths", 1);
    return statSync(path, { throwIfNoEntry: false });
  };
  return {
    /** Texts of a file that could name another. */
    judgePieces: (count: number) => spend("pieces", count),
    isFile: (path: string) => attempt(() => statsOf(path)?.isFile() === true, false),
    isDirectory: (path: string) => attempt(() => statsOf(path)?.isDirectory() === true, false),
    /** Null where it cannot be read. */
    textOf(file: string): string | null {
      const stats = attempt(() => statsOf(file), undefined);
      if (stats?.isFile() !== true) return null;
      spend("bytes", stats.size);
      return attempt(() => readFileSync(file, "utf8"), null);
    },
  };
}

function attempt<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof TooMuchCode) throw thrown;
    return fallback;
  }
}

export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
