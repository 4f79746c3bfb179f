import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

const maxReadBytes = 4 * 1024 * 1024;

export function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

export function textOf(file: string): string | null {
  try {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= maxReadBytes ? readFileSync(file, "utf8") : null;
  } catch {
    return null;
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
