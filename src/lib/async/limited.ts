import { isWithin } from "./pause.ts";

/** The result of someone else's code, or an error that says that it takes too long. The process lives on meanwhile. */
export async function limited<T>(run: () => T | Promise<T>, ms: number): Promise<T> {
  const work = Promise.resolve().then(run);
  if (!(await isWithin(work, ms))) throw new Error(`it takes longer than ${ms / 1000} seconds`);
  return work;
}
