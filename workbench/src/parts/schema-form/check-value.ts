import {
  isObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "../../../../src/model/json.ts";
import { anythingFormat, bytesFormat, fixedFormat } from "./fit-for-forms.ts";
import { follow, memberOf, ownValue, propertiesOf, resolve } from "./schema-words.ts";

export type FieldProblem = { path: readonly string[]; message: string };

const missingMessage = "is required";
/** Not wrong yet, while it is being written. */
export const isMissing = ({ message }: FieldProblem) => message === missingMessage;

/** Deeper values are left to the plane. */
const maxDepth = 40;

/**
 * The form's quick checks: types, required fields, choices and bounds. It compiles no schema, because the page's CSP
 * forbids that. The plane's own check, in a dry run, decides.
 */
export function checkValue(
  schema: unknown,
  value: unknown,
  root: unknown = schema,
  path: readonly string[] = [],
): FieldProblem[] {
  if (!isObject(schema) || path.length > maxDepth) return [];
  const rules = follow(schema, objectOrEmpty(root));
  if (rules.format === anythingFormat || (value === null && rules.nullable === true)) return [];
  const problemHere = (message: string): FieldProblem[] => [{ path, message }];
  if (rules.const !== undefined && !isSame(rules.const, value))
    return problemHere(`must be ${JSON.stringify(rules.const)}`);
  if (rules.format === fixedFormat) return [];
  const { type } = rules;
  const types = type === undefined ? [] : ([type].flat() as string[]);
  if (types.length > 0 && !types.some((typeName) => isOfType(value, typeName)))
    return problemHere(`must be ${types.join(" or ")}`);
  if (Array.isArray(rules.enum) && !rules.enum.some((choice) => isSame(choice, value)))
    return problemHere(
      `must be one of ${rules.enum.map((choice) => JSON.stringify(choice)).join(", ")}`,
    );
  return [
    ...checkBounds(rules, value).flatMap(problemHere),
    ...checkFormat(rules, value).flatMap(problemHere),
    ...checkChoices(rules, value, root, path),
    ...checkCondition(rules, value, root, path),
    ...checkProperties(rules, value, root, path),
    ...listOrEmpty(value).flatMap((item, index) => checkItem(rules, item, index, root, path)),
  ];
}

function checkItem(
  rules: UnknownObject,
  item: unknown,
  index: number,
  root: unknown,
  path: readonly string[],
): FieldProblem[] {
  const { items, additionalItems } = rules;
  const schema: unknown = Array.isArray(items) && index < items.length ? items[index] : items;
  return checkValue(Array.isArray(schema) ? additionalItems : schema, item, root, [
    ...path,
    String(index),
  ]);
}

function checkProperties(
  rules: UnknownObject,
  value: unknown,
  root: unknown,
  path: readonly string[],
): FieldProblem[] {
  if (!isObject(value)) return [];
  const properties = objectOrEmpty(rules.properties);
  const isGiven = (name: string) => Object.hasOwn(value, name) && value[name] !== undefined;
  const missingNames = requiredIn(rules, isGiven).filter((name) => !isGiven(name));
  return [
    ...missingNames.map((name) => ({ path: [...path, name], message: missingMessage })),
    ...Object.keys(value)
      .filter(isGiven)
      .flatMap((name) => {
        const schema = memberOf(properties, name, rules.additionalProperties);
        return checkValue(schema, value[name], root, [...path, name]);
      }),
  ];
}

/** Also what another field makes necessary. */
function requiredIn(
  { required, dependencies }: UnknownObject,
  isGiven: (name: string) => boolean,
): string[] {
  const thenRequired = Object.entries(objectOrEmpty(dependencies))
    .filter(([name]) => isGiven(name))
    .flatMap(([, dependentNames]) => listOrEmpty(dependentNames));
  return [...new Set([...listOrEmpty(required), ...thenRequired] as string[])];
}

function checkChoices(
  rules: UnknownObject,
  value: unknown,
  root: unknown,
  path: readonly string[],
): FieldProblem[] {
  const check = (choice: unknown) => checkValue(choice, value, root, path);

  const choiceLists = [rules.anyOf, rules.oneOf].filter(Array.isArray);
  const failedLists = choiceLists.filter(
    (choices) => choices.length > 0 && !choices.some((choice) => check(choice).length === 0),
  );
  return [
    ...listOrEmpty(rules.allOf).flatMap(check),
    ...failedLists.flatMap((choices) => {
      // What is wrong in the choice that was meant helps more than that none fits.
      const branch = branchOf(choices, value, objectOrEmpty(root));
      if (branch < 0) return [{ path, message: "matches none of the choices" }];
      return check(choices[branch]);
    }),
  ];
}

/**
 * Which of the choices a value is of: by the property that tells them apart, else by type and fields. -1: none of them.
 * What a person chose stays, unless the value speaks for another choice.
 */
export function branchOf(
  choices: readonly unknown[],
  value: unknown,
  root: UnknownObject,
  chosen = -1,
): number {
  if (value === undefined) return chosen;
  const scores = choices.map((choice) => scoreOf(choice, value, root));
  const bestScore = Math.max(-1, ...scores);
  if (bestScore < 0) return -1;
  const chosenScore = scores[chosen] ?? -1;
  const isEmpty = isObject(value) && Object.keys(value).length === 0;
  if (chosenScore >= bestScore || (chosenScore >= 0 && isEmpty)) return chosen;
  const tied = [...choices.keys()].filter((index) => scores[index] === bestScore);
  // An empty object says nothing about which one is meant.
  if (isObject(value) && bestScore === 0 && tied.length > 1) return -1;
  return (
    tied.find((index) => checkValue(choices[index], value, root).length === 0) ?? tied[0] ?? -1
  );
}

/** -1: it cannot be this one. Else how many fields speak for it; a field with one value only speaks loudest. */
function scoreOf(choice: unknown, value: unknown, root: UnknownObject): number {
  if (!isObject(value) && checkValue(choice, value, root).length === 0) return 2;
  if (!isOfTypeIn(choice, value, root)) return -1;
  if (!isObject(value)) return 1;
  const properties = propertiesOf(choice, root);
  const knownNames = Object.keys(value).filter((name) => Object.hasOwn(properties, name));
  const constantNames = knownNames.filter((name) => ownValue(properties, name, root) !== undefined);
  if (!constantNames.every((name) => isSame(ownValue(properties, name, root), value[name])))
    return -1;
  return knownNames.length + constantNames.length * 1_000;
}

function isOfTypeIn(choice: unknown, value: unknown, root: UnknownObject): boolean {
  const { type } = resolve(choice, root);
  return type === undefined || checkValue({ type }, value).length === 0;
}

function checkCondition(
  rules: UnknownObject,
  value: unknown,
  root: unknown,
  path: readonly string[],
): FieldProblem[] {
  if (rules.if === undefined) return [];
  const holds =
    rules.if === true ||
    (rules.if !== false && checkValue(rules.if, value, root, path).length === 0);
  return checkValue(holds ? rules.then : rules.else, value, root, path);
}

function checkBounds(rules: UnknownObject, value: unknown): string[] {
  if (typeof value === "number") return checkNumber(value, rules);
  if (Array.isArray(value)) return checkLength(value.length, rules.minItems, rules.maxItems);
  if (typeof value !== "string" || rules.format === bytesFormat) return [];
  return checkLength(value.length, rules.minLength, rules.maxLength);
}

function checkNumber(number: number, { minimum, maximum }: UnknownObject): string[] {
  const problems: string[] = [];
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    problems.push("is too large to edit exactly here; write it as JSON");
  if (typeof minimum === "number" && number < minimum) problems.push(`must be at least ${minimum}`);
  if (typeof maximum === "number" && number > maximum) problems.push(`must be at most ${maximum}`);
  return problems;
}

function checkLength(length: number, minLength: unknown, maxLength: unknown): string[] {
  const problems: string[] = [];
  if (typeof minLength === "number" && length < minLength)
    problems.push(`must be at least ${minLength} long`);
  if (typeof maxLength === "number" && length > maxLength)
    problems.push(`must be at most ${maxLength} long`);
  return problems;
}

const formats: Record<string, readonly [fits: RegExp, example: string]> = {
  date: [/^\d{4}-\d\d-\d\d$/, "2026-01-31"],
  "date-time": [
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
    "2026-01-31T10:20:00Z",
  ],
  time: [/^\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/, "10:20:00Z"],
  email: [/^[^\s@]+@[^\s@]+$/, "ann@example.org"],
  uri: [/^[A-Za-z][A-Za-z\d+.-]*:\S+$/, "https://example.org/page"],
  [bytesFormat]: [/^[A-Za-z\d+/_-]*={0,2}$/, "aGVsbG8="],
};

function checkFormat({ format }: UnknownObject, value: unknown): string[] {
  if (typeof value !== "string" || typeof format !== "string" || !Object.hasOwn(formats, format))
    return [];
  const [fits, example] = formats[format] as readonly [RegExp, string];
  return fits.test(value) ? [] : [`must be written like ${example}`];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
