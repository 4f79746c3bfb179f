import type { UnknownObject } from "../../../../src/model/json.ts";
import { branchOf, checkValue } from "./check-value.ts";
import { discriminatorOf, follow, isRecord, onlyValueIn, propertiesOf } from "./schema-words.ts";

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
  const stays = (name: string, one: unknown) =>
    Object.hasOwn(shared, name) ||
    (Object.hasOwn(properties, name) && checkValue(properties[name], one, root).length === 0);
  const kept = Object.entries(isRecord(value) ? value : {}).filter(([name, one]) =>
    stays(name, one),
  );
  if (choice === undefined) return kept.length === 0 ? undefined : Object.fromEntries(kept);
  if (value !== undefined && !isRecord(value) && checkValue(choice, value, root).length === 0)
    return value;
  const told = discriminatorOf(choices, root);
  const start = startOf(choice, root, told);
  return isRecord(start) ? { ...start, ...Object.fromEntries(kept) } : start;
}

/** What a value starts with: what must be given and can only be one value, and defaults of what must be given. */
export function startOf(schema: unknown, root: UnknownObject, told?: string, depth = 0): unknown {
  const meant = isRecord(schema) ? follow(schema, root) : {};
  const only = onlyValueIn(meant);
  if (only !== undefined) return only;
  if (meant.default !== undefined) return meant.default;
  const properties = propertiesOf(meant, root);
  if (meant.type !== "object" && Object.keys(properties).length === 0) return undefined;
  return withOnlyValues({}, meant, root, { told, depth, properties, defaults: true });
}

type Filling = {
  told?: string | undefined;
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
  more: Filling = {},
): UnknownObject {
  const meant = isRecord(schema) ? follow(schema, root) : {};
  const { told, depth = 0, properties = propertiesOf(meant, root), defaults = false } = more;
  if (depth > maxDepth) return value;
  const required: unknown[] = [...(Array.isArray(meant.required) ? meant.required : []), told];
  const missing = Object.entries(properties).flatMap(([name, property]) => {
    if (!required.includes(name) || Object.hasOwn(value, name)) return [];
    const filled = fillingOf(property, root, depth + 1, defaults);
    return filled === undefined ? [] : [[name, filled] as const];
  });
  return missing.length === 0 ? value : { ...Object.fromEntries(missing), ...value };
}

/** The same for all that is given within. An empty object is left as it is: it may be about to be taken back. */
export function complete(value: unknown, schema: unknown, root: UnknownObject, depth = 0): unknown {
  const meant = isRecord(schema) ? follow(schema, root) : {};
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const { items, additionalItems } = meant;
    const placed = (at: number): unknown =>
      Array.isArray(items) ? (items[at] ?? additionalItems) : items;
    return value.map((item, at) => complete(item, placed(at), root, depth + 1));
  }
  if (!isRecord(value) || (depth > 0 && Object.keys(value).length === 0)) return value;
  const properties = propertiesOf(meant, root);
  const filled = withOnlyValues(value, meant, root, { depth, properties });
  const inner = Object.entries(filled).map(([name, one]): [string, unknown] => {
    const property = Object.hasOwn(properties, name)
      ? properties[name]
      : meant.additionalProperties;
    return [name, complete(one, property, root, depth + 1)];
  });
  const whole = Object.fromEntries(inner);
  const choices = [meant.oneOf, meant.anyOf].find(Array.isArray) ?? [];
  const at = branchOf(choices, whole, root);
  return at < 0 ? whole : complete(whole, choices[at], root, depth + 1);
}

function fillingOf(
  schema: unknown,
  root: UnknownObject,
  depth: number,
  defaults: boolean,
): unknown {
  const meant = isRecord(schema) ? follow(schema, root) : {};
  const only = onlyValueIn(meant);
  if (only !== undefined || depth > maxDepth) return only;
  if (defaults && meant.default !== undefined) return meant.default;
  const inside = withOnlyValues({}, meant, root, { depth, defaults });
  return Object.keys(inside).length === 0 ? undefined : inside;
}

/** Without the fields of a condition that does not hold any more: they are not drawn, so nobody would see them sent. */
export function withoutUnasked(
  value: UnknownObject,
  schema: unknown,
  root: UnknownObject,
  depth = 0,
): UnknownObject {
  const meant = isRecord(schema) ? follow(schema, root) : {};
  if (depth > maxDepth) return value;
  const parts = [meant, ...(Array.isArray(meant.allOf) ? meant.allOf : [])].filter(isRecord);
  const conditions = parts.filter((part) => part.if !== undefined);
  const holds = (part: UnknownObject) => checkValue(part.if, value, root).length === 0;
  const properties = propertiesOf(meant, root);
  const asked = [
    properties,
    ...conditions.map((part) => propertiesOf(holds(part) ? part.then : part.else, root)),
  ];
  const unasked = conditions.map((part) => propertiesOf(holds(part) ? part.else : part.then, root));
  const isIn = (name: string, maps: readonly UnknownObject[]) =>
    maps.some((map) => Object.hasOwn(map, name));
  const entries = Object.entries(value).filter(
    ([name]) => isIn(name, asked) || !isIn(name, unasked),
  );
  return Object.fromEntries(
    entries.map(([name, one]) =>
      isRecord(one) && Object.hasOwn(properties, name)
        ? [name, withoutUnasked(one, properties[name], root, depth + 1)]
        : [name, one],
    ),
  );
}
