import { isObject, objectOrEmpty, type UnknownObject } from "../../../../src/model/json.ts";
import { annotationsOf, constantList, oneOfTypes, schemaBesideNull } from "./fit-kinds.ts";
import {
  discriminatorOf,
  kindOf,
  onlyValueIn,
  ownValue,
  propertiesOf,
  resolve,
  targetOf,
} from "./schema-words.ts";

/** Our format for a value of any type: one box that takes JSON. */
export const anythingFormat = "toolplane-anything";
/** Our format for a value that is written in the schema already. */
export const fixedFormat = "toolplane-fixed";
/** Our format for bytes: a file is chosen, and its content is sent as base64. */
export const bytesFormat = "toolplane-bytes";

/** Keywords that constrain a value; without any of them the value may be anything. */
const constrainingKeywords = [
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
const mapKeywords = ["properties", "$defs", "definitions", "patternProperties"];
const schemaKeywords = ["items", "additionalProperties", "additionalItems", "then", "else"];
/** Their schemas say something of an object that is described beside them. */
const partKeywords = ["then", "else"];
const jsonTypes = ["string", "number", "integer", "boolean", "object", "array", "null"];
/** What is nested deeper is written as JSON: nobody finds the way in such a form. */
const maxDepth = 16;

/**
 * Rewrites a schema for forms: what no field can be drawn for becomes a JSON box, words of newer drafts become those that
 * the forms' library knows, null becomes a mark, and choices get names.
 */
export function fitForForms(schema: UnknownObject): UnknownObject {
  return fitSubschemas(schema, schema, 0);
}

function fitSchema(schema: unknown, root: UnknownObject, depth: number): UnknownObject {
  if (!isObject(schema) || depth > maxDepth || isSilent(schema) || isUnreadable(schema, root))
    return jsonBox(schema);
  const onlyValue = onlyValueIn(schema);
  if (onlyValue !== undefined)
    return { ...annotationsOf(schema), type: "string", format: fixedFormat, const: onlyValue };
  if (schema.type === "string" && (schema.contentEncoding === "base64" || schema.format === "byte"))
    return { ...schema, format: bytesFormat };
  const besideNull = schemaBesideNull(schema);
  if (besideNull !== null) return { ...fitSchema(besideNull, root, depth), nullable: true };
  if (Array.isArray(schema.type))
    return fitSubschemas(oneOfTypes(schema, schema.type), root, depth);
  if (isOpenObject(schema))
    return fitSubschemas({ ...schema, additionalProperties: {} }, root, depth);
  return constantList(schema) ?? fitSubschemas(schema, root, depth);
}

/** Takes any names: a map. */
const isOpenObject = ({ type, ...schema }: UnknownObject) =>
  type === "object" &&
  constrainingKeywords.every(
    (keyword) => schema[keyword] === undefined || keyword === "type" || keyword === "required",
  );

const jsonBox = (schema: unknown): UnknownObject => ({
  ...annotationsOf(objectOrEmpty(schema)),
  type: "string",
  format: anythingFormat,
});

const isSilent = (schema: UnknownObject) =>
  constrainingKeywords.every((keyword) => schema[keyword] === undefined);

/** A reference that leads nowhere, or a type that there is not. */
function isUnreadable({ $ref, type }: UnknownObject, root: UnknownObject): boolean {
  if ($ref !== undefined && targetOf($ref, root) === undefined) return true;
  const typeNames = type === undefined ? [] : [type].flat();
  return (
    !typeNames.every((typeName) => jsonTypes.includes(typeName as string)) ||
    (Array.isArray(type) && type.length === 0)
  );
}

function fitSubschemas(
  newerSchema: UnknownObject,
  root: UnknownObject,
  depth: number,
): UnknownObject {
  const schema = inOlderDraft(newerSchema);
  const fitted: UnknownObject = { ...schema };
  const fitInner = (subschema: unknown) => fitSchema(subschema, root, depth + 1);
  for (const key of mapKeywords) {
    const subschemas = schema[key];
    // What is `false` may not be given.
    if (isObject(subschemas)) fitted[key] = mapMembers(withoutFalse(subschemas), fitInner);
    else delete fitted[key];
  }
  for (const key of schemaKeywords) {
    const subschema = schema[key];
    if (Array.isArray(subschema)) fitted[key] = subschema.map(fitInner);
    else if (isObject(subschema) && partKeywords.includes(key))
      fitted[key] = fitSubschemas(subschema, root, depth + 1);
    else if (isObject(subschema)) fitted[key] = fitInner(subschema);
  }
  if (isObject(schema.dependencies))
    fitted.dependencies = mapMembers(schema.dependencies, (dependency) =>
      isObject(dependency) ? fitSubschemas(dependency, root, depth + 1) : dependency,
    );
  if (Array.isArray(schema.allOf))
    fitted.allOf = schema.allOf
      .filter(isObject)
      .map((part) => fitSubschemas(part, root, depth + 1));
  for (const key of ["anyOf", "oneOf"])
    if (Array.isArray(schema[key])) fitted[key] = fitChoices(schema, key, root, depth);
  if (schema.additionalProperties === true) fitted.additionalProperties = fitInner(true);
  if (schema.type === "array" && !Array.isArray(fitted.items) && !isObject(fitted.items))
    fitted.items = fitInner(true);
  for (const [key, isWellFormed] of wellFormed)
    if (fitted[key] !== undefined && !isWellFormed(fitted[key])) delete fitted[key];
  return fitted;
}

const withoutFalse = (subschemas: UnknownObject): UnknownObject =>
  Object.fromEntries(Object.entries(subschemas).filter(([, subschema]) => subschema !== false));

const mapMembers = (members: UnknownObject, map: (member: unknown) => unknown): UnknownObject =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)]));

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
function inOlderDraft(schema: UnknownObject): UnknownObject {
  const { prefixItems, dependentRequired, dependentSchemas, ...unchanged } = schema;
  const olderSchema: UnknownObject = { ...unchanged };
  if (Array.isArray(prefixItems)) {
    olderSchema.items = prefixItems;
    olderSchema.additionalItems = unchanged.items ?? true;
    olderSchema.type ??= "array";
    if (olderSchema.additionalItems === true) olderSchema.additionalItems = {};
  }
  const dependencies = [unchanged.dependencies, dependentSchemas, dependentRequired].filter(
    isObject,
  );
  if (dependencies.length > 0) olderSchema.dependencies = Object.assign({}, ...dependencies);
  if (
    olderSchema.type === undefined &&
    (olderSchema.properties !== undefined || olderSchema.required !== undefined)
  )
    olderSchema.type = "object";
  return olderSchema;
}

