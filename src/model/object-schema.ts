import { isObject, type UnknownObject } from "./json.ts";

/** A schema as every model's API takes it: an object at the top, and nothing beside it there that says what it may be. */
export type ObjectSchema = {
  type: "object";
  properties: { [name: string]: unknown };
  required?: string[];
  [keyword: string]: unknown;
};

/** What endpoints refuse at the top of a schema. */
const refused = ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"] as const;

/**
 * Brings a schema into that shape. Where it is one of several objects, the model is told the properties of all of them
 * and what all require; which of them it has to be is checked when the tool is called.
 */
export function toObjectSchema(schema: UnknownObject): ObjectSchema {
  if (!refused.some((keyword) => schema[keyword] !== undefined))
    return { ...schema, type: "object", properties: isObject(schema.properties) ? schema.properties : {} };
  const { anyOf, oneOf, allOf, not, enum: choices, $ref, type, properties, required, ...rest } = schema;
  const own = readPart(schema, schema);
  const all = [...listOf(allOf), ...($ref === undefined ? [] : [{ $ref }])].map((part) => readPart(part, schema));
  const ways = [anyOf, oneOf].map(listOf).filter((list) => list.length > 0);
  const some = ways.map((list) => commonPart(list.map((part) => readPart(part, schema))));
  const parts = [...some, ...all, own];
  const names = [...new Set(parts.flatMap((part) => part.required))];
  return {
    ...rest,
    type: "object",
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as UnknownObject,
    ...(names.length > 0 || Array.isArray(required) ? { required: names } : {}),
  };
}

type Part = { properties: UnknownObject; required: string[] };

function readPart(schema: unknown, root: UnknownObject): Part {
  const { properties, required } = isObject(schema) ? followed(schema, root) : {};
  return {
    properties: isObject(properties) ? properties : {},
    required: listOf(required).filter((name) => typeof name === "string"),
  };
}

/** One step is enough: a definition that is only another reference is written by nobody. */
function followed(schema: UnknownObject, root: UnknownObject): UnknownObject {
  const name = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema.$ref));
  const [, place = "", key = ""] = name ?? [];
  const definitions = root[place];
  const found = isObject(definitions) && Object.hasOwn(definitions, key) ? definitions[key] : undefined;
  return isObject(found) ? found : schema;
}

function commonPart(parts: readonly Part[]): Part {
  const [first, ...others] = parts;
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as UnknownObject,
    required: (first?.required ?? []).filter((name) => others.every(({ required }) => required.includes(name))),
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
