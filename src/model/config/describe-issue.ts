import type * as z from "zod/mini";
import { textOrJson } from "../json.ts";

type Issue = z.core.$ZodIssue;

const missing = "is missing";
const maxShown = 40;
const unexplained = "Invalid input";

/** In our own words: 'must be one of read, write, not 'zap''. `value` is the whole that was checked. */
export function describeIssue(issue: Issue, value: unknown): string {
  const valueThere = valueAtIssue(value, issue.path);
  switch (issue.code) {
    case "invalid_type":
      return valueThere === undefined
        ? missing
        : `must be ${typeName(issue.expected)}, not ${kindOfValue(valueThere)}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values)}, not ${describe(valueThere)}`;
    case "too_small":
      return isNotEmptyCheck(issue)
        ? "must not be empty"
        : `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `must be ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${unitOf(issue.origin)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      // Each pattern has a message in its schema. The value may be secret.
      return issue.format === "regex"
        ? issue.message
        : `must be ${formats[issue.format] ?? issue.format}`;
    case "invalid_union":
      // A message in the schema says more than we can.
      return issue.message === unexplained
        ? `must have another form than ${kindOfValue(valueThere)}`
        : issue.message;
    case "unrecognized_keys":
      return `must not have ${issue.keys.map((key) => `'${key}'`).join(", ")}`;
    case "custom":
      return issue.message;
    default:
      return `must not be ${describe(valueThere)}`;
  }
}

export function typeName(type: string): string {
  return kinds[type] ?? type;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  array: "a list",
  object: "an object",
  record: "an object",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
};

const formats: Readonly<Record<string, string>> = {
  url: "a whole URL such as https://mcp.example.org/mcp",
  email: "an e-mail address",
  datetime: "a date and time",
  date: "a date",
};

function isNotEmptyCheck({ origin, minimum }: Extract<Issue, { code: "too_small" }>): boolean {
  return minimum === 1 && (origin === "string" || origin === "array");
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" || origin === "set" ? " entries long" : "";
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map(textOrJson);
  return texts.length === 1 ? `'${texts[0]}'` : `one of ${texts.join(", ")}`;
}

/** Never the content of a list or an object. */
function describe(value: unknown): string {
  if (typeof value === "string")
    return `'${value.length > maxShown ? `${value.slice(0, maxShown)}…` : value}'`;
  return typeof value === "object" && value !== null ? kindOfValue(value) : String(value);
}

function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return typeName("array");
  return typeof value === "boolean" || value === null ? String(value) : typeName(typeof value);
}

export function valueAtIssue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (node, key) =>
      typeof node === "object" && node !== null
        ? (node as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  );
}
