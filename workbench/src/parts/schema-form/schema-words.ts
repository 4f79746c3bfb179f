import type { UnknownObject } from "../../../../src/model/json.ts";

/** Words for people: what a schema takes, where it says no title. */
export function kindOf(schema: unknown, root: UnknownObject): string {
  const meant = isRecord(schema) ? follow(schema, root) : {};
  const only = onlyValueIn(meant);
  if (only !== undefined) return shorten(JSON.stringify(only));
  if (Array.isArray(meant.enum))
    return shorten(meant.enum.map((choice) => JSON.stringify(choice)).join(", "));
  const types = [meant.type ?? guessType(meant)].flat();
  return types.map((type) => ofType(type, meant, root)).join(" or ");
}

function ofType(type: unknown, schema: UnknownObject, root: UnknownObject): string {
  if (type === "object") return ofObject(schema);
  if (type !== "array") return nouns.get(type)?.[0] ?? "anything";
  const { items } = schema;
  const { type: inner } = isRecord(items) ? follow(items, root) : {};
  const many = nouns.get(inner)?.[1];
  return many === undefined ? "list" : `list of ${many}`;
}

function ofObject({ required, properties }: UnknownObject): string {
  const all = Object.keys(isRecord(properties) ? properties : {});
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const names = needed.length > 0 ? needed : all;
  return names.length === 0 ? "object" : shorten(`object with ${names.join(", ")}`);
}

const nouns = new Map<unknown, readonly [one: string, many: string]>([
  ["string", ["text", "texts"]],
  ["number", ["number", "numbers"]],
  ["integer", ["whole number", "whole numbers"]],
  ["boolean", ["yes or no", "yes or no"]],
  ["object", ["object", "objects"]],
  ["array", ["list", "lists"]],
  ["null", ["null", "nulls"]],
]);

const guessType = ({ properties, required, items }: UnknownObject) =>
  properties !== undefined || required !== undefined
    ? "object"
    : items === undefined
      ? undefined
      : "array";

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/** The one value that a schema allows; undefined where it allows several. */
export function onlyValueIn({ const: only, enum: choices, type }: UnknownObject): unknown {
  if (only !== undefined) return only;
  if (Array.isArray(choices) && choices.length === 1) return choices[0];
  return type === "null" ? null : undefined;
}

/** The property whose one value tells each of these apart from the others. */
export function discriminatorOf(
  choices: readonly unknown[],
  root: UnknownObject,
): string | undefined {
  const [first, ...others] = choices.map((choice) => propertiesOf(choice, root));
  if (first === undefined || others.length === 0) return undefined;
  return Object.keys(first).find((name) => {
    const values = [first, ...others].map((properties) => ownValue(properties, name, root));
    const told = new Set(values.map((value) => JSON.stringify(value)));
    return !values.includes(undefined) && told.size === values.length;
  });
}

export function ownValue(properties: UnknownObject, name: string, root: UnknownObject): unknown {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isRecord(schema) ? onlyValueIn(follow(schema, root)) : undefined;
}

export function propertiesOf(schema: unknown, root: UnknownObject): UnknownObject {
  if (!isRecord(schema)) return {};
  const { properties, allOf } = follow(schema, root);
  const parts = Array.isArray(allOf)
    ? allOf.map((part) => (part === schema ? {} : propertiesIn(part, root)))
    : [];
  return Object.assign({}, ...parts, isRecord(properties) ? properties : {}) as UnknownObject;
}

/** One level of `allOf`, which is what servers write. */
function propertiesIn(schema: unknown, root: UnknownObject): UnknownObject {
  const { properties } = isRecord(schema) ? follow(schema, root) : {};
  return isRecord(properties) ? properties : {};
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

export function targetOf(reference: unknown, root: UnknownObject): UnknownObject | undefined {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  const target = reference
    .slice(2)
    .split("/")
    .map((part) => decode(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (at, name) =>
        typeof at === "object" && at !== null && Object.hasOwn(at, name)
          ? Reflect.get(at, name)
          : undefined,
      root,
    );
  return isRecord(target) ? target : undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function isRecord(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