/** Each choice with a name, instead of "Option 2", and alone: what is beside the choices counts for all of them. */
function fitChoices(
  schema: UnknownObject,
  key: string,
  root: UnknownObject,
  depth: number,
): UnknownObject[] {
  const choices = (schema[key] as unknown[]).filter((choice) => choice !== false);
  const discriminator = discriminatorOf(choices, root);
  return choices.map((choice) => {
    const fitChoice = isObject(choice) && isPart(choice) ? fitSubschemas : fitSchema;
    const fitted = fitChoice(choice as UnknownObject, root, depth + 1);
    return { ...fitted, title: titleOf(choice, discriminator, root) };
  });
}

function titleOf(choice: unknown, discriminator: string | undefined, root: UnknownObject): string {
  const { title } = resolve(choice, root);
  if (typeof title === "string" && title.trim() !== "") return title;
  if (discriminator === undefined) return kindOf(choice, root);
  const constant = ownValue(propertiesOf(choice, root), discriminator, root);
  if (typeof constant === "string") return constant;
  return kindOf(constant === undefined ? choice : { const: constant }, root);
}

/** Says something of an object only, such as which fields are required. */
const isPart = ({ type, $ref, required, properties }: UnknownObject) =>
  type === undefined && $ref === undefined && (required !== undefined || properties !== undefined);
