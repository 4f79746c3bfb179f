import type { PlaneError } from "../model/errors.ts";

/** Why there is no such command or path, where this installation is without the package that has it. */
export const leftOutWith = (_word: string): PlaneError | null => null;
