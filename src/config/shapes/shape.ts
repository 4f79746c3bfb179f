import type { UnknownObject } from "../../model/json.ts";
import type { Reading } from "./reading.ts";

/** A way to write configuration, known by the keys it has at the top of a file. */
export type Shape = {
  keys: readonly string[];
  /** Reads its own keys, of which any may be missing, and leaves the others alone. */
  read(reading: Reading, data: UnknownObject): void;
};
