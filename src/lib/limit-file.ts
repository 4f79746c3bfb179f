import { fstatSync, ftruncateSync } from "node:fs";

/** Empties a file that has grown above this size and is written at its end. Anything else that is open is not touched. */
export function limitFile(descriptor: number, maxBytes: number): void {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFile() && stats.size > maxBytes) ftruncateSync(descriptor, 0);
  } catch {
    // Closed, or not ours to change.
  }
}
