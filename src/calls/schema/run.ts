import type { UnknownObject } from "../../model/json.ts";
import type { ArgumentProblem } from "../validate.ts";
import type { SchemaIndex } from "./schema-index.ts";

/** True if the value fits; else the run has the problems. */
export type Check = (value: unknown, run: CheckRun) => boolean;
/** The check of a keyword; undefined where its value is none that it can have. */
export type Keyword = (
  setting: unknown,
  schema: UnknownObject,
  parts: CheckContext,
) => Check | undefined;
export type CheckContext = Pick<SchemaIndex, "matcher" | "tracks"> & {
  /** Built when it is first needed, so a large schema costs only what is used of it. */
  check(schema: unknown): Check;
};

/** About 10 ms of steps; only then does the clock run, so that a slow machine refuses nothing that is small. */
const freeSteps = 500_000;
const stepsBetweenLooks = 50_000;
/** What cannot be interrupted, within the time of one check. */
const maxStepsAtOnce = 5_000_000;
export const maxCheckMs = 40;
const maxProblems = 50;
const maxDepth = 1_500;

export type Unchecked = "pattern" | "reference";

/** The work of one check is bounded: what is larger is refused by name. */
export class TooMuchWork extends Error {}

/** One check of one value. */
export class CheckRun {
  readonly problems: ArgumentProblem[] = [];
  /** Patterns that might take too long, and references to other documents. */
  unchecked: Map<string, Unchecked> | undefined;
  readonly path: (string | number)[] = [];
  /** Inside of `anyOf` and others: what fails here need not count. */
  trials = 0;
  depth = 0;
  /** What other keywords looked at in the value at hand, for `unevaluated…`. */
  evaluated: Set<string | number> | undefined;
  #stepsLeft = freeSteps;
  #endsAt: number | undefined;

  spend(steps: number): void {
    if (steps > maxStepsAtOnce) throw new TooMuchWork();
    this.#stepsLeft -= steps;
    if (this.#stepsLeft > 0) return;
    this.#endsAt ??= performance.now() + maxCheckMs;
    if (performance.now() > this.#endsAt) throw new TooMuchWork();
    this.#stepsLeft = stepsBetweenLooks;
  }

  leaveUnchecked(kind: Unchecked, text: string): void {
    this.unchecked ??= new Map();
    this.unchecked.set(text, kind);
  }

  /** Always false. */
  fail(message: string, more?: Pick<ArgumentProblem, "missing">): false {
    if (this.problems.length < maxProblems)
      this.problems.push({ path: pointerOf(this.path), message, ...more });
    else if (this.trials === 0) throw new TooManyProblems();
    return false;
  }

  enter(): void {
    this.depth += 1;
    if (this.depth > maxDepth) throw new TooMuchWork();
  }
}

/** More problems help no reader. */
export class TooManyProblems extends Error {}

function pointerOf(path: readonly (string | number)[]): string {
  return path
    .map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** Checks what is no part of the value at hand, so that nothing of the value counts as evaluated by it. */
export function apart(check: Check): Check {
  return (value, run) => {
    const { evaluated } = run;
    run.evaluated = undefined;
    const fits = check(value, run);
    run.evaluated = evaluated;
    return fits;
  };
}

/** Checks a part of the value. */
export function checkPart(
  check: Check,
  value: unknown,
  key: string | number,
  run: CheckRun,
): boolean {
  const { evaluated } = run;
  run.evaluated = undefined;
  run.path.push(key);
  const fits = check(value, run);
  run.path.pop();
  run.evaluated = evaluated;
  evaluated?.add(key);
  return fits;
}

/** Leaves no problems. */
export function tryCheck(check: Check, value: unknown, run: CheckRun): boolean {
  const before = run.problems.length;
  run.trials += 1;
  const fits = check(value, run);
  run.trials -= 1;
  run.problems.length = Math.min(before, run.problems.length);
  return fits;
}
