import type { UnknownObject } from "../../../../src/model/json.ts";
import { anything } from "./fit-for-forms.ts";

export type Wrong = { path: readonly string[]; message: string };

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
  const rules = resolve(schema, root);
  if (rules === null || rules.format === anything) return [];
  const say = (message: string): Wrong[] => [{ path, message }];
  const { type } = rules;
  const types = (Array.isArray(type) ? type : type === undefined ? [] : [type]) as string[];
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) return say(`must be ${types.join(" or ")}`);
  if (Array.isArray(rules.enum) && !rules.enum.some((choice) => isSame(choice, value)))
    return say(`must be one of ${rules.enum.map((choice) => JSON.stringify(choice)).join(", ")}`);
  if (rules.const !== undefined && !isSame(rules.const, value)) return say(`must be ${JSON.stringify(rules.const)}`);
  return [
    ...checkBounds(rules, value).flatMap(say),
    ...checkChoices(rules, value, root, path),
    ...(isRecord(value) ? checkProperties(rules, value, root, path) : []),
    ...(Array.isArray(value) && rules.items !== undefined
      ? value.flatMap((item, at) => checkValue(rules.items, item, root, [...path, String(at)]))
      : []),
  ];
}

function checkProperties(rules: UnknownObject, value: UnknownObject, root: unknown, path: readonly string[]): Wrong[] {
  const required = Array.isArray(rules.required) ? (rules.required as string[]) : [];
  const properties = isRecord(rules.properties) ? rules.properties : {};
  const missing = required.filter((name) => value[name] === undefined);
  return [
    ...missing.map((name) => ({ path: [...path, name], message: "is required" })),
    ...Object.entries(properties).flatMap(([name, schema]) =>
      value[name] === undefined ? [] : checkValue(schema, value[name], root, [...path, name]),
    ),
  ];
}

function checkChoices(rules: UnknownObject, value: unknown, root: unknown, path: readonly string[]): Wrong[] {
  const fits = (choice: unknown) => checkValue(choice, value, root, path).length === 0;
  const all = Array.isArray(rules.allOf) ? rules.allOf.flatMap((one) => checkValue(one, value, root, path)) : [];
  const some = [rules.anyOf, rules.oneOf].filter(Array.isArray);
  const none = some.filter((choices) => !choices.some(fits));
  return [...all, ...none.map(() => ({ path, message: "matches none of the allowed schemas" }))];
}

function checkBounds(rules: UnknownObject, value: unknown): string[] {
  const size = typeof value === "string" || Array.isArray(value) ? value.length : undefined;
  const [least, most] = Array.isArray(value) ? ["minItems", "maxItems"] : ["minLength", "maxLength"];
  const below = (limit: unknown, of: number | undefined) => of !== undefined && typeof limit === "number" && of < limit;
  const above = (limit: unknown, of: number | undefined) => of !== undefined && typeof limit === "number" && of > limit;
  const number = typeof value === "number" ? value : undefined;
  return [
    ...(Number.isInteger(number) && !Number.isSafeInteger(number)
      ? ["is too large to edit exactly here; write it as JSON"]
      : []),
    ...(below(rules[least as string], size) ? [`must be at least ${rules[least as string]} long`] : []),
    ...(above(rules[most as string], size) ? [`must be at most ${rules[most as string]} long`] : []),
    ...(below(rules.minimum, number) ? [`must be at least ${rules.minimum}`] : []),
    ...(above(rules.maximum, number) ? [`must be at most ${rules.maximum}`] : []),
  ];
}

/** Resolves references within the document only. */
function resolve(schema: unknown, root: unknown, depth = 0): UnknownObject | null {
  if (!isRecord(schema)) return null;
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  if (!$ref.startsWith("#") || depth > 20) return null;
  const parts = $ref.slice(1).split("/").slice(1);
  const names = parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = names.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), root);
  return resolve(target, root, depth + 1);
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

function isRecord(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
