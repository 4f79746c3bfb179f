import { resolveReference } from "../../../../src/lib/json/schema-type.ts";
import {
  isObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "../../../../src/model/json.ts";

/** A line of a schema: an argument, an entry of a list, or one of several shapes. */
export type SchemaField = {
  name: string;
  /** What it is called in words and not in data, as the entries of a list are. */
  isWord: boolean;
  type: string;
  needed: boolean;
  about: string;
  /** Choices, defaults and bounds, in words. */
  remarks: string[];
  schema: UnknownObject;
};

/** More levels of lists are not named. */
const namedLevels = 4;
/** Parts that are passed over on the way to what is inside. */
const maxPassed = 100;
/** A reference that leads to a reference; a longer way is a circle. */
const maxHops = 20;
/** The JSON tab has all of them. */
const maxChoices = 50;
const maxText = 300;

/**
 * What is directly inside a schema. `root` is where its references lead to. Only one level is read: a schema that holds
 * itself has no end, and a person opens as much of it as is of use.
 */
export function fieldsOf(schema: unknown, root: UnknownObject): SchemaField[] {
  // Parts that are passed over may lead back to where they began.
  const passedSchemas = new Set<UnknownObject>();
  const fieldsIn = (subschema: unknown): SchemaField[] => {
    const schema = resolve(subschema, root);
    if (passedSchemas.has(schema) || passedSchemas.size > maxPassed) return [];
    passedSchemas.add(schema);
    const requiredNames = new Set(listOrEmpty(schema.required));
    const { additionalProperties, prefixItems, items, allOf } = schema;
    return [
      ...Object.entries(objectOrEmpty(schema.properties)).map(([name, inner]) => ({
        ...readField(name, inner, root, false),
        needed: requiredNames.has(name),
      })),
      ...Object.entries(objectOrEmpty(schema.patternProperties)).map(([pattern, inner]) =>
        readField(`names like ${pattern}`, inner, root),
      ),
      ...(isObject(additionalProperties)
        ? [readField("other names", additionalProperties, root)]
        : []),
      ...listOrEmpty(prefixItems).map((inner, index) =>
        readField(`entry ${index + 1}`, inner, root),
      ),
      ...(isObject(items) ? fieldsInOrField(readField("each entry", items, root)) : []),
      ...listOrEmpty(allOf).flatMap(fieldsIn),
      ...fieldsOfShapes(schema),
    ];
  };
  /** Entries that have nothing to say of themselves are passed over: what is inside them is of interest. */
  const fieldsInOrField = (field: SchemaField): SchemaField[] => {
    if (field.about !== "" || field.remarks.length > 0) return [field];
    return passedSchemas.has(field.schema) || passedSchemas.size > maxPassed
      ? [field]
      : fieldsIn(field.schema);
  };
  /** Of several shapes each one; the only one beside null is no choice. */
  const fieldsOfShapes = (schema: UnknownObject): SchemaField[] => {
    const shapes = shapesOf(schema).filter((shape) => resolve(shape, root).type !== "null");
    const fields = shapes.map((shape, index) => {
      const { title } = resolve(shape, root);
      return readField(isText(title) ? title : `shape ${index + 1}`, shape, root);
    });
    const [onlyField] = fields;
    if (fields.length === 1 && onlyField !== undefined) return fieldsInOrField(onlyField);
    const isSilent = (field: SchemaField) =>
      field.about === "" && field.remarks.length === 0 && !hasFields(field.schema, root);
    // `string or number` is said by the type.
    return fields.every(isSilent) ? [] : fields;
  };
  return fieldsIn(schema);
}

/** Whether a schema has anything to open, looked for one level deep. */
function hasFields(subschema: unknown, root: UnknownObject): boolean {
  const {
    properties,
    patternProperties,
    additionalProperties,
    prefixItems,
    items,
    allOf,
    ...shapes
  } = resolve(subschema, root);
  if (
    Object.keys(objectOrEmpty(properties)).length > 0 ||
    Object.keys(objectOrEmpty(patternProperties)).length > 0
  )
    return true;
  if (
    isObject(additionalProperties) ||
    listOrEmpty(prefixItems).length > 0 ||
    listOrEmpty(allOf).length > 0
  )
    return true;
  return isObject(items) || shapesOf(shapes).length > 0;
}

function readField(
  name: string,
  subschema: unknown,
  root: UnknownObject,
  isWord = true,
): SchemaField {
  const schema = resolve(subschema, root);
  const about =
    [subschema, schema]
      .map((source) => (isObject(source) ? source.description : undefined))
      .find(isText) ?? "";
  return {
    name,
    isWord,
    type: typeOf(subschema, root),
    needed: false,
    about,
    remarks: remarksOn(schema),
    schema,
  };
}

/** `list of object`, `string or number`, `Address`. */
export function typeOf(subschema: unknown, root: UnknownObject, level = 0): string {
  if (level > namedLevels) return "…";
  const schema = resolve(subschema, root);
  const { type, items, title } = schema;
  // A name is not looked into: references to references have no end.
  const referenceName =
    isObject(subschema) && isText(subschema.$ref)
      ? decode(subschema.$ref.split("/").at(-1) || "anything")
      : "";
  const typeNames = [type].flat().filter(isText);
  if (referenceName !== "")
    return typeNames.length === 0 ? referenceName : `${referenceName} (${typeNames.join(" or ")})`;
  if (typeNames.length > 0)
    return typeNames
      .map((typeName) =>
        typeName === "array" && items !== undefined
          ? `list of ${typeOf(items, root, level + 1)}`
          : typeName,
      )
      .map((typeName) => (typeName === "array" ? "list" : typeName))
      .join(" or ");
  const shapes = shapesOf(schema);
  if (shapes.length > 0)
    return [...new Set(shapes.map((shape) => typeOf(shape, root, level + 1)))].join(" or ");
  if (Array.isArray(schema.enum)) return "enum";
  if (schema.const !== undefined) return "constant";
  if (isObject(schema.properties) || listOrEmpty(schema.allOf).length > 0)
    return isText(title) ? title : "object";
  return "anything";
}

const bounds: readonly (readonly [string, string])[] = [
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"],
  ["minLength", "length at least"],
  ["maxLength", "length at most"],
  ["minItems", "entries at least"],
  ["maxItems", "entries at most"],
  ["minProperties", "names at least"],
  ["maxProperties", "names at most"],
  ["pattern", "like"],
  ["format", "as"],
  ["contentMediaType", "content"],
  ["contentEncoding", "encoded as"],
];

function remarksOn(schema: UnknownObject): string[] {
  const {
    const: constant,
    default: fallback,
    examples,
    uniqueItems,
    deprecated,
    additionalProperties,
  } = schema;
  const remarks: string[] = [];
  if (Array.isArray(schema.enum)) remarks.push(`one of ${renderChoices(schema.enum)}`);
  if (constant !== undefined) remarks.push(`always ${asText(constant)}`);
  if (fallback !== undefined) remarks.push(`default ${asText(fallback)}`);
  for (const [key, phrase] of bounds)
    if (schema[key] !== undefined) remarks.push(`${phrase} ${asText(schema[key])}`);
  if (uniqueItems === true) remarks.push("no entry twice");
  if (additionalProperties === false && isObject(schema.properties)) remarks.push("no other names");
  if (Array.isArray(examples) && examples.length > 0)
    remarks.push(`for example ${renderChoices(examples.slice(0, 3))}`);
  if (deprecated === true) remarks.push("deprecated");
  return remarks;
}

function renderChoices(choices: readonly unknown[]): string {
  const shown = choices.slice(0, maxChoices).map(asText).join(", ");
  return choices.length > maxChoices ? `${shown} and ${choices.length - maxChoices} more` : shown;
}

function asText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

/** What a reference within the schema leads to. One that leads nowhere, elsewhere or in a circle says nothing. */
function resolve(subschema: unknown, root: UnknownObject): UnknownObject {
  let schema = subschema;
  for (let hops = 0; hops < maxHops; hops += 1) {
    if (!isObject(schema) || Array.isArray(schema)) return {};
    if (!isText(schema.$ref)) return schema;
    schema = resolveReference(root, schema.$ref);
  }
  return {};
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return name;
  }
}

const shapesOf = ({ anyOf, oneOf }: UnknownObject) => [anyOf, oneOf].flatMap(listOrEmpty);
const isText = (value: unknown): value is string => typeof value === "string";
