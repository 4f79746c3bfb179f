import { sameJson } from "../../lib/json/plain-data.ts";
import { shorten } from "../../lib/text/cut-text.ts";
import { formats } from "./formats.ts";
import type { Check, CheckRun, Keyword } from "./run.ts";

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Of a pattern, in a problem. */
const maxShown = 300;

/** 1e400 is a number of JSON, though none of ours. */
const isOfType: Record<string, (value: unknown) => boolean> = {
  integer: (value) =>
    typeof value === "number" && (Number.isInteger(value) || Math.abs(value) === Infinity),
  number: (value) => typeof value === "number" && !Number.isNaN(value),
  object: (value) => kindOf(value) === "object",
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

const maxShownConstant = 200;

const above = ofNumbers((value, limit) => value > limit, "must be >");
const atLeast = ofNumbers((value, limit) => value >= limit, "must be >=");
const below = ofNumbers((value, limit) => value < limit, "must be <");
const atMost = ofNumbers((value, limit) => value <= limit, "must be <=");

/** The keywords for values of any type, for numbers and for texts. */
export const valueChecks: Record<string, Keyword> = {
  type(types, { nullable }) {
    const named = [types].flat().map(String);
    if (nullable === true && !named.includes("null")) named.push("null");
    const [first, ...moreTypes] = named.map((name) => isOfType[name] ?? (() => false));
    const message = `must be ${named.join(",")}`;
    const fits =
      moreTypes.length === 0 && first
        ? first
        : (value: unknown) => named.some((name) => isOfType[name]?.(value));
    return (value, run) => fits(value) || run.fail(`${message}, got ${kindOf(value)}`);
  },
  enum(members) {
    if (!Array.isArray(members)) return undefined;
    const memberSet = new Set(members);
    const objects = members.filter((member) => typeof member === "object" && member !== null);
    const size = objects.length === 0 ? 0 : JSON.stringify(objects).length;
    return (value, run) => {
      if (memberSet.has(value)) return true;
      run.spend(size);
      return (
        objects.some((member) => sameJson(member, value)) ||
        run.fail(`must be one of ${JSON.stringify(members)}`)
      );
    };
  },
  const(constant) {
    const text = JSON.stringify(constant) ?? "";
    const { length: size } = text;
    return (value, run) => {
      run.spend(size / 4);
      return sameJson(constant, value) || run.fail(`must be ${shorten(text, maxShownConstant)}`);
    };
  },
  multipleOf: ofNumbers((value, divisor) => isMultiple(value / divisor), "must be multiple of"),
  minimum: bound("exclusiveMinimum", above, atLeast),
  maximum: bound("exclusiveMaximum", below, atMost),
  exclusiveMinimum: above,
  exclusiveMaximum: below,
  minLength: ofLength(
    (text, min) => text.length >= min && (text.length >= 2 * min || lengthOf(text) >= min),
    "fewer",
  ),
  maxLength: ofLength(
    (text, max) => text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max),
    "more",
  ),
  pattern(pattern, _, { matcher }) {
    if (typeof pattern !== "string") return undefined;
    const { test, steps } = matcher(pattern);
    return ofText((text, run) => {
      run.spend(steps(text.length));
      const matches = test(text);
      if (matches === undefined) run.leaveUnchecked("pattern", pattern);
      return matches !== false || run.fail(`must match pattern "${shorten(pattern, maxShown)}"`);
    });
  },
  format(name) {
    const format =
      typeof name === "string" && Object.hasOwn(formats, name) ? formats[name] : undefined;
    if (format === undefined) return undefined;
    return (value, run) => {
      if (typeof value !== format.type) return true;
      if (typeof value === "string") run.spend(value.length / 4);
      return format.fits(value as never) || run.fail(`must match format "${name}"`);
    };
  },
};

function ofText(check: (text: string, run: CheckRun) => boolean): Check {
  return (value, run) => typeof value !== "string" || check(value, run);
}

function ofNumbers(fits: (value: number, limit: number) => boolean, message: string): Keyword {
  return (limit) => {
    if (typeof limit !== "number") return undefined;
    return (value, run) =>
      typeof value !== "number" || fits(value, limit) || run.fail(`${message} ${limit}`);
  };
}

/** In draft-04 the exclusive bound is a flag beside it. */
function bound(
  flag: "exclusiveMinimum" | "exclusiveMaximum",
  exclusive: Keyword,
  inclusive: Keyword,
): Keyword {
  return (limit, schema, parts) =>
    (schema[flag] === true ? exclusive : inclusive)(limit, schema, parts);
}

function ofLength(fits: (text: string, limit: number) => boolean, comparative: string): Keyword {
  return (limit) => {
    if (typeof limit !== "number") return undefined;
    return ofText((text, run) => {
      if (text.length > limit) run.spend(Math.min(text.length, 2 * limit) / 4);
      return fits(text, limit) || run.fail(`must NOT have ${comparative} than ${limit} characters`);
    });
  };
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** 0.3 is three times 0.1, whatever a division says. */
function isMultiple(quotient: number): boolean {
  const nearest = Math.round(quotient);
  return (
    quotient === nearest ||
    (nearest !== 0 && Math.abs(quotient - nearest) <= 4 * Number.EPSILON * Math.abs(nearest))
  );
}
