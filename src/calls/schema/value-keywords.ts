import { sameJson } from "../../lib/json/plain-data.ts";
import { shorten } from "../../lib/text/cut-text.ts";
import { formats } from "./formats.ts";
import type { Check, CheckRun, Keyword } from "./run.ts";

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
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

/** The keywords for values of any type, for numbers and for texts. */
export const valueChecks: Record<string, Keyword> = {
  type: (given, { nullable }) => {
    const named = (Array.isArray(given) ? given : [given]).map(String);
    if (nullable === true && !named.includes("null")) named.push("null");
    const [first, ...others] = named.map((name) => isOfType[name] ?? (() => false));
    const message = `must be ${named.join(",")}`;
    const fits =
      others.length === 0 && first
        ? first
        : (value: unknown) => named.some((name) => isOfType[name]?.(value));
    return (value, run) => fits(value) || run.fail(`${message}, got ${kindOf(value)}`);
  },
  enum: (given) => {
    if (!Array.isArray(given)) return undefined;
    const plain = new Set(given);
    const objects = given.filter((one) => typeof one === "object" && one !== null);
    const size = objects.length === 0 ? 0 : JSON.stringify(objects).length;
    return (value, run) => {
      if (plain.has(value)) return true;
      run.spend(size);
      return (
        objects.some((one) => sameJson(one, value)) ||
        run.fail(`must be one of ${JSON.stringify(given)}`)
      );
    };
  },
  const: (given) => {
    const text = JSON.stringify(given) ?? "";
    const { length: size } = text;
    return (value, run) => {
      run.spend(size / 4);
      return sameJson(given, value) || run.fail(`must be ${shorten(text, maxShownConstant)}`);
    };
  },
  multipleOf: ofNumbers((value, given) => isMultiple(value / given), "must be multiple of"),
  minimum: bound("minimum", "exclusiveMinimum"),
  maximum: bound("maximum", "exclusiveMaximum"),
  exclusiveMinimum: ofNumbers((value, given) => value > given, "must be >"),
  exclusiveMaximum: ofNumbers((value, given) => value < given, "must be <"),
  minLength: ofLength(
    (text, least) => text.length >= least && (text.length >= 2 * least || lengthOf(text) >= least),
    "fewer",
  ),
  maxLength: ofLength(
    (text, most) => text.length <= most || (text.length <= 2 * most && lengthOf(text) <= most),
    "more",
  ),
  pattern: (given, _, { matcher }) => {
    if (typeof given !== "string") return undefined;
    const { test, steps } = matcher(given);
    return ofText((text, run) => {
      run.spend(steps(text.length));
      const matches = test(text);
      if (matches === undefined) run.leaveUnchecked("pattern", given);
      return matches !== false || run.fail(`must match pattern "${shorten(given, maxShown)}"`);
    });
  },
  format: (given) => {
    const format =
      typeof given === "string" && Object.hasOwn(formats, given) ? formats[given] : undefined;
    if (format === undefined) return undefined;
    return (value, run) => {
      if (typeof value !== format.type) return true;
      if (typeof value === "string") run.spend(value.length / 4);
      return format.fits(value as never) || run.fail(`must match format "${given}"`);
    };
  },
};

function ofText(check: (text: string, run: CheckRun) => boolean): Check {
  return (value, run) => typeof value !== "string" || check(value, run);
}

function ofNumbers(fits: (value: number, given: number) => boolean, message: string): Keyword {
  return (given) => {
    if (typeof given !== "number") return undefined;
    return (value, run) =>
      typeof value !== "number" || fits(value, given) || run.fail(`${message} ${given}`);
  };
}

/** In draft-04 the exclusive bound is a flag beside it. */
function bound(
  name: "minimum" | "maximum",
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
): Keyword {
  const isLeast = name === "minimum";
  const open = ofNumbers(
    (value, given) => (isLeast ? value > given : value < given),
    `must be ${isLeast ? ">" : "<"}`,
  );
  const closed = ofNumbers(
    (value, given) => (isLeast ? value >= given : value <= given),
    `must be ${isLeast ? ">=" : "<="}`,
  );
  return (given, schema, parts) =>
    (schema[exclusive] === true ? open : closed)(given, schema, parts);
}

function ofLength(fits: (text: string, given: number) => boolean, word: string): Keyword {
  return (given) => {
    if (typeof given !== "number") return undefined;
    return ofText((text, run) => {
      if (text.length > given) run.spend(Math.min(text.length, 2 * given) / 4);
      return fits(text, given) || run.fail(`must NOT have ${word} than ${given} characters`);
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
  const whole = Math.round(quotient);
  return (
    quotient === whole ||
    (whole !== 0 && Math.abs(quotient - whole) <= 4 * Number.EPSILON * Math.abs(whole))
  );
}
