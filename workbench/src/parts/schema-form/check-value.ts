import type { UnknownObject } from "../../../../src/model/json.ts";
import { anything, bytes, fixed } from "./fit-for-forms.ts";
import { follow, isRecord, ownValue, propertiesOf } from "./schema-words.ts";

export type Wrong = { path: readonly string[]; message: string };

const missing = "is required";
/** Not wrong yet, while it is being written. */
export const isMissing = ({ message }: Wrong) => message === missing;

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
): Wrong[] {
  if (!isRecord(schema) || path.length > maxDepth) return [];
  const rules = follow(schema, isRecord(root) ? root : {});
  if (rules.format === anything || (value === null && rules.nullable === true)) return [];
  const say = (message: string): Wrong[] => [{ path, message }];
  if (rules.const !== undefined && !isSame(rules.const, value))
    return say(`must be ${JSON.stringify(rules.const)}`);
  if (rules.format === fixed) return [];
  const { type } = rules;
  const types = type === undefined ? [] : ([type].flat() as string[]);
  if (types.length > 0 && !types.some((one) => isOfType(value, one)))
    return say(`must be ${types.join(" or ")}`);
  if (Array.isArray(rules.enum) && !rules.enum.some((choice) => isSame(choice, value)))
    return say(`must be one of ${rules.enum.map((choice) => JSON.stringify(choice)).join(", ")}`);
  return [
    ...checkBounds(rules, value).flatMap(say),
    ...checkFormat(rules, value).flatMap(say),
    ...checkChoices(rules, value, root, path),
    ...checkCondition(rules, value, root, path),
    ...(isRecord(value) ? checkProperties(rules, value, root, path) : []),
    ...(Array.isArray(value)
      ? value.flatMap((item, at) => checkItem(rules, item, at, root, path))
      : []),
  ];
}

function checkItem(
  rules: UnknownObject,
  item: unknown,
  at: number,
  root: unknown,
  path: readonly string[],
): Wrong[] {
  const { items, additionalItems } = rules;
  const schema: unknown = Array.isArray(items) && at < items.length ? items[at] : items;
  return checkValue(Array.isArray(schema) ? additionalItems : schema, item, root, [
    ...path,
    String(at),
  ]);
}

function checkProperties(
  rules: UnknownObject,
  value: UnknownObject,
  root: unknown,
  path: readonly string[],
): Wrong[] {
  const properties = isRecord(rules.properties) ? rules.properties : {};
  const isGiven = (name: string) => Object.hasOwn(value, name) && value[name] !== undefined;
  const left = requiredIn(rules, isGiven).filter((name) => !isGiven(name));
  return [
    ...left.map((name) => ({ path: [...path, name], message: missing })),
    ...Object.keys(value).flatMap((name) => {
      const schema = Object.hasOwn(properties, name)
        ? properties[name]
        : rules.additionalProperties;
      return isGiven(name) ? checkValue(schema, value[name], root, [...path, name]) : [];
    }),
  ];
}

/** Also what another field makes necessary. */
function requiredIn(
  { required, dependencies }: UnknownObject,
  isGiven: (name: string) => boolean,
): string[] {
  const always = Array.isArray(required) ? required : [];
  const entries = Object.entries(isRecord(dependencies) ? dependencies : {});
  const then = entries.flatMap(([name, needed]) =>
    Array.isArray(needed) && isGiven(name) ? needed : [],
  );
  return [...new Set([...always, ...then] as string[])];
}

function checkChoices(
  rules: UnknownObject,
  value: unknown,
  root: unknown,
  path: readonly string[],
): Wrong[] {
  const check = (choice: unknown) => checkValue(choice, value, root, path);
  const all = Array.isArray(rules.allOf) ? rules.allOf.flatMap(check) : [];
  const some = [rules.anyOf, rules.oneOf].filter(Array.isArray);
  const none = some.filter(
    (choices) => choices.length > 0 && !choices.some((choice) => check(choice).length === 0),
  );
  return [
    ...all,
    ...none.flatMap((choices) => {
      // What is wrong in the choice that was meant helps more than that none fits.
      const at = branchOf(choices, value, isRecord(root) ? root : {});
      return at < 0 ? [{ path, message: "matches none of the choices" }] : check(choices[at]);
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
  const best = Math.max(-1, ...scores);
  if (best < 0) return -1;
  const now = scores[chosen] ?? -1;
  if (now >= best || (now >= 0 && isRecord(value) && Object.keys(value).length === 0))
    return chosen;
  const tied = choices.flatMap((_, at) => (scores[at] === best ? [at] : []));
  // An empty object says nothing about which one is meant.
  if (isRecord(value) && best === 0 && tied.length > 1) return -1;
  return tied.find((at) => checkValue(choices[at], value, root).length === 0) ?? tied[0] ?? -1;
}

/** -1: it cannot be this one. Else how many fields speak for it; a field with one value only speaks loudest. */
function scoreOf(choice: unknown, value: unknown, root: UnknownObject): number {
  if (!isRecord(value))
    return checkValue(choice, value, root).length === 0
      ? 2
      : isOfTypeIn(choice, value, root)
        ? 1
        : -1;
  if (!isOfTypeIn(choice, value, root)) return -1;
  const properties = propertiesOf(choice, root);
  const known = Object.keys(value).filter((name) => Object.hasOwn(properties, name));
  const only = known.filter((name) => ownValue(properties, name, root) !== undefined);
  if (!only.every((name) => isSame(ownValue(properties, name, root), value[name]))) return -1;
  return known.length + only.length * 1_000;
}

function isOfTypeIn(choice: unknown, value: unknown, root: UnknownObject): boolean {
  const { type } = isRecord(choice) ? follow(choice, root) : {};
  return type === undefined || checkValue({ type }, value).length === 0;
}

function checkCondition(
  rules: UnknownObject,
  value: unknown,
  root: unknown,
  path: readonly string[],
): Wrong[] {
  if (rules.if === undefined) return [];
  const holds =
    rules.if === true ||
    (rules.if !== false && checkValue(rules.if, value, root, path).length === 0);
  return checkValue(holds ? rules.then : rules.else, value, root, path);
}

function checkBounds(rules: UnknownObject, value: unknown): string[] {
  const isText = typeof value === "string";
  const size =
    isText && rules.format !== bytes
      ? value.length
      : Array.isArray(value)
        ? value.length
        : undefined;
  const [least, most] = Array.isArray(value)
    ? ["minItems", "maxItems"]
    : ["minLength", "maxLength"];
  const below = (limit: unknown, of: number | undefined) =>
    of !== undefined && typeof limit === "number" && of < limit;
  const above = (limit: unknown, of: number | undefined) =>
    of !== undefined && typeof limit === "number" && of > limit;
  const number = typeof value === "number" ? value : undefined;
  return [
    ...(Number.isInteger(number) && !Number.isSafeInteger(number)
      ? ["is too large to edit exactly here; write it as JSON"]
      : []),
    ...(below(rules[least as string], size)
      ? [`must be at least ${rules[least as string]} long`]
      : []),
    ...(above(rules[most as string], size)
      ? [`must be at most ${rules[most as string]} long`]
      : []),
    ...(below(rules.minimum, number) ? [`must be at least ${rules.minimum}`] : []),
    ...(above(rules.maximum, number) ? [`must be at most ${rules.maximum}`] : []),
  ];
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
  [bytes]: [/^[A-Za-z\d+/_-]*={0,2}$/, "aGVsbG8="],
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
  if (type === "object") return isRecord(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
