import { fstatSync, ftruncateSync } from "node:fs";

/** Empties a file that has grown above this size and is written at its end. Anything else that is open is not touched. */
export function limitFile(descriptor: number, maxBytes: number): void {
  try {
    const found = fstatSync(descriptor);
    if (found.isFile() && found.size > maxBytes) ftruncateSync(descriptor, 0);
  } catch {
    // Closed, or not ours to change.
  }
}
