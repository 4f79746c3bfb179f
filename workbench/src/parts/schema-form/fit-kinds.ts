import { isObject, stringOrNull, type UnknownObject } from "../../../../src/model/json.ts";
import { onlyValueIn } from "./schema-words.ts";

/** What a schema says in words. */
export function annotationsOf(schema: UnknownObject): UnknownObject {
  const { title, description, default: fallback } = schema;
  const annotations: UnknownObject = {};
  if (typeof title === "string") annotations.title = title;
  if (typeof description === "string") annotations.description = description;
  if (fallback !== undefined) annotations.default = fallback;
  return annotations;
}

/** A value of several types is a choice between them. */
export function oneOfTypes(schema: UnknownObject, types: readonly unknown[]): UnknownObject {
  const { title, description, type: _, default: fallback, ...constraints } = schema;
  if (types.length === 1) return { ...schema, type: types[0] };
  return {
    ...annotationsOf({ title, description, default: fallback }),
    anyOf: types.map((type) => ({ ...constraints, type })),
  };
}

/** A choice between constants is one list. Without a type of its own there is no field for it. */
export function constantList(schema: UnknownObject): UnknownObject | null {
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  const constants = choices.flatMap((choice) => constantOf(choice) ?? []);
  const [first] = constants;
  if (first === undefined || constants.length !== choices.length) return null;
  const { anyOf: _, oneOf: __, ...beside } = schema;
  return { type: typeof first.const, ...beside, oneOf: constants };
}

function constantOf(choice: unknown): { const: unknown; title: string } | null {
  if (!isObject(choice)) return null;
  const onlyValue = onlyValueIn(choice);
  if (!["string", "number", "boolean"].includes(typeof onlyValue)) return null;
  const { title } = choice;
  return { const: onlyValue, title: stringOrNull(title) ?? String(onlyValue) };
}

const isNull = (choice: unknown) => isObject(choice) && onlyValueIn(choice) === null;

/**
 * The schema of what else a value may be, where it may be null: many servers write an optional argument so. Null where a value
 * may not be null, and where a choice has nothing else.
 */
export function schemaBesideNull(schema: UnknownObject): UnknownObject | null {
  const { nullable, ...unmarked } = schema;
  if (nullable === true) return schemaBesideNull(unmarked) ?? withoutNullDefault(unmarked);
  const constraints = withoutNullDefault(unmarked);
  if (Array.isArray(schema.enum))
    constraints.enum = schema.enum.filter((choice) => choice !== null);
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    const types = schema.type.filter((type) => type !== "null");
    return { ...constraints, type: types.length === 1 ? types[0] : types };
  }
  if (Array.isArray(schema.enum) && schema.enum.includes(null)) return constraints;
  const key = (["anyOf", "oneOf"] as const).find(
    (keyword) => Array.isArray(schema[keyword]) && schema[keyword].some(isNull),
  );
  if (key === undefined) return null;
  const { [key]: choices, ...beside } = constraints;
  const nonNullChoices = (choices as unknown[]).filter((choice) => !isNull(choice));
  const [first] = nonNullChoices;
  if (nonNullChoices.length === 0) return null;
  if (nonNullChoices.length === 1 && isObject(first)) return { ...first, ...beside };
  return { ...beside, [key]: nonNullChoices };
}

function withoutNullDefault({ default: fallback, ...schema }: UnknownObject): UnknownObject {
  if (fallback !== null && fallback !== undefined) schema.default = fallback;
  return schema;
}
