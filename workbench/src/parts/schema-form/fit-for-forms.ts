import type { UnknownObject } from "../../../../src/model/json.ts";
import { oneList, oneOfTypes, splitNull, words } from "./fit-kinds.ts";
import {
  discriminatorOf,
  follow,
  isRecord,
  kindOf,
  onlyValueIn,
  ownValue,
  propertiesOf,
  targetOf,
} from "./schema-words.ts";

/** Our format for a value of any type: one box that takes JSON. */
export const anything = "toolplane-anything";
/** Our format for a value that is written in the schema already. */
export const fixed = "toolplane-fixed";
/** Our format for bytes: a file is chosen, and its content is sent as base64. */
export const bytes = "toolplane-bytes";

/** Keywords that constrain a value; without any of them the value may be anything. */
const saying = [
  ...[
    "type",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "properties",
    "items",
    "prefixItems",
    "if",
    "not",
  ],
  ...["additionalProperties", "patternProperties", "required"],
];
const maps = ["properties", "$defs", "definitions", "patternProperties"];
const schemas = ["items", "additionalProperties", "additionalItems", "then", "else"];
const types = ["string", "number", "integer", "boolean", "object", "array", "null"];
/** What is nested deeper is written as JSON: nobody finds the way in such a form. */
const maxDepth = 16;

/**
 * Rewrites a schema for forms: what no field can be drawn for becomes a JSON box, words of newer drafts become those that
 * the forms' library knows, null becomes a mark, and choices get names.
 */
export function fitForForms(schema: UnknownObject): UnknownObject {
  return fitInside(schema, schema, 0);
}

function fit(schema: unknown, root: UnknownObject, depth: number): UnknownObject {
  if (!isRecord(schema) || depth > maxDepth || isSilent(schema) || isUnreadable(schema, root))
    return boxFor(schema);
  const only = onlyValueIn(schema);
  if (only !== undefined) return { ...words(schema), type: "string", format: fixed, const: only };
  if (schema.type === "string" && (schema.contentEncoding === "base64" || schema.format === "byte"))
    return { ...schema, format: bytes };
  const withoutNull = splitNull(schema);
  if (withoutNull !== null) return { ...fit(withoutNull, root, depth), nullable: true };
  if (Array.isArray(schema.type)) return fitInside(oneOfTypes(schema, schema.type), root, depth);
  if (isOpenObject(schema)) return fitInside({ ...schema, additionalProperties: {} }, root, depth);
  return oneList(schema) ?? fitInside(schema, root, depth);
}

/** Takes any names: a map. */
const isOpenObject = ({ type, ...schema }: UnknownObject) =>
  type === "object" &&
  saying.every((word) => schema[word] === undefined || word === "type" || word === "required");

const boxFor = (schema: unknown): UnknownObject => ({
  ...(isRecord(schema) ? words(schema) : {}),
  type: "string",
  format: anything,
});

const isSilent = (schema: UnknownObject) => saying.every((word) => schema[word] === undefined);

/** A reference that leads nowhere, or a type that there is not. */
function isUnreadable({ $ref, type }: UnknownObject, root: UnknownObject): boolean {
  if ($ref !== undefined && targetOf($ref, root) === undefined) return true;
  const named = type === undefined ? [] : [type].flat();
  return (
    !named.every((one) => types.includes(one as string)) ||
    (Array.isArray(type) && type.length === 0)
  );
}

function fitInside(given: UnknownObject, root: UnknownObject, depth: number): UnknownObject {
  const schema = inOldWords(given);
  const fitted: UnknownObject = { ...schema };
  const inner = (one: unknown) => fit(one, root, depth + 1);
  for (const key of maps) {
    // What is `false` may not be given.
    const entries = Object.entries(isRecord(schema[key]) ? schema[key] : {}).filter(
      ([, one]) => one !== false,
    );
    if (isRecord(schema[key]))
      fitted[key] = Object.fromEntries(entries.map(([name, one]) => [name, inner(one)]));
    else delete fitted[key];
  }
  for (const key of schemas) {
    const one = schema[key];
    if (Array.isArray(one)) fitted[key] = one.map(inner);
    else if (isRecord(one))
      fitted[key] = key === "then" || key === "else" ? fitInside(one, root, depth + 1) : inner(one);
  }
  if (isRecord(schema.dependencies))
    fitted.dependencies = Object.fromEntries(
      Object.entries(schema.dependencies).map(([name, one]) => [
        name,
        isRecord(one) ? fitInside(one, root, depth + 1) : one,
      ]),
    );
  if (Array.isArray(schema.allOf))
    fitted.allOf = schema.allOf.filter(isRecord).map((part) => fitInside(part, root, depth + 1));
  for (const key of ["anyOf", "oneOf"])
    if (Array.isArray(schema[key])) fitted[key] = fitChoices(schema, key, root, depth);
  if (schema.additionalProperties === true) fitted.additionalProperties = inner(true);
  if (schema.type === "array" && !Array.isArray(fitted.items) && !isRecord(fitted.items))
    fitted.items = inner(true);
  for (const [key, isWell] of wellFormed)
    if (fitted[key] !== undefined && !isWell(fitted[key])) delete fitted[key];
  return fitted;
}

const isText = (value: unknown) => typeof value === "string";

/** A stranger's schema may have anything anywhere. */
const wellFormed: readonly [key: string, isWell: (value: unknown) => boolean][] = [
  ["title", isText],
  ["description", isText],
  ["format", isText],
  ["required", (value) => Array.isArray(value) && value.every(isText)],
  ["enum", Array.isArray],
  ["anyOf", Array.isArray],
  ["oneOf", Array.isArray],
  ["allOf", Array.isArray],
];

/** The forms' library reads lists of fixed length and what depends on another field as older drafts wrote them. */
function inOldWords(schema: UnknownObject): UnknownObject {
  const { prefixItems, dependentRequired, dependentSchemas, ...rest } = schema;
  const old: UnknownObject = { ...rest };
  if (Array.isArray(prefixItems)) {
    old.items = prefixItems;
    old.additionalItems = rest.items ?? true;
    old.type ??= "array";
    if (old.additionalItems === true) old.additionalItems = {};
  }
  const dependencies = [rest.dependencies, dependentSchemas, dependentRequired].filter(isRecord);
  if (dependencies.length > 0) old.dependencies = Object.assign({}, ...dependencies);
  if (old.type === undefined && (old.properties !== undefined || old.required !== undefined))
    old.type = "object";
  return old;
}

/** Each choice with a name, instead of "Option 2", and alone: what is beside the choices counts for all of them. */
function fitChoices(
  schema: UnknownObject,
  key: string,
  root: UnknownObject,
  depth: number,
): UnknownObject[] {
  const choices = (schema[key] as unknown[]).filter((choice) => choice !== false);
  const told = discriminatorOf(choices, root);
  return choices.map((choice) => {
    const fitted =
      isRecord(choice) && isPart(choice)
        ? fitInside(choice, root, depth + 1)
        : fit(choice, root, depth + 1);
    const { title } = isRecord(choice) ? follow(choice, root) : {};
    if (typeof title === "string" && title.trim() !== "") return { ...fitted, title };
    const value = told === undefined ? undefined : ownValue(propertiesOf(choice, root), told, root);
    return {
      ...fitted,
      title:
        typeof value === "string"
          ? value
          : kindOf(value === undefined ? choice : { const: value }, root),
    };
  });
}

/** Says something of an object only, such as which fields are required. */
const isPart = ({ type, $ref, required, properties }: UnknownObject) =>
  type === undefined && $ref === undefined && (required !== undefined || properties !== undefined);
