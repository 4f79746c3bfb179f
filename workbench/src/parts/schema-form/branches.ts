import {
  isObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "../../../../src/model/json.ts";
import { branchOf, checkValue } from "./check-value.ts";
import { discriminatorOf, memberOf, onlyValueIn, propertiesOf, resolve } from "./schema-words.ts";

/**
 * The value once another choice is taken: what that one has as well stays, and so does what is beside the choices (`shared`).
 */
export function valueFor(
  choices: readonly unknown[],
  to: number,
  { value, shared, root }: { value: unknown; shared: UnknownObject; root: UnknownObject },
): unknown {
  const choice = choices[to];
  const properties = propertiesOf(choice, root);
  const isStillValid = (name: string, fieldValue: unknown) =>
    Object.hasOwn(shared, name) ||
    (Object.hasOwn(properties, name) &&
      checkValue(properties[name], fieldValue, root).length === 0);
  const keptFields = Object.entries(objectOrEmpty(value)).filter(([name, fieldValue]) =>
    isStillValid(name, fieldValue),
  );
  if (choice === undefined)
    return keptFields.length === 0 ? undefined : Object.fromEntries(keptFields);
  if (value !== undefined && !isObject(value) && checkValue(choice, value, root).length === 0)
    return value;
  const discriminator = discriminatorOf(choices, root);
  const start = startOf(choice, root, discriminator);
  if (!isObject(start)) return start;
  return { ...start, ...Object.fromEntries(keptFields) };
}

/** What a value starts with: what must be given and can only be one value, and defaults of what must be given. */
export function startOf(
  schema: unknown,
  root: UnknownObject,
  discriminator?: string,
  depth = 0,
): unknown {
  const resolved = resolve(schema, root);
  const onlyValue = onlyValueIn(resolved);
  if (onlyValue !== undefined) return onlyValue;
  if (resolved.default !== undefined) return resolved.default;
  const properties = propertiesOf(resolved, root);
  if (resolved.type !== "object" && Object.keys(properties).length === 0) return undefined;
  return withOnlyValues({}, resolved, root, { discriminator, depth, properties, defaults: true });
}

type Filling = {
  discriminator?: string | undefined;
  depth?: number;
  properties?: UnknownObject;
  defaults?: boolean;
};

const maxDepth = 12;

/** Adds what must be given and can only be one value; the same object where nothing is missing. */
export function withOnlyValues(
  value: UnknownObject,
  schema: unknown,
  root: UnknownObject,
  filling: Filling = {},
): UnknownObject {
  const resolved = resolve(schema, root);
  const {
    discriminator,
    depth = 0,
    properties = propertiesOf(resolved, root),
    defaults = false,
  } = filling;
  if (depth > maxDepth) return value;
  const required = [...listOrEmpty(resolved.required), discriminator];
  const missing = Object.entries(properties).flatMap(([name, property]) => {
    if (!required.includes(name) || Object.hasOwn(value, name)) return [];
    const filled = fillingOf(property, root, depth + 1, defaults);
    return filled === undefined ? [] : [[name, filled] as const];
  });
  if (missing.length === 0) return value;
  return { ...Object.fromEntries(missing), ...value };
}

/** The same for all that is given within. An empty object is left as it is: it may be about to be taken back. */
export function complete(value: unknown, schema: unknown, root: UnknownObject, depth = 0): unknown {
  const resolved = resolve(schema, root);
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const { items, additionalItems } = resolved;
    const itemSchema = (index: number): unknown =>
      Array.isArray(items) ? (items[index] ?? additionalItems) : items;
    return value.map((item, index) => complete(item, itemSchema(index), root, depth + 1));
  }
  if (!isObject(value) || (depth > 0 && Object.keys(value).length === 0)) return value;
  const properties = propertiesOf(resolved, root);
  const filled = withOnlyValues(value, resolved, root, { depth, properties });
  const fields = Object.entries(filled).map(([name, fieldValue]): [string, unknown] => {
    const property = memberOf(properties, name, resolved.additionalProperties);

    return [name, complete(fieldValue, property, root, depth + 1)];
  });
  const completed = Object.fromEntries(fields);
  const choices = [resolved.oneOf, resolved.anyOf].find(Array.isArray) ?? [];
  const branch = branchOf(choices, completed, root);
  if (branch < 0) return completed;
  return complete(completed, choices[branch], root, depth + 1);
}

function fillingOf(
  schema: unknown,
  root: UnknownObject,
  depth: number,
  defaults: boolean,
): unknown {
  const resolved = resolve(schema, root);
  const onlyValue = onlyValueIn(resolved);
  if (onlyValue !== undefined || depth > maxDepth) return onlyValue;
  if (defaults && resolved.default !== undefined) return resolved.default;
  const filled = withOnlyValues({}, resolved, root, { depth, defaults });
  return Object.keys(filled).length === 0 ? undefined : filled;
}

/** Without the fields of a condition that does not hold any more: they are not drawn, so nobody would see them sent. */
export function withoutInactiveFields(
  value: UnknownObject,
  schema: unknown,
  root: UnknownObject,
  depth = 0,
): UnknownObject {
  const resolved = resolve(schema, root);
  if (depth > maxDepth) return value;
  const parts = [resolved, ...listOrEmpty(resolved.allOf)].filter(isObject);
  const conditions = parts.filter((part) => part.if !== undefined);
  const holds = (part: UnknownObject) => checkValue(part.if, value, root).length === 0;
  const properties = propertiesOf(resolved, root);
  const activeProperties = [
    properties,
    ...conditions.map((part) => propertiesOf(holds(part) ? part.then : part.else, root)),
  ];
  const inactiveProperties = conditions.map((part) =>
    propertiesOf(holds(part) ? part.else : part.then, root),
  );
  const isIn = (name: string, maps: readonly UnknownObject[]) =>
    maps.some((map) => Object.hasOwn(map, name));
  const activeFields = Object.entries(value).filter(
    ([name]) => isIn(name, activeProperties) || !isIn(name, inactiveProperties),
  );
  return Object.fromEntries(
    activeFields.map(([name, fieldValue]) => {
      if (!isObject(fieldValue) || !Object.hasOwn(properties, name)) return [name, fieldValue];
      return [name, withoutInactiveFields(fieldValue, properties[name], root, depth + 1)];
    }),
  );
}
