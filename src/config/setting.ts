import type { Origin } from "../model/config/setup.ts";
import type { Path } from "../model/json.ts";

/** A file as data that knows its lines. Objects in `data` have no prototype. */
export type ConfigDocument = { file: string; data: unknown; lineOf(path: Path): number | null };

/**
 * One value in its place in the normal form, with the place it was read from. Every shape of configuration is
 * translated into a list of these, so that there is one way to check, merge and explain them.
 */
export type Setting = {
  path: Path;
  value: unknown;
  origin: Origin;
  /** The origin of something inside the value. */
  originInside?(inner: Path): Origin;
};
