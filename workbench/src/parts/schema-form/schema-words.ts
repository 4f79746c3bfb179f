import { resolveReference } from "../../../../src/lib/json/schema-type.ts";
import {
  isObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "../../../../src/model/json.ts";

/** Words for people: what a schema takes, where it says no title. */
export function kindOf(schema: unknown, root: UnknownObject): string {
  const resolved = resolve(schema, root);
  const onlyValue = onlyValueIn(resolved);
  if (onlyValue !== undefined) return shorten(JSON.stringify(onlyValue));
  if (Array.isArray(resolved.enum))
    return shorten(resolved.enum.map((choice) => JSON.stringify(choice)).join(", "));
  const types = [resolved.type ?? guessType(resolved)].flat();
  return types.map((type) => renderType(type, resolved, root)).join(" or ");
}

function renderType(type: unknown, schema: UnknownObject, root: UnknownObject): string {
  if (type === "object") return renderObject(schema);
  if (type !== "array") return nouns.get(type)?.[0] ?? "anything";
  const { items } = schema;
  const { type: itemType } = resolve(items, root);
  const plural = nouns.get(itemType)?.[1];
  return plural === undefined ? "list" : `list of ${plural}`;
}

function renderObject({ required, properties }: UnknownObject): string {
  const requiredNames = listOrEmpty(required).filter((name) => typeof name === "string");
  const names = requiredNames.length > 0 ? requiredNames : Object.keys(objectOrEmpty(properties));
  if (names.length === 0) return "object";
  return shorten(`object with ${names.join(", ")}`);
}

const nouns = new Map<unknown, readonly [singular: string, plural: string]>([
  ["string", ["text", "texts"]],
  ["number", ["number", "numbers"]],
  ["integer", ["whole number", "whole numbers"]],
  ["boolean", ["yes or no", "yes or no"]],
  ["object", ["object", "objects"]],
  ["array", ["list", "lists"]],
  ["null", ["null", "nulls"]],
]);

function guessType({ properties, required, items }: UnknownObject): string | undefined {
  if (properties !== undefined || required !== undefined) return "object";
  return items === undefined ? undefined : "array";
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/** The one value that a schema allows; undefined where it allows several. */
export function onlyValueIn({ const: constant, enum: choices, type }: UnknownObject): unknown {
  if (constant !== undefined) return constant;
  if (Array.isArray(choices) && choices.length === 1) return choices[0];
  return type === "null" ? null : undefined;
}

/** The property whose one value tells each of these apart from the others. */
export function discriminatorOf(
  choices: readonly unknown[],
  root: UnknownObject,
): string | undefined {
  const [first, ...furtherProperties] = choices.map((choice) => propertiesOf(choice, root));
  if (first === undefined || furtherProperties.length === 0) return undefined;
  return Object.keys(first).find((name) => {
    const values = [first, ...furtherProperties].map((properties) =>
      ownValue(properties, name, root),
    );
    const distinctValues = new Set(values.map((value) => JSON.stringify(value)));
    return !values.includes(undefined) && distinctValues.size === values.length;
  });
}

export function ownValue(properties: UnknownObject, name: string, root: UnknownObject): unknown {
  return onlyValueIn(resolve(memberOf(properties, name), root));
}

export function propertiesOf(schema: unknown, root: UnknownObject): UnknownObject {
  if (!isObject(schema)) return {};
  const { properties, allOf } = follow(schema, root);
  const parts = listOrEmpty(allOf)
    .filter((part) => part !== schema)
    .map((part) => propertiesIn(part, root));
  return Object.assign({}, ...parts, objectOrEmpty(properties)) as UnknownObject;
}

/** One level of `allOf`, which is what servers write. */
function propertiesIn(schema: unknown, root: UnknownObject): UnknownObject {
  return objectOrEmpty(resolve(schema, root).properties);
}

const maxSteps = 20;

/** What a reference leads to, with what is written beside it. References within the document only. */
export function follow(schema: UnknownObject, root: UnknownObject, steps = 0): UnknownObject {
  const { $ref, ...beside } = schema;
  if ($ref === undefined) return schema;
  const target = targetOf($ref, root);
  if (target === undefined || steps > maxSteps) return beside;
  return { ...follow(target, root, steps + 1), ...beside };
}

/** The same for any value: what is no schema says nothing. */
export const resolve = (schema: unknown, root: UnknownObject) =>
  follow(objectOrEmpty(schema), root);

export function targetOf(reference: unknown, root: UnknownObject): UnknownObject | undefined {
  if (typeof reference !== "string") return undefined;
  const target = resolveReference(root, reference);
  return isObject(target) ? target : undefined;
}

/** Names may be those that every object has, such as `constructor`. */
export const memberOf = (holder: object, name: string, fallback?: unknown): unknown =>
  Object.hasOwn(holder, name) ? Reflect.get(holder, name) : fallback;
