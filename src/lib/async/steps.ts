import { yieldEvery } from "./pause.ts";

/** Work that can pause after each of its steps; a step is short, whatever the input. */
export type Steps<Result> = Generator<void, Result>;

/** At once, where a caller cannot wait. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** In slices of a few milliseconds: other work goes on in between. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  const turns = yieldEvery();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (turns.isOver()) await turns.next();
  }
}
